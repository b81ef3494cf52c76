"""When the Python client tries again: against a real server that answers as a test tells it."""

import asyncio
import io
import json
from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest

from each_case import for_each
from heliograph_client import ApiError, AsyncHeliograph, Heliograph, Retries
from heliograph_client.models import File, MediaFile, SendResult
from heliograph_client.retries import may_repeat
from webhook_receiver import Received, Receiver, answer, receiving

QUICK = Retries(attempts=3, first_wait=0.01)
ID = UUID(int=7)
SENT = {"success": True, "message_id": str(ID), "status": "queued", "run_id": "run_7"}
HANG_UP = b""


def error(status: int, code: str, *headers: str, **members: Any) -> bytes:
    body = {"detail": "Try again.", "code": code, **members}
    return answer(status, "content-type: application/json", *headers, body=as_json(body))


def as_json(value: Any) -> bytes:
    return json.dumps(value).encode()


BUSY = error(503, "unavailable", "retry-after: 0")
DONE = answer(200, body=as_json(SENT))


async def call(kind: str, port: int, method: str, *args: Any, **options: Any) -> Any:
    """Call a method of that kind of client, which waits as `retries` among the options says."""
    url, retries = f"http://127.0.0.1:{port}", options.pop("retries", QUICK)
    if kind == "asyncio":
        async with AsyncHeliograph(url, "hg_key", retries=retries) as client:
            return await getattr(client, method)(*args, **options)
    with Heliograph(url, "hg_key", retries=retries) as client:
        return await asyncio.to_thread(getattr(client, method), *args, **options)


def answering(receiver: Receiver, *answers: bytes) -> None:
    """Answer with these, one after the other, and go on with the last."""

    async def reply(_: Received) -> bytes:
        return answers[min(len(receiver.received), len(answers)) - 1]

    receiver.reply = reply


def keys_of(receiver: Receiver) -> list[str | None]:
    return [request.headers.get("idempotency-key") for request in receiver.received]


@pytest.fixture(params=["threads", "asyncio"])
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.mark.parametrize("status", [429, 503])
async def test_retry_after_is_waited_for(kind: str, status: int) -> None:
    async with receiving() as receiver:
        answering(receiver, error(status, "rate_limited", "retry-after: 1"), DONE)
        sent = await call(kind, receiver.port, "send_text", "+15550100001", "Hello")
    assert isinstance(sent, SendResult)
    assert sent.message_id == ID
    first, second = receiver.received
    assert second.at - first.at >= 1
    assert second.body == first.body


@for_each(
    "failure",
    [
        HANG_UP,
        answer(502, "content-type: text/html", body=b"<h1>Bad Gateway</h1>"),
        error(500, "internal_error"),
        error(504, "network_timeout"),
        error(409, "idempotency_conflict", "retry-after: 0"),
    ],
    ids=["hang up", "a proxy's 502", "500", "504", "the first try still runs"],
)
async def test_a_post_is_repeated_under_its_own_key(kind: str, failure: bytes) -> None:
    async with receiving() as receiver:
        answering(receiver, failure, failure, DONE)
        await call(kind, receiver.port, "send_text", "+15550100001", "Hello")
        await call(kind, receiver.port, "send_text", "+15550100001", "Hello")
    first, *repeats, other = keys_of(receiver)
    assert repeats == [first, first]
    assert first
    assert other
    assert other != first
    assert {request.headers["authorization"] for request in receiver.received} == {"Bearer hg_key"}


async def test_a_key_of_the_callers_own_is_kept(kind: str) -> None:
    async with receiving() as receiver:
        answering(receiver, BUSY, DONE)
        options = {"idempotency_key": "order-4711"}
        await call(kind, receiver.port, "send_text", "+15550100001", "Hello", **options)
    assert keys_of(receiver) == ["order-4711", "order-4711"]


async def test_reading_has_no_key_and_is_repeated(kind: str) -> None:
    async with receiving() as receiver:
        page = {"labels": [], "total": 0, "limit": 50, "offset": 0}
        answering(receiver, HANG_UP, error(500, "internal_error"), answer(200, body=as_json(page)))
        labels = await call(kind, receiver.port, "list_labels")
    assert labels.total == 0
    assert keys_of(receiver) == [None, None, None]


@for_each(
    ("failure", "tries"),
    [
        (error(503, "unavailable", "retry-after: 0", maybe_stored=True), 1),
        (error(503, "unavailable", "retry-after: 0", maybe_stored=False), 3),
        (error(429, "rate_limited", "retry-after: 0"), 3),
        (error(500, "internal_error"), 1),
    ],
    ids=["maybe stored", "not stored", "rate", "500"],
)
async def test_a_patch_is_repeated_only_if_nothing_was_done(
    kind: str, failure: bytes, tries: int
) -> None:
    async with receiving() as receiver:
        answering(receiver, failure)
        with pytest.raises(ApiError):
            await call(kind, receiver.port, "change_label", uuid4(), name="VIP")
    assert len(receiver.received) == tries


