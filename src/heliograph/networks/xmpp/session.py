"""A session: what the gateway asks of one account's connection to its server."""

import asyncio
import contextlib
import xml.etree.ElementTree as ET
from collections.abc import AsyncIterator, Sequence
from datetime import datetime
from typing import Any

import structlog

from heliograph.networks.errors import LoggedOutError, NetworkError, NotConnectedError
from heliograph.networks.port import (
    Account,
    AccountStatus,
    ContactSeen,
    Cursor,
    Events,
    GroupSeen,
    NetworkEvent,
    Outgoing,
    Picture,
    Sent,
    Session,
    SessionState,
)
from heliograph.networks.reporting import Reporter
from heliograph.networks.xmpp.addresses import domain_of, phone_number
from heliograph.networks.xmpp.archive import NAMESPACE, ArchiveReader
from heliograph.networks.xmpp.archive_search import ArchivedChat, ArchiveSearch
from heliograph.networks.xmpp.connection import Connection
from heliograph.networks.xmpp.groups import Groups
from heliograph.networks.xmpp.inbound_router import OWN, InboundRouter
from heliograph.networks.xmpp.options import Options, SessionResources
from heliograph.networks.xmpp.outbox import Outbox
from heliograph.networks.xmpp.people import fetch_picture, list_contacts
from heliograph.networks.xmpp.publishing import Publisher
from heliograph.networks.xmpp.questions import Questions
from heliograph.networks.xmpp.reading import Reader
from heliograph.networks.xmpp.rooms import DISCO_INFO, Rooms, features_of
from heliograph.networks.xmpp.stanzas import CARBONS, AnswerError
from heliograph.networks.xmpp.stream import Stream, check_jid

log = structlog.get_logger(__name__)


class XmppSession(Session):
    """One account's session. Raises `NetworkError` for an address or a certificate that is none."""

    def __init__(
        self, account: Account, events: Events, options: Options, resources: SessionResources
    ) -> None:
        check_jid(options.jid)
        self._account = account
        self._options = options
        self._resources = resources
        self._tls = resources.tls(options.ca)
        self._archives: ArchiveReader | None = None
        self._search: ArchiveSearch | None = None
        questions = Questions()
        self._outbox = Outbox(questions, resources.now)
        self._rooms = Rooms(
            options.jid, account.name, self._stream, lambda room: self._groups.forget(room)
        )
        reporter = Reporter(events, account.id, first_delay=resources.first_delay)
        self._publisher = Publisher(
            reporter, stored=self._stored, full=self._hold_back, lost=self._lease_lost
        )
        self._router = InboundRouter(
            options.jid,
            account.cursors,
            Reader(options.jid, account.settings, questions),
            self._outbox,
            self._rooms,
            self._publisher,
            resources.now,
        )
        self._groups = Groups(
            options.jid,
            self._rooms,
            self._router,
            self._stream,
            resources.now,
            options.group_service,
        )
        self._connection = Connection(
            reporter,
            first_delay=resources.first_delay,
            make=self._new_stream,
            begin=self._begin,
            serve=self._serve,
            end=self._session_over,
            identity=SessionState(
                AccountStatus.CONNECTED,
                remote_jid=options.jid,
                phone_number=phone_number(options.jid, account.settings),
            ),
        )
        self._life = asyncio.create_task(self._connection.run())
        self._passing_on = asyncio.create_task(self._publisher.run())
        self._tending: asyncio.Task[None] | None = None

    # --- the port ---

    async def send(self, message: Outgoing) -> Sent:
        stream = self._stream()
        in_group = self._groups.is_in(message.recipient)
        if not in_group and self._groups.knows(message.recipient):
            raise NetworkError("The account is not in this group at the moment.")
        search, chat = self._search, self._chat(message.recipient, in_group=in_group)
        sent_at = None
        if search is not None and chat is not None:
            sent_at = await search.find(chat, message) if message.attempt else None
            search.sent(chat, message)
        if sent_at is None:
            sent_at = await self._outbox.send(stream, message, in_group=in_group)
        return Sent(
            remote_jid=message.recipient,
            sent_at=sent_at,
            phone_number=phone_number(message.recipient, self._account.settings),
            is_group=in_group,
        )

    def _chat(self, recipient: str, *, in_group: bool) -> ArchivedChat | None:
        """Return where the archives keep what is sent there; None if nothing keeps it."""
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
        """End the connection, and stay away until somebody pairs the account anew."""
        # XMPP has no registration of a single program that could be ended
        self._stream()
        await _end(self._life)  # else it would connect again
        await self._connection.log_out(LoggedOutError("The account was logged out: pair it again."))

    async def close(self) -> None:
        tasks = [task for task in (self._life, self._passing_on, self._tending) if task is not None]
        await _end(*tasks)
        await self._connection.close()

    async def create_group(self, subject: str, participants: Sequence[str]) -> GroupSeen:
        self._stream()
        return await self._groups.create(subject, participants)

    async def find_group(self, subject: str, since: datetime) -> GroupSeen | None:
        self._stream()
        return await self._groups.find(subject, since)

    async def join_group(self, invite_link: str) -> GroupSeen:
        self._stream()
        return await self._groups.join(invite_link)

    async def contacts(self) -> AsyncIterator[Sequence[ContactSeen]]:
        """List the roster in pages of 50."""
        async for page in list_contacts(self._stream(), self._account.settings):
            yield page

    async def picture(
        self, remote_jid: str, *, preview: bool, known_id: str | None = None
    ) -> Picture | None:
        return await fetch_picture(self._stream(), remote_jid, known_id=known_id)

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
            on_acked=self._outbox.taken,
            open_timeout=self._resources.open_timeout,
        )
        return stream

    async def _begin(self, stream: Stream) -> list[NetworkEvent]:
        """Set up a new session of the server; returns events that belong before it."""
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
        return before

    async def _first_cursor(self) -> list[NetworkEvent]:
        """Return a cursor at the end of the archive, the first time."""
        # what was said before the account was connected is not ours; what comes from now on must
        # not be missed
        if self._archives is None or OWN in self._router.positions:
            return []
        position = await self._archives.last(self._options.jid)
        self._router.positions[OWN] = position
        return [Cursor(OWN, position.written())]

    async def _serve(self, stream: Stream) -> None:
        if self._archives is not None:
            await self._router.catch_up(OWN)
        await self._groups.enter_all()

    def _session_over(self) -> None:
        self._outbox.lose_all()
        self._router.end()
        self._rooms.left_all()

    def _stored(self, cursors: Sequence[Cursor]) -> None:
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
    """Ask what the server and the account's own address offer. Raises `NetworkError`."""
    found: set[str] = set()
    for jid in (domain_of(own_jid), own_jid):
        try:
            answer = await stream.ask("get", ET.Element(f"{DISCO_INFO}query"), jid)
        except AnswerError as error:
            if not error.permanent:
                raise
            continue
        found |= features_of(answer)
    return found
