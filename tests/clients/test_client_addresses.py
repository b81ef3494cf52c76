"""What people get wrong with the clients: the gateway's address, a parsed body, ids."""

import asyncio
from typing import Any
from uuid import UUID

import pytest

from each_case import for_each
from heliograph_client import ApiError, AsyncHeliograph, Heliograph, verify_webhook
from heliograph_client.ids import read_id, read_ids
from heliograph_client.models import ImageInput
from live_gateway import LiveGateway
from typescript_client import Project
from webhook_receiver import Receiver, answer, receiving

pytest_plugins = ("live_fixtures", "typescript_fixtures")
pytestmark = pytest.mark.timeout(300)  # the packages may have to be installed first

PAGE = b"<!doctype html><title>Welcome</title>"
WRONG: dict[Any, str] = {
    "gateway.example": "must begin with http:// or https://",
    "localhost:8000": "must begin with http:// or https://",
    "": "must begin with http:// or https://",
    None: "must be",
    7: "must be",
    "ftp://gateway.example": "must begin with http:// or https://",
    "https://gateway.example/api/v1": "must not have",
    "https://gateway.example/api/v1/": "must not have",
    "https://gateway.example/?org=7": "must end before",
}
STRANGERS = {
    "a page for everything": answer(200, "content-type: text/html; charset=utf-8", body=PAGE),
    "a page that is missing": answer(404, "content-type: text/html", body=PAGE),
    "another API": answer(404, "content-type: application/json", body=b'{"detail":"Not Found"}'),
    "no API at all": answer(405, body=b""),
}


@for_each("address", WRONG)
def test_an_address_that_is_none_is_told_at_once(address: Any) -> None:
    for client in (Heliograph, AsyncHeliograph):
        with pytest.raises(ValueError, match="base_url") as refused:
            client(address, "hg_key")
        assert WRONG[address] in str(refused.value)


async def test_typescript_tells_it_too(project: Project) -> None:
    code = """
    for (const baseUrl of given) await attempt(() => new Heliograph({ baseUrl, apiKey }));
    """
    printed = await project.run(code, list(WRONG))
    for (kind, told), expected in zip(printed, WRONG.values(), strict=True):
        assert kind == "TypeError"
        assert expected in told


@pytest.mark.parametrize("end", ["", "/", "//", " "])
def test_what_stands_behind_an_address_makes_no_difference(gateway: LiveGateway, end: str) -> None:
    with Heliograph(gateway.base_url + end, gateway.demo.api_key) as client:
        assert client.list_devices().devices


async def asked(receiver: Receiver) -> ApiError:
    with Heliograph(f"http://127.0.0.1:{receiver.port}", "hg_key") as client:
        with pytest.raises(ApiError) as refused:
            await asyncio.to_thread(client.list_devices)
        return refused.value


@pytest.mark.parametrize("stranger", STRANGERS)
async def test_something_else_at_the_address_is_told(project: Project, stranger: str) -> None:
    code = "try { print(await heliograph.listDevices()); } catch (error) { print(error.message); }"

    async def reply(_: object) -> bytes:
        return STRANGERS[stranger]

    async with receiving() as receiver:
        receiver.reply = reply
        error = await asked(receiver)
        url = f"http://127.0.0.1:{receiver.port}"
        [told] = await project.run(code, HELIOGRAPH_URL=url)
    assert error.detail == f"What answers at {url} is not the gateway's API: check base_url."
    assert f"What answers at {url} is not the gateway's API: check baseUrl." in told


@pytest.mark.parametrize(
    ("path", "named"),
    [("/dashboard", ""), ("/help", ""), ("/gateway", "/api/v1/devices")],
)
async def test_a_path_too_many_is_told_with_the_address(
    gateway: LiveGateway, project: Project, path: str, named: str
) -> None:
    wrong = f"{gateway.base_url}{path}"
    with Heliograph(wrong, gateway.demo.api_key) as client, pytest.raises(ApiError) as refused:
        await asyncio.to_thread(client.list_devices)
    code = "try { await heliograph.listDevices(); } catch (error) { print(error.detail); }"
    [told] = await project.run(code, HELIOGRAPH_URL=wrong)
    for sentence in (refused.value.detail, told):
        assert wrong + named in sentence


async def test_where_an_address_leads_on_is_told() -> None:
    async def reply(_: object) -> bytes:
        return answer(301, "location: https://gateway.example/api/v1/devices")

    async with receiving() as receiver:
        receiver.reply = reply
        error = await asked(receiver)
    assert "leads on to https://gateway.example" in error.detail


@for_each("parsed", [{"type": "message.read"}, [], None, 7])
def test_a_body_that_was_parsed_is_told(parsed: Any) -> None:
    with pytest.raises(TypeError, match="needs the raw body"):
        verify_webhook("whsec_eHh4", parsed, {})


async def test_typescript_tells_of_a_parsed_body_too(project: Project) -> None:
    code = """
    for (const body of [given, [], null, 7, Promise.resolve("{}")]) {
      await attempt(() => verifyWebhook("whsec_eHh4", body, {}));
    }
    """
    printed = await project.run(code, {"type": "message.read"})
    told = [(kind, said.partition(",")[0]) for kind, said in printed]
    assert told == [("TypeError", "verifyWebhook needs the raw body")] * 5


def test_ids_are_strings_or_uuids(gateway: LiveGateway) -> None:
    with Heliograph(gateway.base_url, gateway.demo.api_key) as client:
        sent = client.send_text(gateway.demo.contact_phone, "Hello")
        assert client.get_message(str(sent.message_id)).id == sent.message_id
        assert client.get_message(sent.message_id).id == sent.message_id
        [device] = client.list_devices().devices
        found = client.list_messages(chat_account_id=str(device.id), limit=1)
        assert found.messages
        phone = gateway.demo.contact_phone
        assert client.send_text(phone, "Hello", chat_account_id=str(device.id)).success
        with pytest.raises(ValueError, match="'seven' is not an id"):
            client.get_message("seven")


def test_ids_are_read_one_by_one_and_in_lists() -> None:
    one = UUID(int=7)
    assert read_id(str(one)) == read_id(one) == one
    assert read_ids([str(one), one]) == [one, one]
    assert read_id(None) is read_ids(None) is None


def test_a_files_id_may_be_a_string() -> None:
    one = UUID(int=7)
    assert ImageInput(media_id=str(one)).to_dict() == ImageInput(media_id=one).to_dict()
