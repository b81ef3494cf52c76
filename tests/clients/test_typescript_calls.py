"""What the client for TypeScript does by itself, against a server that answers as told."""

import asyncio
import re
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from typescript_client import Project
from webhook_receiver import Received, Receiver, answer, receiving

pytest_plugins = ("typescript_fixtures",)
pytestmark = pytest.mark.timeout(300)  # the packages may have to be installed first

SEND = """
const body = { phone_number: "+15550100001", content: { type: "text", body: "Hello" } };
print(await heliograph.sendMessage({ body }));
"""
EDIT = """
const path = { message_id: "01939b1e-7c3a-7b6e-9d5f-2f7a3c1e8b40" };
const call = { path, body: { content: { type: "text", body: "Hello" } } };
print(await heliograph.editMessage(call));
"""
LIST = "print(await heliograph.listDevices());"
FAILING = """
try {
  await heliograph.sendMessage(given);
} catch (error) {
  if (!(error instanceof HeliographError)) throw error;
  print({ ...error, message: error.message, cause: String(error.cause) });
}
"""
NO_ANSWER = b""


def json_answer(status: int, body: object, *headers: str) -> bytes:
    content_type = "content-type: application/json"
    return answer(status, content_type, *headers, body=msgspec.json.encode(body))


DONE = json_answer(200, {"done": True})


def refusal(status: int, code: str, *headers: str) -> bytes:
    return json_answer(status, {"detail": "Not now.", "code": code}, *headers)


UNAVAILABLE = {"detail": "Not now.", "code": "unavailable"}
MAYBE_STORED = json_answer(503, UNAVAILABLE | {"maybe_stored": True}, "retry-after: 0")
NOT_STORED = json_answer(503, UNAVAILABLE | {"maybe_stored": False}, "retry-after: 0")


async def run_against(
    project: Project, code: str, *answers: bytes, given: object = None
) -> tuple[list[Any], Receiver]:
    """What the program prints, and what it has sent to a server that gives these answers, one
    after the other; an empty one hangs up."""
    left: Iterator[bytes] = iter(answers)

    async def reply(_: Received) -> bytes:
        return next(left)

    async with receiving(reply) as server:
        printed = await project.run(code, given, HELIOGRAPH_URL=f"http://127.0.0.1:{server.port}")
    return printed, server


def keys_in(server: Receiver) -> list[str | None]:
    return [request.headers.get("idempotency-key") for request in server.received]


async def test_a_post_has_a_key_of_its_own_for_each_call(project: Project) -> None:
    _, server = await run_against(
        project, SEND + SEND.replace("const body", "var again"), DONE, DONE
    )
    first, second = keys_in(server)
    assert first
    assert second
    assert first != second


async def test_a_key_of_the_callers_is_the_one_that_is_sent(project: Project) -> None:
    code = SEND.replace("{ body }", '{ body, headers: { "Idempotency-Key": "order-4711" } }')
    _, server = await run_against(project, code, NO_ANSWER, DONE)
    assert keys_in(server) == ["order-4711", "order-4711"]


async def test_only_posts_have_one(project: Project) -> None:
    _, server = await run_against(project, LIST + EDIT, DONE, DONE)
    assert keys_in(server) == [None, None]


@pytest.mark.parametrize(
    "lost",
    [
        NO_ANSWER,
        refusal(408, "request_timeout"),
        refusal(502, "network_refused"),
        refusal(503, "unavailable"),
        refusal(504, "network_timeout"),
        answer(503),
    ],
    ids=["hung up", "408", "502", "503", "504", "a proxy's 503"],
)
async def test_a_repeat_is_the_same_request_under_the_same_key(
    project: Project, lost: bytes
) -> None:
    printed, server = await run_against(project, SEND, lost, lost, DONE)
    assert printed == [{"done": True}]
    assert len(server.received) == 3
    assert len({request.body for request in server.received}) == 1
    [key] = set(keys_in(server))
    assert key


