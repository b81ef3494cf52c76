"""A session: the gateway's requests to one account's connection."""

import asyncio
import contextlib
import xml.etree.ElementTree as ET
from collections.abc import AsyncIterator, Awaitable, Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import uuid4

import structlog
from msgspec.structs import replace

from heliograph.networks import port
from heliograph.networks.content import Media
from heliograph.networks.errors import LoggedOutError, NetworkError, NotConnectedError
from heliograph.networks.reporting import Reporter
from heliograph.networks.xmpp.addresses import domain_of, phone_number
from heliograph.networks.xmpp.archive import NAMESPACE, ArchiveReader
from heliograph.networks.xmpp.archive_search import ArchivedChat, ArchiveSearch, Sought
from heliograph.networks.xmpp.arrived_files import FileFetcher
from heliograph.networks.xmpp.connection import Connection
from heliograph.networks.xmpp.disco import ask_info, features_of
from heliograph.networks.xmpp.group_ids import GroupIds
from heliograph.networks.xmpp.group_management import GroupManagement
from heliograph.networks.xmpp.groups import Groups
from heliograph.networks.xmpp.http_files import FileServers
from heliograph.networks.xmpp.inbound_router import OWN, InboundRouter
from heliograph.networks.xmpp.naming import MessageNames, with_addresses
from heliograph.networks.xmpp.options import Options, SessionResources
from heliograph.networks.xmpp.outbox import Outbox
from heliograph.networks.xmpp.payloads import (
    CHAT_STATES,
    HINTS,
    change_elements,
    content_elements,
)
from heliograph.networks.xmpp.people import fetch_picture, list_contacts
from heliograph.networks.xmpp.publishing import Publisher
from heliograph.networks.xmpp.questions import Questions
from heliograph.networks.xmpp.reading import Reader
from heliograph.networks.xmpp.rooms import Room, Rooms
from heliograph.networks.xmpp.sent_files import SentFiles
from heliograph.networks.xmpp.stanzas import CARBONS, MARKERS, AnswerError, Message, element
from heliograph.networks.xmpp.stream import Stream, answered_within, check_jid
from heliograph.networks.xmpp.uploads import Uploads

SET_UP_TIMEOUT = 60.0
"""Seconds for the server's answers before a new session counts as connected."""

log = structlog.get_logger(__name__)


