"""What a server of another make than Prosody does otherwise: ejabberd, as Debian has it."""

import asyncio
import xml.etree.ElementTree as ET
from collections.abc import AsyncIterator
from typing import Any

import pytest
from msgspec.structs import replace

from ejabberd_server import EjabberdServer
from heliograph.networks.content import Text
from heliograph.networks.port import Account, AccountStatus, GroupSeen, Inbound
from heliograph.networks.testing import Connected
from heliograph.networks.xmpp.bookmarks import NODE, PUBSUB_OWNER
from heliograph.networks.xmpp.rooms import MUC_OWNER
from heliograph.networks.xmpp.stanzas import DATA, PUBSUB
from heliograph.networks.xmpp.stream import Stream
from xmpp_world import Xmpp, session_of, xmpp_world

pytest_plugins = ("xmpp_fixtures",)
pytestmark = pytest.mark.extra_fault


@pytest.fixture
async def world(ejabberd: EjabberdServer) -> AsyncIterator[Xmpp]:
    async with xmpp_world(ejabberd) as found:
        yield found


async def group_of(world: Xmpp, at: Connected, subject: str) -> GroupSeen:
    return await session_of(at).create_group(subject, [world.address(world.person)])


def values_of(form: Any) -> dict[str, str]:
    return {
        field.get("var", ""): field.findtext(f"{DATA}value") or ""
        for field in form.iter(f"{DATA}field")
    }


async def test_a_group_is_as_closed_as_the_servers_form_allows(world: Xmpp) -> None:
    one = await world.connected()
    group = await group_of(world, one, "Chess club")
    laptop = await world.laptop(one)

    answer = await laptop.ask("get", ET.Element(f"{MUC_OWNER}query"), group.remote_jid)

    values = values_of(answer.xml)
    assert values["muc#roomconfig_roomname"] == "Chess club"
    assert values["muc#roomconfig_whois"] == "anyone"
    for yes in ("persistentroom", "membersonly"):
        assert values[f"muc#roomconfig_{yes}"] == "1"
    assert values["muc#roomconfig_publicroom"] == "0"
    assert values["mam"] == "1"


async def test_what_was_said_in_a_group_meanwhile_is_read_from_its_archive(world: Xmpp) -> None:
    one = await world.connected()
    group = await group_of(world, one, "Chess club")
    await one.session.close()
    for text in ("Saturday?", "Sunday!"):
        await world.say(one, world.person, text, group.remote_jid)

    later = await world.connected(replace(one.account, cursors={}))

    for text in ("Saturday?", "Sunday!"):
        heard = await later.events.next(Inbound, content=Text(text))
        assert heard.chat_jid == group.remote_jid


async def test_groups_are_on_the_accounts_list_which_nobody_else_sees(world: Xmpp) -> None:
    one = await world.connected()
    groups = [await group_of(world, one, subject) for subject in ("Choir", "Chess club")]
    laptop = await world.laptop(one)

    pubsub = ET.Element(f"{PUBSUB}pubsub")
    ET.SubElement(pubsub, f"{PUBSUB}items", {"node": NODE})
    listed = (await laptop.ask("get", pubsub)).xml
    owned = ET.Element(f"{PUBSUB_OWNER}pubsub")
    ET.SubElement(owned, f"{PUBSUB_OWNER}configure", {"node": NODE})
    configured = values_of((await laptop.ask("get", owned)).xml)

    assert {item.get("id") for item in listed.iter(f"{PUBSUB}item")} == {
        group.remote_jid for group in groups
    }
    assert configured["pubsub#access_model"] == "whitelist"
    assert configured["pubsub#persist_items"] in ("1", "true")


async def test_a_wrong_password_is_told_and_never_shown(
    world: Xmpp, ejabberd: EjabberdServer
) -> None:
    account = await world.account()
    wrong: Account = replace(account, secrets={"password": "not this"})
    at = await world.begin(wrong)

    await at.events.status(AccountStatus.LOGGED_OUT)

    jid = account.settings["jid"]
    for _ in range(1200):
        if f"SCRAM-SHA-1 authentication for {jid}" in ejabberd.log:
            break
        await asyncio.sleep(0.05)
    else:
        pytest.fail("the server has seen no log-in")
    assert f"PLAIN authentication for {jid}" not in ejabberd.log


async def test_who_has_taken_a_message_is_written_to_without_waiting_for_more(
    world: Xmpp, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = await world.connected()
    pinged_after: list[int] = []
    ping = Stream.ping

    async def noted(self: Stream) -> None:
        pinged_after.append(n)
        await ping(self)

    monkeypatch.setattr(Stream, "ping", noted)
    for n in range(3):
        await one.send(world.person, f"number {n}")
    assert pinged_after == [0]
    texts = [Text(f"number {n}") for n in range(3)]
    assert await world.shown(one, world.person) == texts


async def test_messages_to_many_new_addresses_go_out_at_once(world: Xmpp) -> None:
    one = await world.connected()
    people = [world.server.add_person(f"4930999{n:05d}") for n in range(20)]

    sent = await asyncio.gather(*(one.send(person, "hello") for person in people))

    assert {answer.remote_jid for _, answer in sent} == set(people)