async def test_a_patch_whose_answer_was_lost_is_not_repeated(kind: str) -> None:
    async with receiving() as receiver:
        answering(receiver, HANG_UP)
        with pytest.raises(httpx.RemoteProtocolError):
            await call(kind, receiver.port, "change_label", uuid4(), name="VIP")
    assert len(receiver.received) == 1


@for_each(
    "refusal",
    [
        error(404, "chat_account_not_found"),
        error(409, "chat_account_not_connected"),
        error(409, "job_unknown"),
        error(429, "plan_limit_reached", "retry-after: 0", resets_at=None),
        error(503, "unavailable", "retry-after: 3600"),
    ],
    ids=["404", "409", "nobody knows", "a plan's limit", "an hour"],
)
async def test_what_waiting_does_not_change_is_raised_at_once(kind: str, refusal: bytes) -> None:
    async with receiving() as receiver:
        answering(receiver, refusal)
        with pytest.raises(ApiError, match=r"Try again\."):
            await call(kind, receiver.port, "send_text", "+15550100001", "Hello")
    assert len(receiver.received) == 1


async def test_the_last_error_is_raised_when_all_tries_have_failed(kind: str) -> None:
    async with receiving() as receiver:
        answering(receiver, error(503, "unavailable", "retry-after: 0", "x-request-id: r7"))
        with pytest.raises(ApiError) as caught:
            await call(kind, receiver.port, "send_text", "+15550100001", "Hello")
    assert len(receiver.received) == QUICK.attempts
    found = caught.value
    assert (found.status, found.code, found.detail) == (503, "unavailable", "Try again.")
    assert (found.request_id, found.retry_after) == ("r7", 0)


@for_each("body", [b"<h1>Bad Request</h1>", b"[1]", b'{"detail": ["?"]}', b"\xff"])
async def test_an_error_of_a_proxy_is_an_api_error(kind: str, body: bytes) -> None:
    async with receiving() as receiver:
        answering(receiver, answer(400, body=body))
        with pytest.raises(ApiError) as caught:
            await call(kind, receiver.port, "list_labels")
    assert (caught.value.status, caught.value.code, caught.value.errors) == (400, None, [])
    assert caught.value.detail == "Whatever", "the reason of the status line"


async def test_a_file_is_sent_again_from_its_beginning(kind: str) -> None:
    times = {"expires_at": None, "created_at": "2026-03-02T09:15:40Z"}
    record = {
        "id": str(ID),
        "media_type": "text/plain",
        "size": 5,
        "sha256": "00",
        "origin": "upload",
    }
    file = as_json({**record, **times, "file_name": None, "url": "http://127.0.0.1/"})
    content = b"a menu" * 50_000
    async with receiving() as receiver:
        answering(receiver, BUSY, answer(201, body=file))
        body = File(io.BytesIO(content), mime_type="text/plain")
        uploaded = await call(kind, receiver.port, "upload_media", body=body)
    assert isinstance(uploaded, MediaFile)
    assert [request.body for request in receiver.received] == [content, content]
    assert receiver.received[0].headers["content-type"] == "text/plain"


# --- the rule itself -------------------------------------------------------------------------

GET = httpx.Request("GET", "http://127.0.0.1/")
PATCH = httpx.Request("PATCH", "http://127.0.0.1/")
OVERLOADED = httpx.Response(503)


def test_a_wait_doubles_up_to_the_longest_and_is_up_to_a_half_shorter() -> None:
    longest = Retries(attempts=9, first_wait=1, longest_wait=10, jitter=lambda: 0.0)
    waits = [longest.wait_after(GET, OVERLOADED, attempt) for attempt in range(1, 10)]
    assert waits == [1, 2, 4, 8, 10, 10, 10, 10, None]
    shortest = Retries(first_wait=1, jitter=lambda: 1.0)
    assert shortest.wait_after(GET, OVERLOADED, 1) == 0.5


def test_retry_after_is_never_shortened() -> None:
    asked = httpx.Response(429, headers={"Retry-After": "7"})
    waits = [Retries(jitter=lambda share=x: share).wait_after(GET, asked, 1) for x in (0.0, 1.0)]  # type: ignore[misc]
    assert waits == [7, 7.5]


@for_each(
    ("failure", "of_a_get", "of_a_patch"),
    [
        (httpx.ConnectError("refused"), True, True),
        (httpx.ConnectTimeout("nobody there"), True, True),
        (httpx.PoolTimeout("no connection free"), True, True),
        (httpx.ReadTimeout("no answer"), True, False),
        (httpx.ReadError("reset"), True, False),
        (httpx.UnsupportedProtocol("no http"), False, False),
    ],
)
def test_a_lost_connection_is_repeated_where_that_is_safe(
    failure: httpx.TransportError, of_a_get: bool, of_a_patch: bool
) -> None:
    assert may_repeat(GET, failure) is of_a_get
    assert may_repeat(PATCH, failure) is of_a_patch
