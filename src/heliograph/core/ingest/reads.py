"""Marks as read what the account's owner has read on other devices. This is done in the tables
before the batch loads any message, so that all loaded copies are up to date."""

from collections import defaultdict
from collections.abc import Collection
from uuid import UUID

from heliograph.core.inbox.conversations_sql import list_ids_at
from heliograph.core.ingest.model import ChatKey, ReadMark, WorkingSet, read_keys
from heliograph.core.messages.read_marks_sql import (
    ReadUntil,
    list_places,
    list_read,
    mark_these_read,
)
from heliograph.core.messages.sql import lock_alone
from heliograph.networks.port import Changed, Inbound, ReadElsewhere
from heliograph.platform.database.pool import Connection


async def mark_read_elsewhere(
    connection: Connection, working_set: WorkingSet, others: Collection[tuple[UUID, UUID]]
) -> None:
    """Find how far chats have been read, and mark the stored messages up to there.

    `others` are the messages that are locked next, by (organization id, id), so that all are locked
    in one order.
    """
    marks = _list_marks(working_set)
    if not marks:
        return
    keys = {(mark.tenant.organization_id, *mark.chat) for mark in marks.values()}
    working_set.read_ids = await list_ids_at(connection, working_set.shards, keys)
    marks |= await _find_in_conversations(connection, working_set, marks)
    working_set.read_marks = marks
    if not working_set.read_ids:
        return
    read = await list_read(connection, working_set.shards, _read_until(working_set))
    if read:
        locked = {(organization_id, id_) for organization_id, id_, _ in read}
        await lock_alone(connection, working_set.shards, sorted(locked.union(others)))
        await mark_these_read(
            connection, working_set.shards, working_set.counts, sorted(read), working_set.now
        )


def _read_until(working_set: WorkingSet) -> list[ReadUntil]:
    """Return how far each conversation was read, according to all reports about it."""
    of_chats: defaultdict[ChatKey, list[ReadMark]] = defaultdict(list)
    for mark in working_set.read_marks.values():
        if mark.chat in working_set.read_ids:
            of_chats[mark.chat].append(mark)
    return [
        ReadUntil(
            marks[0].tenant.organization_id,
            working_set.read_ids[chat],
            max((mark.at for mark in marks if mark.place is None), default=None),
            _newest([mark.place for mark in marks]),
            max(mark.at for mark in marks),
        )
        for chat, marks in of_chats.items()
    ]


def _list_marks(working_set: WorkingSet) -> dict[int, ReadMark]:
    """List the read marks in the reports, by position: the owner has read a chat on another device,
    or has written there."""
    marks = {}
    brought: dict[tuple[ChatKey, str], UUID] = {}
    for position, report in enumerate(working_set.reports):
        event = report.event
        if isinstance(event, ReadElsewhere):
            chat, names = (report.account_id, event.chat_jid), event.chat_message_ids
            found = [brought.get((chat, name)) for name in names]
            found += [working_set.arrived_before.get(key) for key in read_keys(report, event)]
            marks[position] = ReadMark(report.tenant, chat, event.at, _newest(found), names)
        elif isinstance(event, (Inbound, Changed)) and working_set.is_new(position):
            chat = report.account_id, event.chat_jid
            name = event.change_id if isinstance(event, Changed) else event.chat_message_id
            brought[chat, name] = working_set.inbound_ids[position]
            if isinstance(event, Inbound) and event.from_me:
                marks[position] = ReadMark(report.tenant, chat, event.sent_at)
    return marks


async def _find_in_conversations(
    connection: Connection, working_set: WorkingSet, marks: dict[int, ReadMark]
) -> dict[int, ReadMark]:
    """Find the named messages without a place, such as those in a group, where the network does not
    name the sender."""
    ids = working_set.read_ids
    unplaced = {
        position: mark
        for position, mark in marks.items()
        if mark.names and mark.place is None and mark.chat in ids
    }
    if not unplaced:
        return {}
    conversations = {(mark.tenant.organization_id, ids[mark.chat]) for mark in unplaced.values()}
    names = {name for mark in unplaced.values() for name in mark.names}
    places = await list_places(connection, working_set.shards, conversations, names)
    return {
        position: mark._replace(
            place=_newest([places.get((ids[mark.chat], name)) for name in mark.names])
        )
        for position, mark in unplaced.items()
    }


def _newest(ids: list[UUID | None]) -> UUID | None:
    return max((each for each in ids if each is not None), default=None)