class XmppSession(port.Session):
    """One account's session. Raises `NetworkError` for an address or a certificate that is none."""

    def __init__(
        self,
        account: port.Account,
        events: port.Events,
        options: Options,
        resources: SessionResources,
    ) -> None:
        check_jid(options.jid)
        self._account = account
        self._options = options
        self._resources = resources
        self._tls = resources.tls(options.ca)
        self._archives: ArchiveReader | None = None
        self._search: ArchiveSearch | None = None
        questions = Questions()
        servers = FileServers(
            resources.why_refused,
            self._tls,
            plaintext=options.plaintext,
            own_hosts={domain_of(options.jid), options.host or domain_of(options.jid)},
        )
        self._uploads = Uploads(options.jid, self._stream, servers)
        self._sent_files = SentFiles(lambda: self._archives)
        ids = GroupIds(lambda: self._router.archives, self._sender_in)
        self._names = MessageNames(options.jid, ids)
        self._outbox = Outbox(questions, resources.now)
        self._rooms = Rooms(
            options.jid,
            account.name,
            self._stream,
            lambda room, why: self._groups.put_out(room.jid, why, room.subject),
        )
        reporter = Reporter(events, account.id, first_delay=resources.first_delay)
        self._publisher = Publisher(
            reporter, stored=self._stored, full=self._hold_back, lost=self._lease_lost
        )
        self._router = InboundRouter(
            options.jid,
            account.cursors,
            Reader(options.jid, account.settings, questions, ids),
            self._outbox,
            self._rooms,
            self._publisher,
            resources.now,
            ids,
            FileFetcher(account.id, servers, resources.fetching),
        )
        self._groups = Groups(
            options.jid,
            self._rooms,
            self._router,
            self._stream,
            resources.now,
            options.group_service,
        )
        self._management = GroupManagement(
            options.jid, account.settings, self._rooms, self._groups, self._stream
        )
        self._connection = Connection(
            reporter,
            first_delay=resources.first_delay,
            make=self._new_stream,
            begin=self._begin,
            serve=self._serve,
            end=self._session_over,
            identity=port.SessionState(
                port.AccountStatus.CONNECTED,
                remote_jid=options.jid,
                phone_number=phone_number(options.jid, account.settings),
            ),
        )
        self._life = asyncio.create_task(self._connection.run())
        self._passing_on = asyncio.create_task(self._publisher.run())
        self._tending: asyncio.Task[None] | None = None

    # --- the port ---

    async def send(self, message: port.Outgoing) -> port.Sent:
        self._stream()
        room = await self._group(message.recipient)
        sent_at = await self._tried(message.recipient, room, Sought.message(message))
        if sent_at is None:
            file = await self._uploads.upload(message)
            answered = await self._names.quoted(message.reply_to, room)
            said = with_addresses(message.content, self._account.settings)
            content = content_elements(said, file, answered)
            sent_at = await self._taken(
                message.recipient,
                self._outbox.send(self._stream(), message, content, in_group=room is not None),
            )
            if file is not None:
                self._sent_files.remember(message.chat_message_id, file)
        return port.Sent(
            remote_jid=message.recipient,
            sent_at=sent_at,
            phone_number=phone_number(message.recipient, self._account.settings),
            is_group=room is not None,
        )

    async def change(self, change: port.OutgoingChange) -> datetime:
        self._stream()
        room = await self._group(change.chat_jid)
        if change.content is not None:
            said = with_addresses(change.content, self._account.settings)
            change = replace(change, content=said)
        named = await self._names.changed(change, room)
        file = None
        if isinstance(change.content, Media):
            chat = self._chat(change.chat_jid, in_group=room is not None)
            file = await self._sent_files.find(chat, change.chat_message_id)
        payload = change_elements(change, named, file)
        sought = Sought.change(change, self._resources.now())
        taken_at = await self._tried(change.chat_jid, room, sought)
        if taken_at is None:
            posted = self._outbox.post(
                self._stream(),
                change.chat_jid,
                change.change_id,
                payload,
                in_group=room is not None,
            )
            taken_at = await self._taken(change.chat_jid, posted)
        return taken_at

    async def _taken(self, to: str, sent: Awaitable[datetime]) -> datetime:
        """Wait until the server has accepted a message. Raises `NetworkError`, with the actual
        reason if the address is a group's that the account is not in."""
        try:
            return await sent
        except NetworkError as error:
            raise await self._groups.explained(to, error) from None

    async def set_typing(self, chat_jid: str, is_typing: bool) -> None:
        state = "composing" if is_typing else "paused"
        self._post(chat_jid, ET.Element(CHAT_STATES + state), ET.Element(f"{HINTS}no-store"))

    async def mark_read(self, chat_jid: str, messages: Sequence[tuple[str, str]]) -> None:
        """Mark the newest of the messages, which means those before it, too (XEP-0333)."""
        if messages:
            newest, _ = messages[-1]
            marker = element(f"{MARKERS}displayed", id=newest)
            self._post(chat_jid, marker, ET.Element(f"{HINTS}store"))

    def _post(self, chat_jid: str, *payload: ET.Element) -> None:
        stream, room = self._stream(), self._room(chat_jid)
        kind = "chat" if room is None else "groupchat"
        attributes = {"to": chat_jid, "type": kind, "id": uuid4().hex}
        stream.post("message", attributes, *payload)

    async def _group(self, jid: str) -> Room | None:
        """Return the group of this address; None for a person's. Raises `NetworkError` if the
        account is outside."""
        room = self._room(jid)
        if room is None:
            await self._groups.check_outside(jid)
        return room

    def _room(self, jid: str) -> Room | None:
        """Return the group of this address; None for a person's. Raises `NetworkError` if the
        account is outside."""
        if self._groups.is_in(jid):
            return self._rooms.find(jid)
        if self._groups.knows(jid):
            raise NetworkError("The account is not in this group at the moment.")
        return None

    async def _tried(self, chat_jid: str, room: Room | None, sought: Sought) -> datetime | None:
        """Find when an earlier attempt was accepted; None if none was, or it can't be known."""
        search, chat = self._search, self._chat(chat_jid, in_group=room is not None)
        if search is None or chat is None:
            return None
        taken_at = await search.find(chat, sought) if sought.attempt else None
        search.sent(chat, sought)
        return taken_at

    def _chat(self, recipient: str, *, in_group: bool) -> ArchivedChat | None:
        """Return the archive of messages sent to this recipient, or None."""
        room = self._rooms.find(recipient) if in_group else None
        if room is None:
            return ArchivedChat(self._options.jid, recipient)
        return ArchivedChat(recipient) if room.has_archive else None

    async def ping(self) -> None:
        await self._stream().ping()
        if self._tending is None or self._tending.done():
            self._tending = asyncio.create_task(self._tend())

    async def _tend(self) -> None:
        try:
            await self._groups.rejoin_and_check()
        except NetworkError as error:
            log.info("xmpp_groups_not_tended", reason=error.reason)
        except Exception:
            log.exception("xmpp_groups_not_tended")

    async def log_out(self) -> None:
        """End the connection, and stay away until somebody pairs the account again."""
        # XMPP has no registration of a single program to end
        self._stream()
        await _end(self._life)  # else it would connect again
        await self._connection.log_out(LoggedOutError("The account was logged out: pair it again."))

    async def close(self) -> None:
        tasks = [task for task in (self._life, self._passing_on, self._tending) if task is not None]
        await _end(*tasks)
        await self._uploads.close()
        await self._connection.close()

    async def create_group(self, subject: str, participants: Sequence[str]) -> port.GroupSeen:
        self._stream()
        return await self._groups.create(subject, participants)

    async def find_group(self, subject: str, since: datetime) -> port.GroupSeen | None:
        self._stream()
        return await self._groups.find(subject, since)

    async def join_group(self, invite_link: str) -> port.GroupSeen:
        self._stream()
        return await self._groups.join(invite_link)

    async def get_group(self, remote_jid: str) -> port.GroupDetails:
        self._stream()
        return await self._management.get(remote_jid)

    async def add_participants(
        self, remote_jid: str, participants: Sequence[str]
    ) -> Mapping[str, str]:
        self._stream()
        return await self._management.add(remote_jid, participants)

    async def remove_participant(self, remote_jid: str, participant: str) -> None:
        self._stream()
        await self._management.remove(remote_jid, participant)

    async def change_group(
        self, remote_jid: str, *, subject: str | None = None, description: str | None = None
    ) -> None:
        self._stream()
        await self._management.change(remote_jid, subject, description)

    async def get_invite_link(self, remote_jid: str) -> str:
        self._stream()
        return self._management.invite_link(remote_jid)

    async def leave_group(self, remote_jid: str) -> None:
        self._stream()
        await self._management.leave(remote_jid)

    async def contacts(self) -> AsyncIterator[Sequence[port.ContactSeen]]:
        """List the roster in pages of 50."""
        async for page in list_contacts(self._stream(), self._account.settings):
            yield page

    async def picture(
        self, remote_jid: str, *, preview: bool, known_id: str | None = None
    ) -> port.FetchedPicture | None:
        return await fetch_picture(self._stream(), remote_jid, known_id=known_id)

    def _sender_in(self, group: str, message: Message) -> str | None:
        room = self._rooms.find(group)
        return None if room is None else self._rooms.sender(room, message)[0]

    # --- the life of a connection ---

    def _stream(self) -> Stream:
        return self._connection.stream

    def _new_stream(self) -> Stream:
        stream = Stream(
            self._options,
            self._tls,
            self._resources.why_refused,
            on_message=lambda xml, number: self._router.take(stream, xml, number),
            on_presence=self._rooms.take_presence,
            on_acked=self._outbox.acked,
            open_timeout=self._resources.open_timeout,
        )
        return stream

    async def _begin(self, stream: Stream) -> list[port.NetworkEvent]:
        """Set up a new server session. Returns the events to report first."""
        async with answered_within(SET_UP_TIMEOUT):
            return await self._set_up(stream)

    async def _set_up(self, stream: Stream) -> list[port.NetworkEvent]:
        archives = ArchiveReader(stream, self._options.jid, self._resources.now)
        self._router.begin(archives)
        features = await _features(stream, self._options.jid)
        self._archives = archives if NAMESPACE in features else None
        self._search = ArchiveSearch(archives) if self._archives is not None else None
        if self._archives is None:
            self._router.release_without_archive(OWN)
        if CARBONS[1:-1] in features:
            await stream.ask("set", ET.Element(f"{CARBONS}enable"))
        before = await self._first_cursor()
        stream.post("presence", {})
        if self._archives is not None:
            # until the presence is accepted, the server may store messages offline; without an
            # archive, the answer would come behind all of them, which are stored meanwhile
            await stream.ping()
        return before

    async def _first_cursor(self) -> list[port.NetworkEvent]:
        """Return a cursor at the end of the archive, the first time."""
        # messages from before the account was connected are not imported; later ones must not be
        # missed
        if self._archives is None or OWN in self._router.positions:
            return []
        position = await self._archives.last(self._options.jid)
        self._router.positions[OWN] = position
        return [port.Cursor(OWN, position.written())]

    async def _serve(self, stream: Stream) -> None:
        if self._archives is not None:
            await self._router.catch_up(OWN)
        await self._groups.enter_all()

    def _session_over(self) -> None:
        self._outbox.lose_all()
        self._router.end()
        self._rooms.left_all()

    def _stored(self, cursors: Sequence[port.Cursor]) -> None:
        self._router.stored(cursors)
        with contextlib.suppress(NotConnectedError, LoggedOutError):
            self._stream().send_ack()

    def _hold_back(self, is_full: bool) -> None:
        with contextlib.suppress(NotConnectedError, LoggedOutError):
            transport: Any = self._stream().transport
            if is_full:
                transport.pause_reading()
            else:
                transport.resume_reading()

    def _lease_lost(self) -> None:
        self._life.cancel()
        self._connection.drop()


async def _end(*tasks: "asyncio.Task[None]") -> None:
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks)


async def _features(stream: Stream, own_jid: str) -> set[str]:
    """Query the features of the server and of the account's own address. Raises `NetworkError`."""
    found: set[str] = set()
    for jid in (domain_of(own_jid), own_jid):
        try:
            info = await ask_info(stream, jid)
        except AnswerError as error:
            if not error.permanent:
                raise
            continue
        found |= features_of(info)
    return found
