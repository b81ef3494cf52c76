"""Notifications between processes: waiting loops are woken as soon as they have work.

A topic is a short word such as `messages:<account id>`. Subscribers in the same process are called
directly. Other processes are told by NOTIFY: the first topic is sent at once, and those that follow
within 10 ms are sent together. A notification can be lost with its connection, so every subscriber
also polls: for work once a second, for changed accounts at the interval of health checks.
"""

import asyncio
import time
from collections import defaultdict
from collections.abc import Callable, Collection
from contextlib import suppress
from typing import Any
from uuid import uuid4

import asyncpg
import structlog

from heliograph.platform.database.failover import Hosts
from heliograph.platform.database.pool import is_connection_failure

CHANNEL = "heliograph"
MERGE_WINDOW = 0.01
LAST_TIMEOUT = 2.0
"""Seconds allowed for a process's last notifications when it ends. Most are a command's only ones,
and are not sent again."""
_MAX_PAYLOAD = 7000
_RECONNECT_PAUSE = 0.5

log = structlog.get_logger()


class Notifications:
    """The LISTEN connection of a process, and the subscriptions of its loops."""

    def __init__(self, url: str, *, connect_timeout: float = 2.0) -> None:
        self._hosts = Hosts(url)
        self._connect_timeout = connect_timeout
        self._origin = uuid4().hex[:12]
        self._subscribers: dict[str, set[Callable[[], None]]] = defaultdict(set)
        self._pending: set[str] = set()
        self._wake_sender = asyncio.Event()
        self._sent = asyncio.Event()
        self._sent.set()
        self._tasks: list[asyncio.Task[None]] = []
        self._connected = asyncio.Event()

    async def start(self) -> None:
        self._tasks = [asyncio.create_task(self._run())]
        with suppress(TimeoutError):
            async with asyncio.timeout(self._connect_timeout):
                await self._connected.wait()

    async def stop(self) -> None:
        """Send waiting notifications, then disconnect."""
        with suppress(TimeoutError):
            async with asyncio.timeout(LAST_TIMEOUT):
                await self._sent.wait()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    @property
    def is_connected(self) -> bool:
        return self._connected.is_set()

    def subscribe(self, topic: str, callback: Callable[[], None]) -> Callable[[], None]:
        """Call `callback` for each notification of `topic`. Returns a function that ends the
        subscription."""
        self._subscribers[topic].add(callback)

        def unsubscribe() -> None:
            self._subscribers[topic].discard(callback)
            if not self._subscribers[topic]:
                self._subscribers.pop(topic, None)

        return unsubscribe

    def notify(self, *topics: str) -> None:
        """Call the topics' subscribers, here at once and elsewhere by NOTIFY."""
        self.notify_here(*topics)
        self._notify_others(topics)

    def notify_here(self, *topics: str) -> None:
        """Call the topics' subscribers in this process only; others poll."""
        for topic in topics:
            self._wake(topic)

    def notify_owner(self, *topics: str) -> None:
        """Call each topic's only subscriber: directly if it is in this process, else by NOTIFY.

        If the local one has just lost its lease, the new owner finds the work by polling.
        """
        self.notify_here(*topics)
        self._notify_others([topic for topic in topics if topic not in self._subscribers])

    def _notify_others(self, topics: Collection[str]) -> None:
        if topics:
            self._pending.update(topics)
            self._sent.clear()
            self._wake_sender.set()

    def _wake(self, topic: str) -> None:
        for callback in tuple(self._subscribers.get(topic, ())):
            callback()

    async def _run(self) -> None:
        while True:
            try:
                await self._converse()
            except Exception as error:
                if not (is_connection_failure(error) or isinstance(error, TimeoutError)):
                    log.exception("notifications failed")
            self._connected.clear()
            await asyncio.sleep(_RECONNECT_PAUSE)

    async def _converse(self) -> None:
        connection = await self._hosts.connect(
            timeout=self._connect_timeout,
            command_timeout=5,
            server_settings={"application_name": "heliograph notifications"},
        )
        lost = asyncio.Event()

        def hang_up(_connection: Any) -> None:
            lost.set()
            self._wake_sender.set()

        connection.add_termination_listener(hang_up)
        try:
            await connection.add_listener(CHANNEL, self._handle)
            self._connected.set()
            for topic in tuple(self._subscribers):  # notifications may have been missed meanwhile
                self._wake(topic)
            while not lost.is_set():
                await self._send_next(connection)
        finally:
            connection.terminate()

    async def _send_next(self, connection: "asyncpg.Connection[Any]") -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(30):
                await self._wake_sender.wait()
        self._wake_sender.clear()
        if not self._pending:
            await connection.fetchval("SELECT 1")
            return
        began = time.monotonic()
        topics, self._pending = self._pending, set()
        try:
            for payload in _payloads(self._origin, sorted(topics)):
                await connection.execute("SELECT pg_notify($1, $2)", CHANNEL, payload)
        except BaseException:
            self._pending |= topics
            self._wake_sender.set()
            raise
        if not self._pending:
            self._sent.set()
        await asyncio.sleep(max(0.0, MERGE_WINDOW - (time.monotonic() - began)))

    def _handle(self, _connection: Any, _pid: int, _channel: str, payload: object) -> None:
        origin, *topics = str(payload).split(" ")
        if origin != self._origin:
            for topic in topics:
                self._wake(topic)


def _payloads(origin: str, topics: list[str]) -> list[str]:
    """Combine the topics into as few payloads as NOTIFY's limit (8,000 bytes) allows."""
    payloads, current = [], origin
    for topic in topics:
        if len(current) + len(topic) + 1 > _MAX_PAYLOAD:
            payloads.append(current)
            current = origin
        current += " " + topic
    return [*payloads, current]
