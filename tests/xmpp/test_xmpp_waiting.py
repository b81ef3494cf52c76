"""How long a question to a server waits: as long as who asks it, and no longer."""

import asyncio
import ssl
import xml.etree.ElementTree as ET

import pytest

from heliograph.networks.errors import NetworkError, NoAnswerError
from heliograph.networks.xmpp.options import read_options
from heliograph.networks.xmpp.rooms import Room, Rooms
from heliograph.networks.xmpp.stream import Stream, answered_within

PING = ET.Element("{urn:xmpp:ping}ping")
LONGEST_SETTING = 300.0


@pytest.fixture
async def silent() -> Stream:
    """A stream that counts as open, over which nothing is ever answered."""
    stream = Stream(
        read_options({"jid": "desk@xmpp.test"}, {"password": "secret"}),
        ssl.create_default_context(),
        lambda _: None,
        on_message=lambda *_: None,
        on_presence=lambda _: None,
        on_acked=lambda _: None,
    )
    stream._dropped = asyncio.get_running_loop().create_future()
    return stream


def waits(stream: Stream) -> list[float]:
    """Return in how many seconds the library would give up on each question."""
    now = asyncio.get_running_loop().time()
    timers = stream.scheduled_events.items()
    return [handle.when() - now for name, handle in timers if name.startswith("IqTimeout")]


async def test_a_question_waits_as_long_as_who_asks_it(silent: Stream) -> None:
    async def ask() -> None:
        async with answered_within(0.1):
            await silent.ask("get", PING, "xmpp.test")

    asked = asyncio.ensure_future(ask())
    await asyncio.sleep(0.02)
    [seconds] = waits(silent)
    with pytest.raises(NoAnswerError):
        await asked
    assert seconds > 10 * LONGEST_SETTING
    assert waits(silent) == []


async def test_a_question_of_the_session_s_own_waits_for_its_time(silent: Stream) -> None:
    with pytest.raises(NoAnswerError):
        await silent.ask("get", PING, "xmpp.test", timeout=0.1)
    assert waits(silent) == []


async def test_a_group_is_waited_for_as_long_as_who_enters_it(silent: Stream) -> None:
    rooms = Rooms("desk@xmpp.test", "Desk", lambda: silent, lambda *_: None)
    room = Room("trip@groups.xmpp.test", "Desk", "Trip")
    entering = asyncio.ensure_future(rooms._enter(room, None, None))
    await asyncio.sleep(0.1)
    assert not entering.done()
    entering.cancel()
    with pytest.raises(asyncio.CancelledError):
        await entering
    assert rooms.find(room.jid) is None


async def test_a_question_ends_with_the_connection(silent: Stream) -> None:
    asked = asyncio.ensure_future(silent.ask("get", PING, "xmpp.test"))
    await asyncio.sleep(0)
    assert silent._dropped is not None
    silent._dropped.set_result(NetworkError("The line broke."))
    with pytest.raises(NoAnswerError):
        await asked
    assert waits(silent) == []
