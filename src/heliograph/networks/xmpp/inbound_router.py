"""Routes everything that arrives for one account, live or from archives, to the gateway in
order."""

import asyncio
import xml.etree.ElementTree as ET
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

import structlog
from cachetools import TTLCache
from msgspec.structs import replace

from heliograph.networks.content import Media
from heliograph.networks.errors import NetworkError
from heliograph.networks.port import Cursor, Inbound, NetworkEvent
from heliograph.networks.xmpp.addresses import domain_of, looks_like_ours
from heliograph.networks.xmpp.archive import (
    ArchivePage,
    ArchivePosition,
    ArchiveReader,
    parse_position,
)
from heliograph.networks.xmpp.arrived_files import FileFetcher
from heliograph.networks.xmpp.group_ids import GroupIds
from heliograph.networks.xmpp.outbox import Outbox
from heliograph.networks.xmpp.publishing import Feed, Item, Publisher
from heliograph.networks.xmpp.reading import Reader
from heliograph.networks.xmpp.rooms import Room, Rooms
from heliograph.networks.xmpp.stanzas import (
    AnswerError,
    Message,
    is_carbon,
    read_carbon,
    read_message,
    refusal_of,
)
from heliograph.networks.xmpp.stream import Stream

log = structlog.get_logger(__name__)

LOOK_UP_TIMEOUT = 5.0
"""Seconds that a message, and those behind it, wait for the look-up of a message that it refers
to."""
PAUSE = 60.0
"""Seconds until a group that has not answered a query about itself is queried again."""
MAX_SILENT = 1000
OWN = ""
"""The cursor of the account's own archive; a group's is named by the group."""


