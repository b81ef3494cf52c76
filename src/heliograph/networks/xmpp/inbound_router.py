"""Everything that arrives for one account, live or from archives, put in order for the gateway."""

import xml.etree.ElementTree as ET
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

import structlog
from msgspec.structs import replace

from heliograph.networks.errors import NetworkError
from heliograph.networks.port import Cursor, Event
from heliograph.networks.xmpp.addresses import domain_of
from heliograph.networks.xmpp.archive import Archived, ArchiveReader, Page, Place, Query, read_place
from heliograph.networks.xmpp.intake import Feed, Intake, Item
from heliograph.networks.xmpp.outbox import Outbox
from heliograph.networks.xmpp.reading import Reader
from heliograph.networks.xmpp.rooms import Room, Rooms
from heliograph.networks.xmpp.stanzas import (
    AnswerError,
    Told,
    is_carbon,
    read_carbon,
    read_message,
    refusal_of,
)
from heliograph.networks.xmpp.stream import Stream

log = structlog.get_logger(__name__)

OWN = ""
"""The cursor of the account's own archive; a group's is named by the group."""


class InboundRouter:
    """One account's. It outlives streams: what it has taken is passed on whatever becomes of them.

    `places` is how far each archive has been read, and for the groups which ones the account is in.
    """

    def __init__(
        self,
        own_jid: str,
        cursors: Mapping[str, str],
        reader: Reader,
        outbox: Outbox,
        rooms: Rooms,
        intake: Intake,
        now: Callable[[], datetime],
    ) -> None:
        self._own_jid = own_jid
        self._trusted = {own_jid, domain_of(own_jid)}
        self._reader = reader
        self._outbox = outbox
        self._rooms = rooms
        self._intake = intake
        self._now = now
        self._archives: ArchiveReader | None = None
        self._feeds: dict[str, Feed] = {}
        found = {chat: read_place(position) for chat, position in cursors.items()}
        self.places = {chat: place for chat, place in found.items() if place is not None}
        self.hold(OWN)

    def begin(self, archives: ArchiveReader) -> None:
        """A new session of the server's, over which the archives are read."""
        self._archives = archives

    def end(self) -> None:
        """The server's session is over. What was held for it lies in the archives, and what the
        next one brings waits for them from its first moment on: a server may know of somebody who
        writes to our very connection before it has told anything else."""
        self._feeds.clear()
        self.hold(OWN)

    def hold(self, key: str) -> None:
        """Live messages of this archive wait until it has been read."""
        self._feed(key).hold()

    def _feed(self, key: str) -> Feed:
        if key not in self._feeds:
            self._feeds[key] = Feed(self._intake, key)
        return self._feeds[key]

    # --- what comes by itself ---

    def take(self, stream: Stream, xml: ET.Element, number: int) -> None:
        """A `<message/>` of the stream."""

        def settle() -> None:
            stream.settle((number,))

        if self._archives is not None and self._archives.take(xml):
            settle()
            return
        if not self._take_live(xml, settle):
            settle()

    def _take_live(self, xml: ET.Element, settle: Callable[[], None]) -> bool:
        """Whether the message is on its way to the gateway, and settled when it is there."""
        if is_carbon(xml):
            carbon = read_carbon(xml, self._own_jid, self._now(), self._trusted)
            return carbon is not None and self._take_direct(carbon, settle)
        room = self._rooms.find(xml.get("from", "").partition("/")[0].lower())
        told = read_message(xml, self._now(), self._trusted_with(room))
        if told.kind == "error" and self._outbox.refused(
            told.stanza_id, refusal_of(xml), in_group=room is not None
        ):
            return False
        if room is not None:
            return self._take_in_group(told, room, settle)
        return self._take_direct(told, settle)

    def _trusted_with(self, room: Room | None) -> set[str]:
        """Who may say that a message is an old one. A group only while it tells its past: later on
        it passes on what somebody in it says in its name."""
        tells_past = room is not None and not room.is_live.is_set()
        return self._trusted | {room.jid} if room is not None and tells_past else self._trusted

    def _take_direct(self, told: Told, settle: Callable[[], None]) -> bool:
        told = self._behind_the_stored(told)
        events = self._understood(told)
        archive_id = told.archive_id(self._own_jid)
        if not events and archive_id is None:
            return False
        self._offer(OWN, told, archive_id, events, settle)
        return True

    def _behind_the_stored(self, told: Told) -> Told:
        """What comes live is no older than what the archive had before it: servers pass on what a
        sender says in their name."""
        place = self.places.get(OWN)
        return told if place is None else replace(told, at=max(told.at, place.at))

    def _take_in_group(self, told: Told, room: Room, settle: Callable[[], None]) -> bool:
        if told.is_subject:
            room.is_live.set()
        sender, from_me = self._rooms.sender(room, told)
        if from_me and self._outbox.shown(told):
            return False
        events = self._understood_in(room, told, sender, from_me)
        archive_id = told.archive_id(room.jid)
        if not events:
            return False
        self._offer(room.jid, told, archive_id, events, settle)
        return True

    def _offer(
        self,
        key: str,
        told: Told,
        archive_id: str | None,
        events: tuple[Event, ...],
        settle: Callable[[], None],
    ) -> None:
        cursor = None
        if archive_id is not None or key != OWN:
            cursor = Cursor(key, Place(told.at, archive_id).written())
        self._feed(key).offer(archive_id, Item(events, cursor, settle))

    # --- what the archives have ---

    async def catch_up(self, key: str) -> None:
        """Read what an archive has behind our place in it; what is live goes on after that.

        An archive that is new to us is read from its end on. Raises `NetworkError`, and what is
        live goes on waiting.
        """
        archive, place = key or self._own_jid, self.places.get(key)
        if place is None:
            self.move(key, await self._archives_now().last(archive))
        else:
            try:
                await self._read(key, archive, place)
            except AnswerError as error:
                if place.archive_id is None or error.refusal.condition != "item-not-found":
                    raise
                await self._read(key, archive, Place(place.at))
        self.go_on(key)

    def move(self, key: str, place: Place) -> None:
        """From here on the archive is read."""
        self.places[key] = place
        self._intake.put(Item(cursor=Cursor(key, place.written())))

    def stored(self, cursors: Sequence[Cursor]) -> None:
        """These are on disk: what comes before them is never asked for again."""
        for cursor in cursors:
            place = read_place(cursor.position)
            if place is not None and cursor.chat_jid in {OWN, *self.places}:
                self.places[cursor.chat_jid] = place

    async def drained(self) -> None:
        """Wait until everything that came so far is on disk."""
        await self._intake.drained()

    def leave(self, key: str) -> None:
        """The account is not in this group any more."""
        self.places.pop(key, None)
        self._intake.put(Item(cursor=Cursor(key, None)))

    async def _read(self, key: str, archive: str, place: Place) -> None:
        query = Query() if place.archive_id else Query(since=place.since)
        async for page in self._archives_now().pages(archive, query, place.archive_id):
            self._take_page(key, page)
            await self._intake.drained()

    def _take_page(self, key: str, page: Page) -> None:
        feed = self._feed(key)
        for message in page.messages:
            place = Place(message.told.at, message.archive_id)
            events = self._events_of(key, message)
            feed.read(message.archive_id, Item(events, Cursor(key, place.written())))

    def _events_of(self, key: str, archived: Archived) -> tuple[Event, ...]:
        if key == OWN:
            return self._understood(archived.told)
        room = self._rooms.find(key)
        if room is None:
            return ()
        sender, from_me = self._rooms.sender(room, archived.told)
        return self._understood_in(room, archived.told, sender, from_me)

    def _understood(self, told: Told) -> tuple[Event, ...]:
        """One message that we fail at must not hold up those behind it, for ever."""
        if self._is_private_in_group(told):
            return ()
        try:
            return self._reader.direct(told)
        except Exception:
            log.exception("xmpp_message_not_understood", stanza_id=told.stanza_id)
            return ()

    def _is_private_in_group(self, told: Told) -> bool:
        """By its address it would be one of the group's own."""
        chats = {told.sender.partition("/")[0].lower(), told.recipient.partition("/")[0].lower()}
        in_group = any(self._rooms.find(chat) or chat in self.places for chat in chats if chat)
        return in_group or told.is_within_group

    def _understood_in(
        self, room: Room, told: Told, sender: str, from_me: bool
    ) -> tuple[Event, ...]:
        try:
            return self._reader.in_group(
                told, room.jid, sender, subject=room.subject, from_me=from_me
            )
        except Exception:
            log.exception("xmpp_message_not_understood", stanza_id=told.stanza_id)
            return ()

    def is_behind(self, key: str) -> bool:
        """Whether the archive could not be read, and messages go on without it."""
        return not self._feed(key).moves_cursor

    def go_on(self, key: str) -> None:
        """The archive is read, or there is none: live messages go on."""
        self._feed(key).release(moves_cursor=True)

    def go_on_without(self, key: str) -> None:
        """The archive can't be read now: live messages go on, and our place in it stays."""
        self._feed(key).release(moves_cursor=False)

    def _archives_now(self) -> ArchiveReader:
        if self._archives is None:
            raise NetworkError("The account has not been connected yet.")
        return self._archives
