"""Logging in: what is refused and why, what is tried again, and what is not."""

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, cast

import pytest
from msgspec.structs import replace

from heliograph.networks.errors import LoggedOutError, NetworkError, NotConnectedError
from heliograph.networks.port import AccountStatus, Inbound, NetworkContext, SessionState
from heliograph.networks.xmpp import connection as line
from heliograph.networks.xmpp import session
from heliograph.networks.xmpp import stream as stream_module
from heliograph.networks.xmpp.options import Options, read_options, trust
from heliograph.networks.xmpp.stream import Stream
from prosody_server import ProsodyServer, running_prosody
from waiting import until
from xmpp_friend import Friend
from xmpp_server import DOMAIN
from xmpp_world import Xmpp, xmpp_world

pytest_plugins = ("xmpp_fixtures",)

PEM = "-----BEGIN CERTIFICATE-----{}-----END CERTIFICATE-----"


@pytest.fixture(scope="module")
def open_prosody() -> Iterator[ProsodyServer]:
    """A server that takes log-ins without TLS."""
    with running_prosody(tls=False) as server:
        yield server


async def test_a_wrong_password_logs_out_with_the_reason_and_is_not_tried_again(xmpp: Xmpp) -> None:
    account = replace(await xmpp.account(), secrets={"password": "wrong"})
    at = await xmpp.begin(account)

    state = await at.events.status(AccountStatus.LOGGED_OUT)
    assert "address or the password" in (state.reason or "")
    with pytest.raises(LoggedOutError):
        await at.session.ping()
    await asyncio.sleep(0.5)  # ten times the wait before a second try
    assert xmpp.proxies[account.id].connections == 1


async def test_a_password_that_was_mended_lets_the_account_in(xmpp: Xmpp) -> None:
    account = await xmpp.account()
    at = await xmpp.begin(replace(account, secrets={"password": "wrong"}))
    await at.events.status(AccountStatus.LOGGED_OUT)

    assert await xmpp.connected(account)


async def test_a_certificate_that_nobody_vouches_for_is_refused(xmpp: Xmpp) -> None:
    account = await xmpp.account(ca="")
    at = await xmpp.begin(account)

    state = await at.events.status(AccountStatus.DISCONNECTED)
    assert "certificate is not trusted" in (state.reason or "")
    await at.events.status(AccountStatus.CONNECTING)  # it may be mended on the server's side
    assert at.events.all(SessionState)[0].status is AccountStatus.DISCONNECTED


async def test_a_certificate_for_another_name_is_refused(xmpp: Xmpp) -> None:
    jid = xmpp.server.add_person("misdirected").replace(DOMAIN, f"other.{DOMAIN}")
    at = await xmpp.begin(await xmpp.account(jid=jid))

    state = await at.events.status(AccountStatus.DISCONNECTED)
    assert state.reason is not None


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"ca": "/etc/ssl/certs/ca-certificates.crt"}, "not a certificate in PEM"),
        ({"ca": PEM.format("AAAA")}, "not a certificate in PEM"),
        ({"ca": PEM.format("!")}, "not a certificate in PEM"),
        ({"port": "70000"}, "port"),
        ({"jid": "desk\ue000@xmpp.test"}, "is not a JID that XMPP allows"),
    ],
)
async def test_what_no_account_can_be_opened_with_is_told(
    xmpp: Xmpp, settings: dict[str, str], reason: str
) -> None:
    with pytest.raises(NetworkError, match=reason):
        await xmpp.begin(await xmpp.account(**settings))


async def test_a_certificate_pasted_into_one_line_is_one(xmpp: Xmpp) -> None:
    account = await xmpp.account()
    on_one_line = account.settings["ca"].replace("\n", " ")
    assert await xmpp.connected(replace(account, settings={**account.settings, "ca": on_one_line}))