@pytest.mark.parametrize(
    ("status", "code"),
    [(429, "rate_limited"), (503, "unavailable"), (409, "idempotency_conflict")],
)
async def test_a_repeat_waits_for_as_long_as_the_gateway_says(
    project: Project, status: int, code: str
) -> None:
    printed, server = await run_against(
        project, SEND, refusal(status, code, "retry-after: 1"), DONE
    )
    assert printed == [{"done": True}]
    first, second = server.received
    assert second.at - first.at > 0.99  # timers may be early by a millisecond


async def test_an_answer_that_breaks_off_is_one_that_was_lost(project: Project) -> None:
    answers = [DONE[:-3], DONE]
    keys: list[bytes] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        keys.extend(re.findall(rb"idempotency-key: (\S+)", head, re.IGNORECASE))
        writer.write(answers.pop(0))
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        printed = await project.run(SEND, HELIOGRAPH_URL=f"http://127.0.0.1:{port}")
    assert printed == [{"done": True}]
    assert len(keys) == 2
    assert len(set(keys)) == 1


@pytest.mark.parametrize(
    ("refused", "asked"),
    [
        (refusal(429, "rate_limited", "retry-after: 0"), 3),
        (refusal(429, "plan_limit_reached", "retry-after: 0"), 1),
        (refusal(429, "rate_limited", "retry-after: 3600"), 1),
        (refusal(409, "chat_account_not_connected"), 1),
        (refusal(500, "internal_error"), 1),
        (refusal(401, "invalid_api_key"), 1),
    ],
    ids=["bounded", "plan limit", "too long", "conflict", "fault", "no key"],
)
async def test_what_is_not_repeated_any_more_is_thrown(
    project: Project, refused: bytes, asked: int
) -> None:
    [error], server = await run_against(
        project, FAILING, *[refused] * asked, given={"body": {"content": {}}}
    )
    assert len(server.received) == asked
    assert error["detail"] == "Not now."


@pytest.mark.parametrize(
    "lost",
    [NO_ANSWER, refusal(502, "network_refused"), answer(503), MAYBE_STORED],
    ids=["lost", "502", "a proxy's 503", "maybe stored"],
)
async def test_a_patch_that_may_have_been_done_is_not_repeated(
    project: Project, lost: bytes
) -> None:
    code = EDIT.replace("print(await", "await").replace(
        "(call))", "(call).catch(e => print(e.status))"
    )
    _, server = await run_against(project, code, lost)
    assert len(server.received) == 1


@pytest.mark.parametrize(
    "later", [refusal(429, "rate_limited", "retry-after: 0"), NOT_STORED], ids=["429", "not stored"]
)
async def test_a_patch_that_was_not_done_is_repeated(project: Project, later: bytes) -> None:
    printed, _ = await run_against(project, EDIT, later, DONE)
    assert printed == [{"done": True}]


async def test_a_successful_answer_is_not_repeated_whatever_its_headers_say(
    project: Project,
) -> None:
    printed, server = await run_against(
        project, SEND, json_answer(200, {"done": True}, "retry-after: 0")
    )
    assert printed == [{"done": True}]
    assert len(server.received) == 1


async def test_no_answer_in_time_is_an_error_with_its_cause(project: Project) -> None:
    code = FAILING.replace(
        "await heliograph", "await new Heliograph({ baseUrl, apiKey, retries: 1, timeout: 1000 })"
    )

    async def never(_: Received) -> bytes:
        await server.wait_for(3)
        raise AssertionError

    async with receiving(never) as server:
        url = f"http://127.0.0.1:{server.port}"
        [error] = await project.run(code, {"body": {}}, HELIOGRAPH_URL=url)
    assert error["message"] == "The gateway did not answer: none within 1000 ms"
    assert "status" not in error
    assert error["cause"].startswith("TimeoutError")
    assert len(server.received) == 2


async def test_no_connection_is_an_error_that_says_so(project: Project) -> None:
    async with receiving() as server:
        url = f"http://127.0.0.1:{server.port}"  # where nobody listens any more
    [error] = await project.run(FAILING, {"body": {}}, HELIOGRAPH_URL=url)
    assert "ECONNREFUSED" in error["message"]
    assert "status" not in error