class InboundRouter:
    """Routes the stanzas of one account. It outlives streams: whatever was accepted is passed on in
    any case.

    `positions` is how far each archive has been read; its keys are also the groups that the account
    is in.
    """

    def __init__(
        self,
        own_jid: str,
        cursors: Mapping[str, str],
        reader: Reader,
        outbox: Outbox,
        rooms: Rooms,
        publisher: Publisher,
        now: Callable[[], datetime],
        ids: GroupIds,
        files: FileFetcher,
    ) -> None:
        self._own_jid = own_jid
        self._ids = ids
        self._files = files
        self._trusted = {own_jid, domain_of(own_jid)}
        self._reader = reader
        self._outbox = outbox
        self._rooms = rooms
        self._publisher = publisher
        self._now = now
        self._archives: ArchiveReader | None = None
        self._feeds: defaultdict[str, Feed] = defaultdict(lambda: Feed(publisher))
        self._silent: TTLCache[str, bool] = TTLCache(MAX_SILENT, PAUSE)
        self.positions = {
            chat: position
            for chat, written in cursors.items()
            if (position := parse_position(written))
        }
        self.hold(OWN)

    def begin(self, archives: ArchiveReader) -> None:
        """Start reading archives over a new server session."""
        self._archives = archives

    def end(self) -> None:
        """Drop the messages held for this server session, and hold those of the next one from its
        start."""
        # held messages are in the archives; a server may pass on a message to this connection
        # before it has sent anything else
        self._feeds.clear()
        self.hold(OWN)

    def hold(self, key: str) -> None:
        """Hold live messages of this archive until it has been read."""
        self._feeds[key].hold()

    # --- what comes by itself ---

    def take(self, stream: Stream, xml: ET.Element, number: int) -> None:
        """Route a `<message/>` of the stream."""

        def mark_stored() -> None:
            stream.mark_stored((number,))

        is_result = self._archives is not None and self._archives.take(xml)
        if is_result or not self._take_live(xml, mark_stored):
            mark_stored()

    def _take_live(self, xml: ET.Element, mark_stored: Callable[[], None]) -> bool:
        """Route a live message. Returns whether it is passed on to the gateway."""
        if is_carbon(xml):
            carbon = read_carbon(xml, self._own_jid, self._now(), self._trusted)
            return carbon is not None and self._take_direct(carbon, mark_stored)
        room = self._rooms.find(xml.get("from", "").partition("/")[0].lower())
        message = read_message(xml, self._now(), self._trusted_with(room))
        if message.kind == "error" and self._outbox.refused(
            message.stanza_id, refusal_of(xml), in_group=room is not None
        ):
            return False
        if room is not None:
            return self._take_in_group(message, room, mark_stored)
        return self._take_direct(message, mark_stored)

    def _trusted_with(self, room: Room | None) -> set[str]:
        """Return who is trusted to state that a message is delayed."""
        # a group only while it sends its history: later it passes on delays that participants write
        # in its name
        if room is None or room.is_live.is_set():
            return self._trusted
        return self._trusted | {room.jid}

    def _take_direct(self, message: Message, mark_stored: Callable[[], None]) -> bool:
        message = self._behind_the_stored(message)
        item = self._item(message, None)
        archive_id = message.archive_id(self._own_jid)
        if not item.events and archive_id is None:
            return False
        self._offer(OWN, message, archive_id, replace(item, mark_stored=mark_stored))
        return True

    def _behind_the_stored(self, message: Message) -> Message:
        """Return the live message with a time no earlier than that of archived messages before
        it."""
        # servers pass on delays that senders have written in their name
        position = self.positions.get(OWN)
        return message if position is None else replace(message, at=max(message.at, position.at))

    def _take_in_group(self, message: Message, room: Room, mark_stored: Callable[[], None]) -> bool:
        if message.is_subject:
            room.is_live.set()
        sender, from_me = self._rooms.sender(room, message)
        if room.gives_ids:
            self._ids.remember(room.jid, message, sender)
        if from_me and self._outbox.shown(message):
            return False
        if message.is_new_configuration:
            item = Item(finish=lambda: self._refreshed(room))
        else:
            item = self._item(message, room)
        if not item.events and item.finish is None:
            return False
        item = replace(item, mark_stored=mark_stored)
        self._offer(room.jid, message, message.archive_id(room.jid), item)
        return True

    def _offer(self, key: str, message: Message, archive_id: str | None, item: Item) -> None:
        if archive_id is not None or key != OWN:
            cursor = Cursor(key, ArchivePosition(message.at, archive_id).written())
            item = replace(item, cursor=cursor)
        self._feeds[key].offer(archive_id, item)

    # --- what the archives have ---

    async def catch_up(self, key: str) -> None:
        """Read an archive from our position on, then release live messages.

        A new archive is read from its end on. Raises `NetworkError`; live messages then keep
        waiting.
        """
        archive, position = key or self._own_jid, self.positions.get(key)
        if position is None:
            self.move(key, await self._archives_now().last(archive))
        else:
            try:
                await self._read(key, archive, position)
            except AnswerError as error:
                if position.archive_id is None or error.refusal.condition != "item-not-found":
                    raise
                await self._read(key, archive, ArchivePosition(position.at))
        self.release(key)

    def move(self, key: str, position: ArchivePosition) -> None:
        """Read the archive from this position on."""
        self.positions[key] = position
        self._publisher.put(Item(cursor=Cursor(key, position.written())))

    def stored(self, cursors: Sequence[Cursor]) -> None:
        """Record cursors that are on disk: earlier messages are never requested again."""
        for cursor in cursors:
            position = parse_position(cursor.position)
            if position is not None and cursor.chat_jid in {OWN, *self.positions}:
                self.positions[cursor.chat_jid] = position

    async def drained(self) -> None:
        """Wait until everything received so far is on disk."""
        await self._publisher.drained()

    def leave(self, key: str, *told: NetworkEvent) -> None:
        """Forget a group that the account has left; `told` is its last event."""
        self.positions.pop(key, None)
        self._publisher.put(Item(told, cursor=Cursor(key, None)))

    def tell(self, event: NetworkEvent) -> None:
        """Pass an event on, after all earlier ones."""
        self._publisher.put(Item((event,)))

    async def _read(self, key: str, archive: str, position: ArchivePosition) -> None:
        async for page in self._archives_now().pages(archive, position):
            self._take_page(key, page)
            await self._publisher.drained()

    def _take_page(self, key: str, page: ArchivePage) -> None:
        feed = self._feeds[key]
        room = self._rooms.find(key)
        for message in page.messages:
            position = ArchivePosition(message.at, message.archived_as)
            # an archive may still be read when the account has left its group
            item = self._item(message, room) if room or key == OWN else Item()
            item = replace(item, cursor=Cursor(key, position.written()))
            feed.read(message.archived_as or "", item)

    def _item(self, message: Message, room: Room | None) -> Item:
        """Return a message's events, with the work left before they are passed on."""
        if room is not None and room.gives_ids and message.kind == "groupchat":
            sender, _ = self._rooms.sender(room, message)
            self._ids.remember(room.jid, message, sender)
            if not self._ids.knows_what_it_names(room.jid, message, sender):
                return Item(finish=lambda: self._looked_up(message, room, sender))
        events = self._understood(message, room)
        if any(_lacks_file(event) for event in events):
            return Item(events, finish=lambda: self._with_files(message, events))
        return Item(events)

    async def _looked_up(
        self, message: Message, room: Room, sender: str
    ) -> tuple[NetworkEvent, ...]:
        """Read a message that refers to one which has to be looked up."""
        try:
            async with asyncio.timeout(LOOK_UP_TIMEOUT):
                await self._ids.look_up(room.jid, message, sender)
        except TimeoutError:
            log.info("xmpp_message_not_looked_up", group=room.jid)
        return await self._with_files(message, self._understood(message, room))

    async def _refreshed(self, room: Room) -> tuple[NetworkEvent, ...]:
        """Query a group; return it if its name has changed."""
        before = room.subject
        if room.jid in self._silent:
            return ()
        try:
            async with asyncio.timeout(LOOK_UP_TIMEOUT):
                await self._rooms.refresh(room)
        except (NetworkError, TimeoutError):
            self._silent[room.jid] = True
            log.info("xmpp_group_not_refreshed", group=room.jid)
        return () if room.subject == before else (room.seen(),)

    async def _with_files(
        self, message: Message, events: tuple[NetworkEvent, ...]
    ) -> tuple[NetworkEvent, ...]:
        finished: list[NetworkEvent] = []
        for event in events:
            if isinstance(event, Inbound) and _lacks_file(event):
                event = await self._files.with_file(event, message)
            finished.append(event)
        return tuple(finished)

    def _understood(self, message: Message, room: Room | None) -> tuple[NetworkEvent, ...]:
        """Return the events of a message, in a group or outside; none if reading it fails."""
        # an unreadable message must not block later ones
        try:
            if room is not None:
                sender, from_me = self._rooms.sender(room, message)
                return self._reader.in_group(message, room, sender, from_me=from_me)
            return () if self._is_private_in_group(message) else self._reader.direct(message)
        except Exception:
            log.exception("xmpp_message_not_understood", stanza_id=message.stanza_id)
            return ()

    def _is_private_in_group(self, message: Message) -> bool:
        """Return whether a message was sent privately within a group; its address alone looks like
        the group's."""
        chats = {
            message.sender.partition("/")[0].lower(),
            message.recipient.partition("/")[0].lower(),
        }
        in_group = any(self._rooms.find(chat) or chat in self.positions for chat in chats if chat)
        return in_group or (message.is_within_group and not message.is_groups_invitation)

    def is_behind(self, key: str) -> bool:
        """Return whether messages are passed on without the archive, because it could not be
        read."""
        return not self._feeds[key].moves_cursor

    def release(self, key: str) -> None:
        """Release live messages: the archive is read, or there is none."""
        self._feeds[key].release(moves_cursor=True)

    def release_without_archive(self, key: str) -> None:
        """Release live messages without the archive, and keep our position in it."""
        self._feeds[key].release(moves_cursor=False)

    @property
    def archives(self) -> ArchiveReader | None:
        """The archive reader of the server session, or None."""
        return self._archives

    def _archives_now(self) -> ArchiveReader:
        if self._archives is None:
            raise NetworkError("The account has not been connected yet.")
        return self._archives


def _lacks_file(event: NetworkEvent) -> bool:
    """Return whether an event is a message whose file has not been fetched."""
    # except for the gateway's own messages, whose files it has
    return (
        isinstance(event, Inbound)
        and isinstance(event.content, Media)
        and not (event.from_me and looks_like_ours(event.chat_message_id))
    )
