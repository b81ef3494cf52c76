"""Servers that answer garbage, and stanzas that are too large: the account goes on."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from uuid import uuid4

from each_case import for_each
from heliograph.networks.port import Account, AccountStatus, Inbound, SessionState
from heliograph.networks.testing import Recorder
from heliograph.networks.xmpp.driver import XmppNetwork
from heliograph.networks.xmpp.stanzas import MAX_BODY_LENGTH, read_time
from xmpp_friend import Crowd
from xmpp_server import CROWD
from xmpp_world import Xmpp

pytest_plugins = ("xmpp_fixtures",)

STREAM = (
    b"<?xml version='1.0'?><stream:stream xmlns='jabber:client' id='1' version='1.0' "
    b"xmlns:stream='http://etherx.jabber.org/streams' from='xmpp.test'>"
)
BOMB = b"<?xml version='1.0'?><!DOCTYPE b [<!ENTITY a '" + b"a" * 1000 + b"'>]>" + STREAM[21:]


@contextlib.asynccontextmanager
async def server_that_says(*answers: bytes, heard: list[bytes] | None = None) -> AsyncIterator[int]:
    """Its port. It answers whatever it is sent with the next of these, and then no more; it notes
    what it has `heard`."""

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            for answer in answers:
                said = await reader.read(4096)
                if not said:
                    break
                if heard is not None:
                    heard.append(said)
                writer.write(answer)
                await writer.drain()
        with contextlib.suppress(OSError):
            await reader.read(4096)
        writer.transport.abort()

    server = await asyncio.start_server(talk, "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()


@for_each(
    "answers",
    [
        (b"220 mail.example.org ESMTP\r\n",),
        (b"\x00\xff" * 5000,),
        (STREAM + b"<stream:features><mechanisms",),
        (STREAM, b"</stream:stream>"),
        (BOMB, b"<stream:features/>"),
        (STREAM + b"<stream:features/>",),
        (STREAM + b"<message><body>no</message>",),
        (STREAM + b"<stream:error><host-unknown xmlns='urn:ietf:params:xml:ns:xmpp-streams'/>"
         b"</stream:error></stream:stream>",),
        (STREAM + b"<proceed xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>", b"not tls"),
    ],
)  # fmt: skip
async def test_a_server_that_answers_garbage_is_left_and_asked_again(
    answers: tuple[bytes, ...],
) -> None:
    async with server_that_says(*answers) as port:
        settings = {"jid": "desk@xmpp.test", "host": "127.0.0.1", "port": str(port)}
        account = Account(uuid4(), "Desk", settings, {"password": "secret"})
        session = await XmppNetwork(first_delay=0.02, open_timeout=1).connect(
            account, events := Recorder()
        )
        state = await events.status(AccountStatus.DISCONNECTED)
        assert state.reason
        assert "secret" not in state.reason
        await events.status(AccountStatus.CONNECTING)
        await session.close()
    assert AccountStatus.CONNECTED not in {state.status for state in events.all(SessionState)}


REFUSED = b"<failure xmlns='urn:ietf:params:xml:ns:xmpp-sasl'><not-authorized/></failure>"


async def test_a_refused_password_is_tried_by_the_next_hash_and_never_shown() -> None:
    offered = b"".join(
        b"<mechanism>%s</mechanism>" % name
        for name in (b"SCRAM-SHA3-512", b"SCRAM-SHA-256", b"SCRAM-SHA-1", b"PLAIN")
    )
    features = (
        b"<stream:features><mechanisms xmlns='urn:ietf:params:xml:ns:xmpp-sasl'>"
        + offered
        + b"</mechanisms></stream:features>"
    )
    heard: list[bytes] = []
    async with server_that_says(STREAM + features, REFUSED, REFUSED, b" ", heard=heard) as port:
        settings = {"jid": "desk@xmpp.test", "host": "127.0.0.1", "port": str(port)}
        account = Account(
            uuid4(), "Desk", {**settings, "plaintext": "true"}, {"password": "secret"}
        )
        session = await XmppNetwork(first_delay=0.02).connect(account, events := Recorder())
        await events.status(AccountStatus.LOGGED_OUT)
        await session.close()

    tried = [
        name
        for said in heard
        for name in (b"SCRAM-SHA-256", b"SCRAM-SHA-1", b"PLAIN")
        if b"'" + name + b"'" in said.replace(b'"', b"'")
    ]
    assert tried == [b"SCRAM-SHA-256", b"SCRAM-SHA-1"]


async def test_a_session_without_tls_and_without_a_log_in_is_none() -> None:
    """As somebody on the way could offer it, to hear what the account says."""
    async with server_that_binds_everybody() as port:
        settings = {"jid": "desk@xmpp.test", "host": "127.0.0.1", "port": str(port)}
        for account in (settings, {**settings, "plaintext": "true"}):
            network = XmppNetwork(first_delay=0.02)
            opened = Account(uuid4(), "Desk", account, {"password": "secret"})
            session = await network.connect(opened, events := Recorder())
            state = await events.status(AccountStatus.DISCONNECTED)
            assert state.reason is not None
            assert "TLS" in state.reason or "no session of its own" in state.reason
            await session.close()


@contextlib.asynccontextmanager
async def server_that_binds_everybody() -> AsyncIterator[int]:
    features = (
        b"<stream:features><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'/></stream:features>"
    )

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b">")
        writer.write(STREAM + features)
        asked = (await reader.readuntil(b"</iq>")).decode()
        answer = (
            f"<iq type='result' id='{asked.split('id=')[1][1:33]}'>"
            "<bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'><jid>desk@xmpp.test/heliograph</jid>"
            "</bind></iq>"
        )
        writer.write(answer.encode())
        with contextlib.suppress(OSError):
            await reader.read()
        writer.transport.abort()

    server = await asyncio.start_server(talk, "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()


async def test_a_stanza_of_ten_megabytes_is_cut_and_those_behind_it_are_whole(xmpp: Xmpp) -> None:
    one = await xmpp.connected()
    jid = one.account.settings["jid"]
    crowd = await Crowd(xmpp.server).come()
    crowd.say(f"big@{CROWD}", jid, "x" * 10 * 1024 * 1024)
    crowd.say(f"small@{CROWD}", jid, "and I?")

    big = await one.events.next(Inbound, sender_jid=f"big@{CROWD}")
    small = await one.events.next(Inbound, sender_jid=f"small@{CROWD}")

    assert big.content.summary == "x" * MAX_BODY_LENGTH
    assert small.content.summary == "and I?"
    assert xmpp.proxies[one.account.id].connections == 1
    await crowd.go()


async def test_a_server_that_names_another_host_is_not_followed_there(xmpp: Xmpp) -> None:
    """Before TLS anybody on the way can say so; the certificate would be asked of that host."""
    visits = 0

    def visit(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal visits
        visits += 1
        writer.transport.abort()

    elsewhere = await asyncio.start_server(visit, "127.0.0.1", 0)
    port = elsewhere.sockets[0].getsockname()[1]
    error = (
        "<stream:error><see-other-host xmlns='urn:ietf:params:xml:ns:xmpp-streams'>"
        f"127.0.0.1:{port}</see-other-host></stream:error></stream:stream>"
    )
    async with server_that_says(STREAM + error.encode()) as first:
        at = await xmpp.begin(await xmpp.account(port=str(first)))
        state = await at.events.status(AccountStatus.DISCONNECTED)
        await asyncio.sleep(0.5)
    elsewhere.close()
    assert state.reason is not None
    assert "see-other-host" in state.reason or "127.0.0.1" in state.reason
    assert visits == 0


@for_each(
    "stamp", ["0001-01-01T00:00:00+00:01", "0001-01-02T00:00:00Z", "9999-12-31T23:59:59-00:01", "x"]
)
def test_a_time_that_is_none_is_none(stamp: str) -> None:
    assert read_time(stamp) is None