async def test_a_server_where_nobody_may_lead_the_gateway_is_not_dialled(
    prosody: ProsodyServer,
) -> None:
    async with xmpp_world(prosody) as world:
        world.network.start(strict_context())
        at = await world.begin()
        state = await at.events.status(AccountStatus.DISCONNECTED)
    assert "127.0.0.1, a private address: not allowed here" in (state.reason or "")


async def test_an_address_that_fails_is_forgotten_when_the_next_one_works(
    xmpp: Xmpp, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def first_one_where_nobody_is(_stream: Stream, host: str, _port: int) -> list[str]:
        return ["127.0.0.2", host]

    monkeypatch.setattr(Stream, "_addresses_of", first_one_where_nobody_is)
    assert await xmpp.connected()


def strict_context() -> NetworkContext:
    """Of a gateway that lets customers lead it to public addresses alone."""
    return NetworkContext(
        pool=cast("Any", None),
        now=lambda: datetime.now(UTC),
        notify=lambda _: None,
        subscribe=lambda _topic, _call: lambda: None,
        why_refused=lambda _: "a private address",
    )


async def test_without_tls_nothing_secret_is_said(open_prosody: ProsodyServer) -> None:
    async with xmpp_world(open_prosody) as world:
        at = await world.begin(await world.account())
        state = await at.events.status(AccountStatus.DISCONNECTED)

    assert "no log-in that may be used" in (state.reason or "")


async def test_plaintext_has_to_be_asked_for(open_prosody: ProsodyServer) -> None:
    async with xmpp_world(open_prosody) as world:
        at = await world.begin(await world.account(plaintext="true"))
        await at.events.status(AccountStatus.CONNECTED)
        await at.session.ping()


async def test_a_server_that_is_not_there_is_asked_again(xmpp: Xmpp) -> None:
    account = await xmpp.account()
    proxy = xmpp.proxies[account.id]
    proxy.is_closed = True
    at = await xmpp.begin(account)

    state = await at.events.status(AccountStatus.DISCONNECTED)
    assert state.reason
    with pytest.raises(NetworkError):
        await at.session.ping()
    proxy.is_closed = False
    await at.events.status(AccountStatus.CONNECTED)


async def test_a_newer_connection_is_not_fought_over(
    xmpp: Xmpp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(line, "TAKE_OVER", 0.0)
    one = await xmpp.connected()
    newer = Friend(xmpp.server, one.account.settings["jid"], "heliograph")
    await newer.come()

    state = await one.events.status(AccountStatus.DISCONNECTED)
    assert "Another connection of this account" in (state.reason or "")
    await asyncio.sleep(0.5)  # ten times the wait before it would have come back
    assert xmpp.proxies[one.account.id].connections == 1
    await newer.synchronize()
    await newer.go()


async def test_who_is_replaced_soon_after_a_take_over_comes_back_once(xmpp: Xmpp) -> None:
    """A node that lost the account while it dialed is there late, and only once."""
    one = await xmpp.connected()
    jid = one.account.settings["jid"]
    late = await Friend(xmpp.server, jid, "heliograph").come()
    await one.events.status(AccountStatus.DISCONNECTED)
    await one.events.status(AccountStatus.CONNECTED)
    newer = await Friend(xmpp.server, jid, "heliograph").come()

    await one.events.status(AccountStatus.DISCONNECTED)
    with pytest.raises(NotConnectedError, match="Another connection"):
        await one.session.ping()
    assert xmpp.proxies[one.account.id].connections == 2
    await newer.synchronize()
    await newer.go()
    await late.go()


async def test_a_changed_password_logs_out(xmpp: Xmpp, prosody: ProsodyServer) -> None:
    one = await xmpp.connected()
    jid = one.account.settings["jid"]
    await asyncio.to_thread(prosody.shell, f'user:password("{jid}", "another")')

    state = await one.events.status(AccountStatus.LOGGED_OUT)
    assert state.reason


async def test_a_connection_that_says_nothing_is_told_by_a_ping(xmpp: Xmpp) -> None:
    one = await xmpp.connected()
    xmpp.proxies[one.account.id].hold_answers()
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.3):
            await one.session.ping()


async def test_a_domain_without_srv_records_is_reached_by_starttls() -> None:
    options = read_options({"jid": "desk@127.0.0.1"}, {"password": "secret"})

    assert await stream_of(options).get_dns_records("127.0.0.1") == [
        ("xmpp-client", "127.0.0.1", "127.0.0.1", 5222)
    ]


async def test_a_connection_that_breaks_while_it_begins_is_begun_anew(xmpp: Xmpp) -> None:
    account = await xmpp.account()
    proxy = xmpp.proxies[account.id]
    at = await xmpp.begin(account)
    for _ in range(7):  # each may double the wait for the next try
        await asyncio.sleep(0.03)
        proxy.cut()

    await at.events.status(AccountStatus.CONNECTED)
    while at.events.all(SessionState)[-1].status is not AccountStatus.CONNECTED:
        await at.events.status(AccountStatus.CONNECTED)
    await xmpp.say(at, xmpp.person, "can you hear me?")
    await at.events.next(Inbound)


# --- nothing stays open that nobody needs ---


def stream_of(options: Options) -> Stream:
    """One over which nothing comes, and which may dial every address."""

    def ignore(*_: object) -> None: ...

    return Stream(options, trust(options.ca), lambda _: None, ignore, ignore, ignore)


async def test_a_session_that_is_over_is_not_opened_again(xmpp: Xmpp) -> None:
    account = await xmpp.account()
    stream = stream_of(read_options(account.settings, account.secrets))
    await stream.close()

    with pytest.raises(NotConnectedError):
        await stream.open()
    assert xmpp.proxies[account.id].connections == 0


async def test_a_connection_that_comes_about_too_late_is_closed(xmpp: Xmpp) -> None:
    account = await xmpp.account()
    stream = stream_of(read_options(account.settings, account.secrets))
    opening = asyncio.create_task(stream.open())
    await asyncio.sleep(0)  # it dials
    stream.retire()

    with pytest.raises(NetworkError, match="connection was lost"):
        await opening
    await until(lambda: xmpp.proxies[account.id].open_connections == 0)


async def test_an_account_that_logs_out_is_not_connected_again(xmpp: Xmpp) -> None:
    one = await xmpp.connected()
    await one.session.log_out()

    told = [state.status for state in one.events.all(SessionState)]
    assert told == [AccountStatus.CONNECTED, AccountStatus.LOGGED_OUT]
    await one.session.close()
    await until(lambda: xmpp.proxies[one.account.id].open_connections == 0)
    assert xmpp.proxies[one.account.id].connections == 1


async def test_a_session_that_fails_while_it_begins_leaves_no_connection_behind(
    xmpp: Xmpp, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever it is that nobody has thought of."""
    failures = [ValueError("what nobody has thought of")]
    begun = session._features

    async def fail_once(stream: Stream, own_jid: str) -> set[str]:
        if failures:
            raise failures.pop()
        return await begun(stream, own_jid)

    monkeypatch.setattr(session, "_features", fail_once)
    one = await xmpp.connected()

    await until(lambda: xmpp.proxies[one.account.id].open_connections == 1)
    assert xmpp.proxies[one.account.id].connections == 2


async def test_a_blank_keeps_the_way_open_also_after_a_connection_was_resumed(
    xmpp: Xmpp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stream_module, "KEEP_ALIVE", 0.02)
    blanks = 0
    send = Stream.send_raw

    def count(self: Stream, data: str | bytes) -> None:
        nonlocal blanks
        blanks += data == " "
        send(self, data)

    monkeypatch.setattr(Stream, "send_raw", count)
    one = await xmpp.connected()
    await until(lambda: blanks > 2)
    await xmpp.cut(one)
    await one.events.status(AccountStatus.DISCONNECTED)
    await one.events.status(AccountStatus.CONNECTED)
    blanks = 0
    await until(lambda: blanks > 2)
