"""Converts batches of the library's events to reports for the gateway, in order."""

import asyncio
import contextlib
from collections.abc import Iterable, Sequence
from typing import Any
from uuid import UUID

import structlog
from msgspec.structs import replace
from neonize.proto.Neonize_pb2 import GroupInfoEvent, JoinedGroup, UndecryptableMessage
from neonize.proto.Neonize_pb2 import Message as MessageEvent
from neonize.proto.Neonize_pb2 import Receipt as ReceiptEvent
from neonize.proto.waE2E.WAWebProtobufsE2E_pb2 import Message

from heliograph.networks.content import Poll, PollVote
from heliograph.networks.errors import NetworkError
from heliograph.networks.port import Changed, ContactSeen, GroupSeen, Inbound, NetworkEvent, Receipt
from heliograph.networks.whatsapp.addresses import is_group
from heliograph.networks.whatsapp.client_run import ClientRun
from heliograph.networks.whatsapp.conversion.arrivals import (
    arrival_of,
    chat_of,
    failed_arrival_of,
    receipts_of,
    unreadable_arrival_of,
)
from heliograph.networks.whatsapp.conversion.contents import file_of, kinds_of
from heliograph.networks.whatsapp.conversion.jids import hidden_in, pairs_of, to_jid, to_text
from heliograph.networks.whatsapp.conversion.people import changes_members, renamed_group_of
from heliograph.networks.whatsapp.conversion.polls import poll_in, vote_of
from heliograph.networks.whatsapp.conversion.wrapping import unwrapped
from heliograph.networks.whatsapp.directory import Directory
from heliograph.networks.whatsapp.files import Fetch, fetch_file
from heliograph.networks.whatsapp.originals import Originals
from heliograph.networks.whatsapp.sent_ids import SentIds
from heliograph.networks.whatsapp.threads import call_aside

FILE_TIMEOUT = 20.0
SHORT_FILE_TIMEOUT = 2.0
"""Seconds that a message, and those behind it, wait for its file. After a time-out, the shorter one
applies until a file arrives."""
SUBJECT_TIMEOUT = 5.0
"""Seconds that messages of a group wait for its subject."""

VOTE_TIMEOUT = 5.0
"""Seconds that a vote waits to be decrypted."""

log = structlog.get_logger(__name__)


