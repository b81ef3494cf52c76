"""When an account's connection tries again, and when it waits first."""

import asyncio
from collections.abc import Iterator, Sequence
from typing import cast
from uuid import uuid4

from heliograph.networks.errors import NetworkError
from heliograph.networks.port import AccountStatus, NetworkEvent, SessionState
from heliograph.networks.reporting import Reporter
from heliograph.networks.testing import Recorder
from heliograph.networks.xmpp.connection import Connection
from heliograph.networks.xmpp.stream import Stream
from heliograph.networks.xmpp.wire import SessionGoneError

AN_HOUR = 3600.0


class StreamOfTest:
    """Opens, or fails as it is told to."""

    def __init__(self, error: NetworkError | None = None) -> None:
        self._error = error
        self.can_resume = False
        self.is_open = False

    async def open(self) -> str:
        if self._error is not None:
            raise self._error
        self.is_open = True
        return "new"

    async def dropped(self) -> NetworkError:
        return cast(NetworkError, await asyncio.Event().wait())

    async def close(self) -> None:
        self.is_open = False

    def cut(self) -> None:
        self.is_open = False

    def retire(self) -> None:
        self.is_open = False


def connection(streams: Iterator[StreamOfTest], events: Recorder) -> Connection:
    async def begin(_: Stream) -> Sequence[NetworkEvent]:
        return []

    async def serve(_: Stream) -> None:
        return

    return Connection(
        Reporter(events, uuid4(), first_delay=AN_HOUR),
        first_delay=AN_HOUR,
        make=lambda: cast(Stream, next(streams)),
        begin=begin,
        serve=serve,
        end=lambda: None,
        identity=SessionState(AccountStatus.CONNECTED),
    )


async def test_a_server_that_has_forgotten_the_session_is_not_waited_for() -> None:
    streams = iter([StreamOfTest(SessionGoneError("gone")), StreamOfTest()])
    running = asyncio.create_task(connection(streams, events := Recorder()).run())

    await events.status(AccountStatus.CONNECTED)

    assert [state.status for state in events.all(SessionState)] == [AccountStatus.CONNECTED]
    running.cancel()


async def test_a_server_that_can_not_be_reached_is() -> None:
    streams = iter([StreamOfTest(NetworkError("down")), StreamOfTest()])
    running = asyncio.create_task(connection(streams, events := Recorder()).run())

    await events.status(AccountStatus.DISCONNECTED)

    assert isinstance(next(streams), StreamOfTest), "the second was not asked for"
    running.cancel()