async def test_a_signal_of_the_callers_ends_a_call_with_its_own_reason(project: Project) -> None:
    code = """
    const stop = new AbortController();
    const call = heliograph.listDevices({ signal: stop.signal });
    setTimeout(() => stop.abort("enough"), 1500);
    print(await call.catch((reason) => reason));
    """
    printed, server = await run_against(
        project, code, refusal(429, "rate_limited", "retry-after: 60")
    )
    assert printed == ["enough"]
    assert len(server.received) == 1


async def test_an_error_says_what_the_gateway_said(project: Project) -> None:
    body = {"detail": "It lacks the scope.", "code": "missing_scope", "required_scope": "x:read"}
    refused = json_answer(403, body, "x-request-id: abc")
    [error], _ = await run_against(project, FAILING, refused, given={"body": {}})
    assert error["message"] == "403: It lacks the scope."
    told = (error["status"], error["code"], error["detail"], error["requestId"])
    assert told == (403, "missing_scope", "It lacks the scope.", "abc")
    assert error["body"] == body
    assert error["errors"] == []


async def test_the_error_of_something_in_between_is_told_by_its_status(project: Project) -> None:
    html = answer(403, "content-type: text/html", body=b"<h1>Go away</h1>")
    [error], _ = await run_against(project, FAILING, html, given={"body": {}})
    assert (error["status"], error["detail"]) == (403, "Whatever")
    assert "code" not in error
    assert error["body"] == "<h1>Go away</h1>"


async def test_a_list_is_read_to_its_end_and_no_page_more_than_is_asked_for(
    project: Project,
) -> None:
    pages = [
        json_answer(200, {"messages": [{"id": 1}, {"id": 2}], "next_cursor": "a+b="}),
        json_answer(200, {"messages": [], "next_cursor": "c"}),
        json_answer(200, {"messages": [{"id": 3}], "next_cursor": None}),
    ]
    code = """
    const failed = { query: { status: "failed", limit: 2 } };
    for await (const { id } of heliograph.iterate("listMessages", failed)) {
      print(id);
      if (id === given) break;
    }
    """
    printed, server = await run_against(project, code, *pages)
    assert printed == [1, 2, 3]
    assert [request.path for request in server.received] == [
        "/api/v1/messages?status=failed&limit=2",
        "/api/v1/messages?status=failed&limit=2&cursor=a%2Bb%3D",
        "/api/v1/messages?status=failed&limit=2&cursor=c",
    ]
    _, server = await run_against(project, code, *pages, given=2)
    assert len(server.received) == 1


async def test_reading_events_goes_on_from_cursor_to_cursor_and_through_a_restart(
    project: Project,
) -> None:
    def page(cursor: str, *ids: int) -> bytes:
        return json_answer(200, {"events": [{"id": n} for n in ids], "next_cursor": cursor})

    restart = [refusal(503, "unavailable", "retry-after: 0"), NO_ANSWER, NO_ANSWER]
    code = """
    for await (const { events, next_cursor } of heliograph.readEvents({ types: "message.*" })) {
      print([next_cursor, events.map(({ id }) => id)]);
      if (next_cursor === "c") break;
    }
    """
    printed, server = await run_against(
        project, code, page("a"), page("a"), *restart, page("b", 1, 2), page("c")
    )
    assert printed == [["a", []], ["b", [1, 2]], ["c", []]]
    now = "/api/v1/events?types=message.*&wait=0"
    assert [request.path for request in server.received] == [
        now,
        *["/api/v1/events?types=message.*&after=a&wait=30"] * 5,
        "/api/v1/events?types=message.*&after=b&wait=30",
    ]


async def test_reading_events_ends_with_what_does_not_pass(project: Project) -> None:
    code = """
    try {
      for await (const page of heliograph.readEvents({ after: "old" })) print(page);
    } catch (error) {
      print(error.code);
    }
    """
    printed, _ = await run_against(project, code, refusal(410, "cursor_expired"))
    assert printed == ["cursor_expired"]