class EventConverter:
    """Turns events into reports for one account."""

    def __init__(
        self,
        account_id: UUID,
        directory: Directory,
        sent_ids: SentIds,
        originals: Originals,
        fetch: Fetch,
    ) -> None:
        self._fetch = fetch
        self._file_timeout = FILE_TIMEOUT
        self._account_id = account_id
        self._directory = directory
        self._sent_ids = sent_ids
        self._originals = originals

    async def reports(
        self, events: Sequence[Any], own_jid: str, run: ClientRun | None
    ) -> list[NetworkEvent]:
        """Convert events; raises nothing. A message that can't be converted is reported without its
        content."""
        reports: list[NetworkEvent] = []
        for event in events:
            try:
                reports += await self._report(event, own_jid, run)
            except Exception:
                log.exception(
                    "whatsapp_event_not_understood",
                    account_id=str(self._account_id),
                    kind=type(event).__name__,
                )
                reports += self._least_of(event, own_jid)
        return await self._under_our_ids(reports, own_jid)

    def _least_of(self, event: Any, own_jid: str) -> list[NetworkEvent]:
        """Return the report of a message whose conversion has failed."""
        if not isinstance(event, (MessageEvent, UndecryptableMessage)):
            return []
        try:
            arrival = failed_arrival_of(event, own_jid, self._directory.book)
        except Exception:
            log.exception("whatsapp_message_lost", account_id=str(self._account_id))
            return []
        return [] if arrival is None else [arrival]

    async def _report(self, event: Any, own_jid: str, run: ClientRun | None) -> list[NetworkEvent]:
        if isinstance(event, MessageEvent):
            return await self._message(event, own_jid, run)
        if isinstance(event, ReceiptEvent):
            learned = await self._people(event.MessageSource, run)
            return [*learned, *receipts_of(event, self._directory.book)]
        if isinstance(event, JoinedGroup):
            return self._group(event.GroupInfo)
        if isinstance(event, GroupInfoEvent):
            return await self._group_change(event, run)
        if isinstance(event, UndecryptableMessage):
            return await self._unreadable(event, own_jid, run)
        return []

    async def _unreadable(
        self, event: UndecryptableMessage, own_jid: str, run: ClientRun | None
    ) -> list[NetworkEvent]:
        log.warning(
            "whatsapp_message_not_decrypted",
            account_id=str(self._account_id),
            chat_message_id=event.Info.ID,
        )
        learned, subject = await self._whose(event.Info.MessageSource, run)
        arrival = unreadable_arrival_of(event, own_jid, self._directory.book, group_subject=subject)
        return learned if arrival is None else [*learned, arrival]

    async def _message(
        self, event: MessageEvent, own_jid: str, run: ClientRun | None
    ) -> list[NetworkEvent]:
        learned, subject = await self._whose(event.Info.MessageSource, run)
        chat = chat_of(event.Info.MessageSource, self._directory.book)
        vote = await self._vote(event, chat, run)
        arrival = arrival_of(event, own_jid, self._directory.book, group_subject=subject, vote=vote)
        if arrival is None:
            log.debug("whatsapp_message_passed_over", kinds=kinds_of(event.Message))
            return learned
        if isinstance(arrival, Changed):
            # the hidden ids under which the changed message may have been stored
            jids = {arrival.chat_jid, arrival.message_sender_jid}
            earlier = await self._directory.earlier(jids, run)
            return [*learned, replace(arrival, earlier_jids=earlier)]
        if isinstance(arrival.content, Poll):
            await self._originals.keep(event.Info.ID, event.Message)
        if not arrival.from_me:
            arrival = replace(arrival, file=await self._file(event))
        return [*learned, arrival]

    async def _whose(
        self, source: Any, run: ClientRun | None
    ) -> tuple[list[NetworkEvent], str | None]:
        """Return the people and groups that a message's source shows, and its group's subject."""
        learned: list[NetworkEvent] = [*await self._people(source, run)]
        chat = chat_of(source, self._directory.book)
        if is_group(chat):
            learned += await self._look_up_subject(chat, run)
        return learned, self._directory.subjects.get(chat)

    async def _vote(self, event: MessageEvent, chat: str, run: ClientRun | None) -> PollVote | None:
        """Decrypt a vote; None for other messages and for unreadable votes."""
        message = unwrapped(event.Message)
        if not message.HasField("pollUpdateMessage"):
            return None
        poll_id = message.pollUpdateMessage.pollCreationMessageKey.ID
        try:
            original = await self._find_poll(poll_id, chat)
            poll = None if original is None else poll_in(original)
            if poll is None or run is None:
                raise NetworkError("The poll is not known, or the connection has ended.")
            async with asyncio.timeout(VOTE_TIMEOUT):
                vote = await run.ask(lambda client: client.decrypt_poll_vote(event))
            return vote_of(vote, poll)
        except (NetworkError, TimeoutError) as error:
            log.warning(
                "whatsapp_vote_not_read",
                account_id=str(self._account_id),
                chat_message_id=event.Info.ID,
                error=str(error),
            )
            return None

    async def _find_poll(self, poll_id: str, chat: str) -> Message | None:
        """Find the poll, after waiting for sends in progress, since one of them may be the poll."""
        found = await self._originals.find(poll_id)
        if found is None and await self._sent_ids.settle(chat):
            found = await self._originals.find(poll_id)
        return found

    async def _file(self, event: MessageEvent) -> bytes | None:
        """Fetch the message's file; None if that fails."""
        # the message is reported even without it
        file = file_of(unwrapped(event.Message))
        if file is None:
            return None
        try:
            async with asyncio.timeout(self._file_timeout):
                data = await call_aside(lambda: fetch_file(file, self._fetch), "whatsapp-file")
            self._file_timeout = FILE_TIMEOUT
            return data
        except (NetworkError, TimeoutError) as error:
            if isinstance(error, TimeoutError):
                self._file_timeout = SHORT_FILE_TIMEOUT
            log.warning(
                "whatsapp_file_not_fetched",
                account_id=str(self._account_id),
                chat_message_id=event.Info.ID,
                error=str(error),
            )
            return None

    async def _people(self, source: Any, run: ClientRun | None) -> list[ContactSeen]:
        learned = self._directory.learn(pairs_of(source))
        return [*learned, *await self._directory.resolve(hidden_in(source), run)]

    async def _look_up_subject(self, group: str, run: ClientRun | None) -> list[NetworkEvent]:
        """Look up the group's subject, if it is not known. Returns the other reports in the
        answer."""
        pauses = self._directory.pauses
        if run is None or group in self._directory.subjects or group in pauses:
            return []
        try:
            found = await self._ask_group(group, run)
            return [event for event in found if not isinstance(event, GroupSeen)]
        except (NetworkError, TimeoutError):
            pauses[group] = True
            return []

    async def _ask_group(self, group: str, run: ClientRun) -> list[NetworkEvent]:
        async with asyncio.timeout(SUBJECT_TIMEOUT):
            return self._group(await run.ask(lambda client: client.get_group_info(to_jid(group))))

    def _group(self, info: Any) -> list[NetworkEvent]:
        """Return the group with its members, unless it has no name."""
        # an empty name would replace the stored one
        learned, groups = self._directory.record_groups([info])
        return [*learned, *(group for group in groups if group.subject)]

    async def _group_change(
        self, event: GroupInfoEvent, run: ClientRun | None
    ) -> list[NetworkEvent]:
        renamed = renamed_group_of(event)
        if renamed is not None:
            self._directory.subjects[renamed.remote_jid] = renamed.subject
        if run is not None and changes_members(event):
            with contextlib.suppress(NetworkError, TimeoutError):
                return await self._ask_group(to_text(event.JID), run)
        return [renamed] if renamed else []

    async def _under_our_ids(
        self, reports: Sequence[NetworkEvent], own_jid: str
    ) -> list[NetworkEvent]:
        """Replace the network's ids of our messages by the gateway's."""
        named = [_message_in(event, own_jid) for event in reports]
        ours = await self._sent_ids.ours({message for message in named if message is not None})
        return [
            _renamed(event, ours.get(message[0]) if message else None)
            for event, message in zip(reports, named, strict=True)
        ]


