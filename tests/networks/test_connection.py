"""Sessions of one connection: what the conformance suite of the example does not show."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime
from functools import partial
from typing import Any
from uuid import uuid4

import pytest
from structlog.testing import capture_logs

from each_case import for_each
from heliograph.networks import connection
from heliograph.networks.connection import MAX_LINE_LENGTH, dial, stay_connected
from heliograph.networks.content import Text
from heliograph.networks.errors import (
    LeaseLostError,
    LoggedOutError,
    NetworkError,
    NoAnswerError,
    NotConnectedError,
)
from heliograph.networks.port import (
    AccountStatus,
    Changed,
    ContactSeen,
    GroupSeen,
    Inbound,
    Receipt,
    Sent,
    Session,
    SessionState,
)
from heliograph.networks.reporting import Reporter
from heliograph.networks.testing import Connected, Recorder
from office import Office, Station
from telegraph import TelegraphSession
from test_telegraph import Telegraph


@pytest.fixture
def office() -> Office:
    return Office()


@pytest.fixture
async def one(office: Office) -> AsyncIterator[Connected]:
    telegraph = Telegraph(office, await office.open())
    yield await telegraph.connected()
    for at in telegraph.opened:
        await at.session.close()
    office.close()


def session_of(one: Connected) -> TelegraphSession:
    assert isinstance(one.session, TelegraphSession)
    return one.session


def station_of(office: Office) -> Station:
    [station] = office.stations.values()
    return station


async def test_a_request_whose_connection_is_lost_may_have_been_done(one: Connected) -> None:
    session = session_of(one)
    asking = asyncio.create_task(session.ask({"do": "ack", "upto": 0}))  # it is not answered
    await asyncio.sleep(0)
    session.hang_up()

    with pytest.raises(NoAnswerError) as lost:
        await asking
    assert not lost.value.certain
    await one.events.status(AccountStatus.DISCONNECTED)


async def test_what_a_driver_fails_at_is_logged_and_tried_again(one: Connected) -> None:
    session = session_of(one)

    def stumble(number: int) -> None:
        del session.acknowledge  # the next time it works
        raise KeyError(number)

    session.acknowledge = stumble  # type: ignore[method-assign]
    await one.send("15550100001", "delivered")  # its receipt is to be acknowledged

    dropped = await one.events.status(AccountStatus.DISCONNECTED)
    assert "gateway failed" in (dropped.reason or "")
    await one.events.status(AccountStatus.CONNECTED)
    await session.ping()


@pytest.mark.parametrize(("steady", "attempts"), [(60.0, [0, 1, 2]), (-1.0, [0, 0, 0])])
async def test_who_is_dropped_at_once_comes_back_later_each_time(
    monkeypatch: pytest.MonkeyPatch, steady: float, attempts: list[int]
) -> None:
    """A connection that has held for some seconds begins the count anew."""
    ends = [NetworkError("The network hung up.")] * 3 + [LoggedOutError("That was all.")]
    waited: list[int] = []
    events = Recorder()
    reporter = Reporter(events, uuid4(), first_delay=0.01)

    async def connect() -> None:
        await reporter.report(SessionState(AccountStatus.CONNECTED))
        raise ends.pop(0)

    def no_wait(attempt: int, first: float, longest: float) -> float:
        waited.append(attempt)
        return 0.0

    monkeypatch.setattr(connection, "STEADY", steady)
    monkeypatch.setattr(connection, "backoff", no_wait)
    error = await stay_connected(connect, reporter, 0.01)

    assert (type(error), waited) == (LoggedOutError, attempts)
    assert events.events[1:3] == [
        SessionState(AccountStatus.DISCONNECTED, "The network hung up."),
        SessionState(AccountStatus.CONNECTING, "The network hung up."),
    ]


async def test_an_event_without_a_number_leaves_those_before_it_acknowledged(
    one: Connected,
) -> None:
    session, acknowledged = session_of(one), list[int]()
    session.acknowledge = acknowledged.append  # type: ignore[assignment,method-assign]
    seen = [ContactSeen(f"{n}@telegraph") for n in range(4)]
    for event, number in zip(seen, (3, 4, 0, 0), strict=True):
        await session.arrived(event, number)  # the gateway takes them as one batch
    await one.events.next(ContactSeen, remote_jid="3@telegraph")
    await session.arrived(ContactSeen("alone@telegraph"))
    await one.events.next(ContactSeen, remote_jid="alone@telegraph")
    await session.ping()

    assert acknowledged == [4]


async def test_a_session_that_is_over_asks_nothing_more(one: Connected) -> None:
    one.events.refusing = LeaseLostError()
    await one.send("15550100001", "its receipt is refused")
    await one.events.refusal()

    with pytest.raises(NotConnectedError):
        await ping_until_refused(one.session)


async def ping_until_refused(session: Session) -> None:
    while True:
        with contextlib.suppress(NoAnswerError):  # it was asked while it was ending
            await session.ping()


async def test_addresses_are_judged_before_they_are_dialled() -> None:
    judged: list[str] = []

    def why_refused(address: str) -> str:
        judged.append(address)
        return "a loopback address"

    with pytest.raises(NetworkError, match=r"at 127\.0\.0\.1, a loopback address: not allowed"):
        await dial("127.0.0.1", 9, why_refused)
    assert judged == ["127.0.0.1"]


async def test_a_host_that_nobody_has_can_not_be_found() -> None:
    with pytest.raises(NetworkError, match="can't be found"):
        await dial("nobody.invalid", 9, allow)


async def test_a_port_that_nobody_listens_on_can_not_be_reached() -> None:
    office = Office()
    port = await office.open()
    office.close()

    with pytest.raises(NetworkError, match="can't be reached"):
        await dial("127.0.0.1", port, allow)


@for_each("port", [0, "99999", "7070.5", "nan", "9" * 5000])
async def test_what_is_no_port_is_refused_in_a_sentence(port: int | str) -> None:
    with pytest.raises(NetworkError, match="ports are 1 to 65535") as refused:
        await dial("127.0.0.1", port, allow)
    assert len(refused.value.reason) < 100


async def test_a_line_that_is_too_long_is_dropped_and_logged_once(
    one: Connected, office: Office
) -> None:
    station = station_of(office)
    for size in (MAX_LINE_LENGTH, 5 * MAX_LINE_LENGTH):  # with its end read already, and without
        station.post("message", "15550100001@telegraph", id="long", text="x" * size)
    station.post("message", "15550100001@telegraph", id="next", text="x" * 100_000)

    with capture_logs() as logs:
        inbound = await one.events.next(Inbound)
    assert inbound.chat_message_id == "next"
    assert [status.status for status in one.events.all(SessionState)] == [AccountStatus.CONNECTED]
    assert [entry["event"] for entry in logs] == ["line_too_long"] * 2
    await one.session.ping()
    assert station.waiting == []  # they don't come again


@pytest.mark.parametrize(
    "said",
    [
        b"{",
        b"[]",
        b"[" * 100_000,
        b'{"event": "message", "number": 1, "chat": "1@telegraph", "id": "a", "text": "no time"}',
    ],
)
async def test_what_the_network_says_wrong_is_not_blamed_on_the_gateway(
    one: Connected, office: Office, said: bytes
) -> None:
    writer = station_of(office).writer
    assert writer is not None
    writer.write(said + b"\n")

    dropped = await one.events.status(AccountStatus.DISCONNECTED)
    assert "The network sent something that can't be read" in (dropped.reason or "")
    await one.events.status(AccountStatus.CONNECTED)


async def test_a_question_waits_as_long_as_who_asks_it(
    one: Connected, monkeypatch: pytest.MonkeyPatch
) -> None:
    session, loop = session_of(one), asyncio.get_running_loop()
    monkeypatch.setattr(connection, "ANSWER_TIMEOUT", 0.05)
    session.write = lambda number, _: loop.call_later(0.2, session.answered, number, {})  # type: ignore[assignment,method-assign]
    with pytest.raises(NoAnswerError):
        await session.request({"method": "log_in"})
    assert await session.ask({"method": "ping"}) == {}


async def test_a_message_whose_answer_can_not_be_read_may_have_gone_out(one: Connected) -> None:
    session = session_of(one)
    session.write = partial(answer_wrongly, session)  # type: ignore[method-assign]

    with pytest.raises(NetworkError, match="can't be read") as wrong:
        await one.send("15550100001", "hello?")
    assert not wrong.value.certain


def answer_wrongly(session: TelegraphSession, number: int, request: object) -> None:
    session.answered(number, {"at": "yesterday"})


def allow(address: str) -> Any:
    return None


async def test_what_the_network_has_invented_since_stops_nothing(
    one: Connected, office: Office
) -> None:
    station = station_of(office)
    station.post("weather", "1@telegraph", id="w")
    await one.send("15550100001", "and on it goes")

    receipt = await one.events.next(Receipt)
    assert receipt.kind == "delivered"
    assert AccountStatus.DISCONNECTED not in [
        event.status for event in one.events.events if isinstance(event, SessionState)
    ]


@for_each(
    "make",
    [
        lambda at: Sent("1@telegraph", at),
        lambda at: Receipt("1@telegraph", "1", "read", at),
        lambda at: Inbound("1@telegraph", "1@telegraph", "1", Text("Hello"), at),
        lambda at: Changed("deleted", "1@telegraph", "1@telegraph", "c", "1", "1@telegraph", at),
        lambda at: GroupSeen("g@telegraph", "Trip", created_at=at),
    ],
)
def test_a_time_without_a_zone_is_refused_where_it_is_told(
    make: Callable[[datetime], object],
) -> None:
    assert make(datetime(2026, 1, 1, tzinfo=UTC))
    with pytest.raises(ValueError, match="The time 2026-01-01 00:00:00 has no zone"):
        make(datetime(2026, 1, 1))  # noqa: DTZ001  # as the mistake is made
