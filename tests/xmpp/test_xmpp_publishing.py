"""What came, on its way to the gateway."""

import asyncio
from collections.abc import Callable
from uuid import uuid4

import pytest

from heliograph.networks.port import Cursor
from heliograph.networks.reporting import Reporter
from heliograph.networks.testing import Recorder
from heliograph.networks.xmpp.publishing import FULL, Feed, Item, Publisher


def publisher_to(events: Recorder, full: Callable[[bool], None] = lambda _: None) -> Publisher:
    reporter = Reporter(events, uuid4(), first_delay=0.01)
    return Publisher(reporter, stored=lambda _: None, full=full, lost=lambda: None)


async def test_a_connection_that_is_new_is_held_back_like_the_one_before() -> None:
    held_back: list[bool] = []
    publisher = publisher_to(Recorder(), full=held_back.append)
    for n in range(FULL + 2):
        publisher.put(Item(cursor=Cursor("", str(n))))
    assert held_back == [True, True]

    running = asyncio.create_task(publisher.run())
    await publisher.drained()
    assert held_back[-1] is False
    running.cancel()


async def test_what_has_to_be_finished_keeps_its_place_and_holds_up_nothing_before_it() -> None:
    events, fetched = Recorder(), asyncio.Event()
    publisher = publisher_to(events)

    async def finish() -> tuple[Cursor, ...]:
        await fetched.wait()
        return (Cursor("file", "2"),)

    async def fail() -> tuple[Cursor, ...]:
        raise RuntimeError

    publisher.put(Item((Cursor("a", "1"),)))
    publisher.put(Item(finish=finish))
    publisher.put(Item((Cursor("without", "3"),), finish=fail))
    publisher.put(Item((Cursor("b", "4"),)))
    running = asyncio.create_task(publisher.run())
    await events.next(Cursor, position="1")
    assert len(events.events) == 1

    fetched.set()
    await publisher.drained()
    assert [event.position for event in events.all(Cursor)] == ["1", "2", "3", "4"]
    running.cancel()


def put_into(feed: Feed, put: list[Item]) -> None:
    """Bring one message live and by the archive, and one that is only live."""
    feed.hold()
    feed.offer("1", Item((Cursor("live", "1"),), mark_stored=lambda: None))
    feed.read("1", Item((Cursor("archived", "1"),)))
    assert put[-1].mark_stored is not None, "what the archive has brought is not acknowledged"
    feed.offer("1", Item((Cursor("live", "1"),), mark_stored=lambda: None))
    assert not put[-1].events, "the same message twice"
    feed.offer("2", Item((Cursor("live", "2"),)))
    feed.offer(None, Item((Cursor("live", "3"),)))
    feed.offer(None, Item((Cursor("live", "4"),)))


def test_a_message_that_its_archive_brings_is_acknowledged_with_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    publisher = publisher_to(Recorder())
    put: list[Item] = []
    monkeypatch.setattr(publisher, "put", put.append)
    feed = Feed(publisher)
    put_into(feed, put)
    feed.release(moves_cursor=True)
    events = [event for item in put for event in item.events]
    assert events == [
        Cursor("archived", "1"),
        Cursor("live", "2"),
        Cursor("live", "3"),
        Cursor("live", "4"),
    ]
