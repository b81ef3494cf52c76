"""The client for TypeScript and the gateway: the README's examples, pages, repeats, errors."""

import asyncio

import pytest

from demo_phone import act
from free_ports import free_port
from heliograph.networks.phone_actions import Press
from live_gateway import LiveGateway
from received_document import PDF, receive_document
from typescript_client import PRELUDE, Project, find_examples

pytest_plugins = ("live_fixtures", "typescript_fixtures")
pytestmark = pytest.mark.timeout(300)  # the packages may have to be installed first

PHONE = "+15550100001"


def environment(gateway: LiveGateway) -> dict[str, str]:
    return {
        "HELIOGRAPH_URL": gateway.base_url,
        "HELIOGRAPH_API_KEY": gateway.demo.api_key,
    }


async def test_the_readmes_first_example_runs(project: Project, gateway: LiveGateway) -> None:
    process = await project.start(find_examples()[0]["ask"], **environment(gateway))
    assert process.stdout is not None
    try:
        async with asyncio.timeout(60):
            told = [await process.stdout.readline() for _ in range(4)]
            await asyncio.to_thread(act, gateway, Press(PHONE, "later"))
            rest, err = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
    assert b"".join(told).split() == b"queued message.sent message.delivered message.read".split()
    assert rest == b"answer: later\n", err


async def test_the_readmes_other_pieces_run(project: Project, gateway: LiveGateway) -> None:
    await asyncio.to_thread(receive_document, gateway)
    port = str(free_port())
    pieces = [piece.replace("9000", port) for piece in find_examples()[1]]
    own = """
    const load = () => "oldest";
    const handle = ({ id, type }) => console.log(id, type);
    const save = () => process.exit(0);
    """
    answered = await asyncio.gather(*(run_piece(project, gateway, own + piece) for piece in pieces))
    for begin in ("404 message_not_found", "secret: whsec_", "saved application/pdf"):
        assert len([line for line in answered if line.startswith(begin)]) == 1, begin
    [saved] = project.folder.glob("*.file")
    assert saved.read_bytes() == PDF


async def run_piece(project: Project, gateway: LiveGateway, code: str) -> str:
    process = await project.start(PRELUDE + code, **environment(gateway))
    try:
        out, err = await asyncio.wait_for(process.communicate(), 60)
    finally:
        if process.returncode is None:
            process.kill()
    assert process.returncode == 0, err.decode()
    return out.decode()


async def test_a_list_of_the_gateways_is_read_over_more_than_one_page(
    project: Project, gateway: LiveGateway
) -> None:
    code = """
    const to = { phone_number: "+15550100002" };
    const sent = [];
    for (const body of ["one", "two", "three"]) {
      const call = { body: { ...to, content: { type: "text", body } } };
      sent.unshift((await heliograph.sendMessage(call)).message_id);
    }
    print(sent);
    const found = [];
    for await (const message of heliograph.iterate("listMessages", { query: { limit: 1 } })) {
      found.push(message.id);
      if (found.length === 3) break;
    }
    print(found);
    """
    sent, found = await project.run(code, **environment(gateway))
    assert found == sent


async def test_events_are_read_over_more_than_one_page(
    project: Project, gateway: LiveGateway
) -> None:
    code = """
    const ids = [];
    for await (const { events } of heliograph.readEvents({ after: "oldest", limit: 1 })) {
      ids.push(...events.map(({ id }) => id));
      if (ids.length >= 2) break;
    }
    print(ids);
    const { events } = await heliograph.listEvents({ query: { after: "oldest", limit: 2 } });
    print(events.map(({ id }) => id));
    """
    read, listed = await project.run(code, **environment(gateway))
    assert read == listed
    assert len(set(read)) == 2


async def test_a_repeat_of_the_clients_is_carried_out_once(
    project: Project, gateway: LiveGateway
) -> None:
    code = """
    let calls = 0;
    const loseFirst = async (request) => {
      const response = await fetch(request);
      if (++calls === 1) throw new TypeError("the answer was lost");
      return response;
    };
    const options = { baseUrl, apiKey, fetch: loseFirst };
    const body = { phone_number: "+15550100002", content: { type: "text", body: "once" } };
    const before = (await heliograph.getMessageStats()).total;
    await new Heliograph(options).sendMessage({ body });
    print([calls, (await heliograph.getMessageStats()).total - before]);
    """
    assert await project.run(code, **environment(gateway)) == [[2, 1]]


async def test_what_is_wrong_with_a_request_is_listed(
    project: Project, gateway: LiveGateway
) -> None:
    code = """
    const content = { type: "text", body: "" };
    const body = { phone_number: "+15550100001", content, sheduled_for: "now" };
    const error = await heliograph.sendMessage({ body }).catch((error) => error);
    const types = error.errors.map(({ type }) => type);
    print([error.status, types, error.message, error.requestId.length > 0]);
    """
    [[status, types, message, named]] = await project.run(code, **environment(gateway))
    assert status == 422
    assert types == ["string_too_short", "extra_forbidden"]
    assert "body.sheduled_for: Extra inputs are not permitted" in message
    assert named is True
