"""Servers that answer garbage, and stanzas that are too large: the account goes on."""

import asyncio
import contextlib
import re
from collections.abc import AsyncIterator, Awaitable, Callable
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


def server_that_says(
    *answers: bytes, heard: list[bytes] | None = None
) -> contextlib.AbstractAsyncContextManager[int]:
    """Its port. It answers whatever it is sent with the next of these, and then no more; it notes
    what it has `heard`."""

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for answer in answers:
            said = await reader.read(4096)
            if not said:
                break
            if heard is not None:
                heard.append(said)
            writer.write(answer)
            await writer.drain()

    return serving(talk)


@contextlib.asynccontextmanager
async def serving(
    talk: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]],
) -> AsyncIterator[int]:
    """The port of a server that talks like this, then waits for another word and hangs up."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            await talk(reader, writer)
        with contextlib.suppress(OSError):
            await reader.read(4096)
        writer.transport.abort()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()


def account_at(port: int, **more: str) -> Account:
    settings = {"jid": "desk@xmpp.test", "host": "127.0.0.1", "port": str(port)}
    return Account(uuid4(), "Desk", settings | more, {"password": "secret"})


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
    ]
)  # fmt: skip
async def test_a_server_that_answers_garbage_is_left_and_asked_again(
    answers: tuple[bytes, ...],
) -> None:
    async with server_that_says(*answers) as port:
        network, events = XmppNetwork(first_delay=0.02, open_timeout=1), Recorder()
        session = await network.connect(account_at(port), events)
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
        network, events = XmppNetwork(first_delay=0.02), Recorder()
        session = await network.connect(account_at(port, plaintext="true"), events)
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
        for account in (account_at(port), account_at(port, plaintext="true")):
            network, events = XmppNetwork(first_delay=0.02), Recorder()
            session = await network.connect(account, events)
            state = await events.status(AccountStatus.DISCONNECTED)
            assert re.search("TLS|no session of its own", state.reason or "")
            await session.close()


def server_that_binds_everybody() -> contextlib.AbstractAsyncContextManager[int]:
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

    return serving(talk)


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
    assert re.search("see-other-host|127.0.0.1", state.reason or "")
    assert visits == 0


@for_each(
    "stamp", ["0001-01-01T00:00:00+00:01", "0001-01-02T00:00:00Z", "9999-12-31T23:59:59-00:01", "x"]
)
def test_a_time_that_is_none_is_none(stamp: str) -> None:
    assert read_time(stamp) is None
