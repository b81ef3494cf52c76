"""A batch leaves what its reports would leave one after another, whatever it mixes: readings,
edits, reactions, deletions, receipts, arrivals. The counters say what the rows say."""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from itertools import permutations
from random import Random
from typing import Any

import pytest

from core_scene import ADA, AT, Scene, arrival
from heliograph.core.ingest.model import ReportedEvent
from heliograph.networks.content import Text
from heliograph.networks.port import Changed, ReadElsewhere, Receipt

OWNER = "15550109999@sandbox"
Event = Callable[[str], ReportedEvent]
"""What happens in the chat with somebody."""


def at(seconds: int) -> datetime:
    return AT + timedelta(seconds=seconds)


def said(name: str, seconds: int) -> Event:
    return lambda chat: arrival(f"{chat} {name}", chat, text=name, sent_at=at(seconds))


def answered(name: str, seconds: int) -> Event:
    return lambda chat: arrival(
        f"{chat} {name}", OWNER, text=name, chat_jid=chat, from_me=True, sent_at=at(seconds)
    )


def changed(kind: Any, name: str, number: int, *, by_owner: bool = False) -> Event:
    return lambda chat: Changed(
        kind,
        chat,
        OWNER if by_owner else chat,
        f"{chat} change {number}",
        f"{chat} {name}",
        OWNER if name == "ours" else chat,
        at(20 + number),
        content=Text(f"{name}, said again") if kind == "edited" else None,
        emoji="👍" if kind == "reaction" else None,
        from_own_account=by_owner,
    )


def read(seconds: int, *names: str) -> Event:
    return lambda chat: ReadElsewhere(chat, at(seconds), tuple(f"{chat} {name}" for name in names))


def receipt(kind: Any) -> Event:
    return lambda chat: Receipt(chat, f"{chat} ours", kind, at(30))


BEFORE = [answered("ours", 0), said("one", 1), said("two", 2), said("three", 3)]
TOGETHER = [
    read(9),
    changed("edited", "two", 1),
    changed("reaction", "one", 2, by_owner=True),
    changed("deleted", "three", 3),
    receipt("read"),
    said("four", 4),
]
MORE = [
    *TOGETHER,
    read(9, "one"),
    read(9, "two", "one"),
    read(9, "four"),
    read(9, "change 1"),
    read(9, "unknown"),
    read(2),
    said("five", 3),
    said("six", 12),
    answered("answer", 5),
    changed("edited", "four", 4),
    changed("edited", "one", 5),
    changed("reaction", "ours", 6),
    changed("deleted", "ours", 7, by_owner=True),
    changed("deleted", "two", 8),
    receipt("delivered"),
]


def mixtures() -> Iterator[Sequence[Event]]:
    random = Random(7)  # noqa: S311 - keeps no secret
    for _ in range(400):
        yield random.sample(MORE, random.randint(2, 7))


@pytest.mark.parametrize(
    "mixed", [list(permutations(TOGETHER)), list(mixtures())], ids=["every order", "many mixtures"]
)
async def test_a_batch_leaves_what_its_reports_leave_one_after_another(
    scene: Scene, mixed: Sequence[Sequence[Event]]
) -> None:
    at_once = {f"1555{number:07}@sandbox": events for number, events in enumerate(mixed)}
    in_turn = {f"1666{number:07}@sandbox": events for number, events in enumerate(mixed)}
    chats = [*at_once, *in_turn]
    for event in BEFORE:
        await scene.report(*[event(chat) for chat in chats])

    await scene.report(*[event(chat) for chat, events in at_once.items() for event in events])
    for step in range(max(len(events) for events in mixed)):
        going_on = {chat: events for chat, events in in_turn.items() if step < len(events)}
        await scene.report(*[events[step](chat) for chat, events in going_on.items()])

    left = await what_is_left(scene)
    for one, other in zip(at_once, in_turn, strict=True):
        events = [event(ADA) for event in at_once[one]]
        assert left[one] == left[other], events
    assert await scene.counted() == await scene.recounted()
    assert await scene.counted_of_account() == await scene.recounted()


async def what_is_left(scene: Scene) -> dict[str, Any]:
    """What each chat shows: its messages, and how many of them are unread."""
    messages = await scene.rows(
        "SELECT remote_jid, split_part(chat_message_id, ' ', 2) AS name, status,"
        " read_at IS NOT NULL AS is_read, delivered_at, content, edited_at, deleted_at,"
        " jsonb_path_query_array(reactions, '$[*].emoji') AS emoji"
        " FROM messages ORDER BY remote_jid, name"
    )
    conversations = await scene.rows(
        "SELECT remote_jid, unread_count, last_message_preview FROM conversations"
    )
    left = {
        row["remote_jid"]: [row["unread_count"], row["last_message_preview"]]
        for row in conversations
    }
    for jid, *message in messages:
        left[jid].append(tuple(message))
    for unread, _, *shown in left.values():
        assert unread == len([name for name, status, *_ in shown if status == "received"])
        assert all(is_read == (status == "read") for _, status, is_read, *_ in shown)
    return left