def one_file_at_most(events: Iterable[Any]) -> list[Any]:
    """Return the first of these events, up to one with a file."""
    # a file is in memory until all events before it are stored
    some = []
    for event in events:
        some.append(event)
        if _has_file(event):
            break
    return some


def _has_file(event: Any) -> bool:
    if not isinstance(event, MessageEvent):
        return False
    try:
        return file_of(unwrapped(event.Message)) is not None
    except Exception:  # its conversion will fail, too, and log that
        return False


def _message_in(event: NetworkEvent, own_jid: str) -> tuple[str, str] | None:
    """Return the message in an event that may be ours: the network's id, and the chat."""
    if isinstance(event, Receipt):
        return event.chat_message_id, event.chat_jid
    if isinstance(event, Inbound) and event.reply_to_chat_message_id:
        return event.reply_to_chat_message_id, event.chat_jid
    if isinstance(event, Changed) and event.message_sender_jid == own_jid:
        return event.chat_message_id, event.chat_jid
    return None


def _renamed(event: NetworkEvent, our_id: str | None) -> NetworkEvent:
    """Return the event with our id of its message, if that is ours."""
    if our_id is None:
        return event
    field = "reply_to_chat_message_id" if isinstance(event, Inbound) else "chat_message_id"
    return replace(event, **{field: our_id})
