"""What is gathered, and written every so often."""

import asyncio
from collections.abc import Mapping

import pytest

from heliograph.errors import UnavailableError
from heliograph.platform.aio.periodic import PeriodicWriter, wait_until_set


class Written:
    def __init__(self, *, interval: float = 3600.0) -> None:
        self.batches: list[Mapping[str, int]] = []
        self.happened = asyncio.Event()
        self.failure: Exception | None = None
        self.writer: PeriodicWriter[str, int] = PeriodicWriter(
            self._write, interval=interval, chore="writing"
        )

    async def _write(self, values: Mapping[str, int]) -> None:
        self.happened.set()
        if self.failure is not None:
            raise self.failure
        self.batches.append(values)


async def test_the_newest_values_are_written_together_and_once() -> None:
    written = Written()
    for key, value in (("a", 1), ("b", 2), ("a", 3)):
        written.writer.record(key, value)
    await written.writer.flush()
    await written.writer.flush()
    assert written.batches == [{"a": 3, "b": 2}]


async def test_what_an_absent_database_did_not_take_waits_for_the_next_time() -> None:
    written = Written()
    written.writer.record("a", 1)
    written.writer.record("b", 1)
    written.failure = UnavailableError()
    with pytest.raises(UnavailableError):
        await written.writer.flush()
    written.failure = None
    written.writer.record("a", 2)
    await written.writer.flush()
    assert written.batches == [{"a": 2, "b": 1}]


async def test_what_can_never_be_written_is_let_go() -> None:
    written = Written()
    written.writer.record("a", 1)
    written.failure = ValueError("no")
    with pytest.raises(ValueError, match="no"):
        await written.writer.flush()
    written.failure = None
    await written.writer.flush()
    assert written.batches == []


async def test_a_failure_does_not_end_the_loop() -> None:
    written = Written(interval=0.001)
    running = asyncio.create_task(written.writer.run())
    written.failure = ValueError("no")
    written.writer.record("a", 1)
    await written.happened.wait()
    written.failure = None
    written.happened.clear()
    written.writer.record("a", 2)
    await written.happened.wait()
    assert written.batches == [{"a": 2}]
    running.cancel()


async def test_a_wait_ends_when_the_event_is_set_or_time_is_up() -> None:
    event = asyncio.Event()
    assert not await wait_until_set(event, 0.001)
    event.set()
    assert await wait_until_set(event, 60)
