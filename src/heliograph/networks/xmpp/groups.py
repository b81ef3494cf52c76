"""The groups of one account: entering them on each connection, creating, joining and finding them.

Their list is kept on the account's server (`bookmarks`).
"""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from datetime import datetime
from uuid import uuid4

import structlog
from cachetools import LRUCache

from heliograph.networks import errors
from heliograph.networks.connection import ANSWER_TIMEOUT
from heliograph.networks.content import System
from heliograph.networks.port import GroupSeen, Inbound
from heliograph.networks.xmpp.addresses import (
    domain_of,
    invited_to,
    looks_like_group,
    room_made_at,
)
from heliograph.networks.xmpp.archive import ArchivePosition
from heliograph.networks.xmpp.bookmarks import list_bookmarks, publish_bookmark, withdraw_bookmark
from heliograph.networks.xmpp.disco import DISCO_INFO, ask_info
from heliograph.networks.xmpp.expulsions import why_refused
from heliograph.networks.xmpp.inbound_router import OWN, InboundRouter
from heliograph.networks.xmpp.rooms import Room, Rooms
from heliograph.networks.xmpp.stanzas import AnswerError, Refusal
from heliograph.networks.xmpp.stream import Stream, answered_within

AT_ONCE = 10
MAX_REMEMBERED = 1000
"""The most former groups, and domains known to have groups or not, that are remembered."""
ENTER_TIMEOUT = 60.0
"""Seconds for a group to let the account in again; others wait for it."""
DOMAIN_TIMEOUT = 5.0
"""Seconds that a domain may take to answer whether it has groups."""

log = structlog.get_logger(__name__)


class Groups:
    def __init__(
        self,
        own_jid: str,
        rooms: Rooms,
        router: InboundRouter,
        stream: Callable[[], Stream],
        now: Callable[[], datetime],
        service: str | None,
    ) -> None:
        self._own_jid = own_jid
        self._rooms = rooms
        self._router = router
        self._stream = stream
        self._now = now
        self._service = service
        self._listed: set[str] = set()
        self._locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._turn = 0
        self._left: LRUCache[str, None] = LRUCache(MAX_REMEMBERED)
        self._services: LRUCache[str, bool] = LRUCache(MAX_REMEMBERED)
        """Which domains are group services."""

    def is_in(self, jid: str) -> bool:
        room = self._rooms.find(jid)
        return room is not None and room.is_joined

    def knows(self, jid: str) -> bool:
        """Return whether the account belongs to this group, even if it is outside at the moment."""
        return self._rooms.find(jid) is not None or jid in self._router.positions

    def forget(self, jid: str) -> None:
        """Forget a group that the account is not in any more."""
        self._forget(jid)
        self._router.leave(jid)

    def _forget(self, jid: str) -> None:
        self._listed.discard(jid)
        self._left[jid] = None

    def put_out(self, jid: str, why: str, subject: str | None = None) -> None:
        """Forget a group that has removed the account, and report that."""
        told = System("removed", why)
        self._forget(jid)
        self._router.leave(
            jid,
            Inbound(
                chat_jid=jid,
                sender_jid=jid,
                chat_message_id=f"removed-{uuid4().hex}",
                content=told,
                sent_at=self._now(),
                is_group=True,
                sender_name=subject,
                group_subject=subject,
            ),
        )

    async def left(self, jid: str) -> None:
        """Forget a group that the account has left. Returns when that is on disk."""
        self.forget(jid)
        await self._router.drained()

    async def check_outside(self, jid: str) -> None:
        """Raise `GroupNotFoundError` for the address of a group that the account is not in, as far
        as that shows before anything is sent there."""
        # a group may answer so late that the message counts as sent
        if (jid in self._left or looks_like_group(jid)) and await self._is_groups(jid):
            raise _outside()

    async def explained(self, jid: str, error: errors.NetworkError) -> errors.NetworkError:
        """Return the error for a refusal by an address that may be a group's."""
        # servers give the same answer for groups and for people who can't be written to
        is_groups = error.permanent and not self.knows(jid) and await self._is_groups(jid)
        return _outside() if is_groups else error

    async def _is_groups(self, jid: str) -> bool:
        """Return whether the address belongs to a group service; False if that is unknown."""
        domain = domain_of(jid)
        if domain not in self._services:
            try:
                info = await ask_info(self._stream(), domain, timeout=DOMAIN_TIMEOUT)
            except errors.NetworkError:
                return False
            categories = {each.get("category") for each in info.iter(f"{DISCO_INFO}identity")}
            self._services[domain] = "conference" in categories
        return self._services[domain]

    # --- on each new connection ---

    async def enter_all(self) -> None:
        """Enter all groups that the account belongs to, and read the messages sent meanwhile."""
        async with answered_within(ANSWER_TIMEOUT):
            self._listed = set(await self._bookmarked())
        await self._enter_each(self._belonging())

    async def _bookmarked(self) -> list[str]:
        try:
            return await list_bookmarks(self._stream())
        except AnswerError:
            return []

    def _belonging(self) -> list[str]:
        """Return the groups that the account is in, or should be in."""
        return sorted(({*self._router.positions} | self._listed) - {OWN})

    async def _enter_each(self, jids: Iterable[str]) -> None:
        gate = asyncio.Semaphore(AT_ONCE)

        async def enter(jid: str) -> None:
            async with gate:
                await self._enter_again(jid)

        await asyncio.gather(*(enter(jid) for jid in jids))

    async def _enter_again(self, jid: str) -> None:
        """Enter a group and catch up; failures are only logged."""
        # a failure in one group must not keep the account out of the others
        async with self._locks[jid]:
            if self._is_up_to_date(jid):
                return
            try:
                async with answered_within(ENTER_TIMEOUT):
                    room = await self._inside_or_forgotten(jid)
                await self._catch_up(room)
            except errors.NetworkError as error:
                log.warning("xmpp_group_not_entered", group=jid, reason=error.reason)
            except Exception:
                log.exception("xmpp_group_failed", group=jid)
            else:
                return
            self._router.release_without_archive(jid)

    def _is_up_to_date(self, jid: str) -> bool:
        return self.is_in(jid) and not self._router.is_behind(jid)

    async def _inside_or_forgotten(self, jid: str) -> Room:
        try:
            return await self._inside(jid)
        except AnswerError as error:
            why = why_refused(error.refusal.condition)
            if why is not None and jid in self._router.positions:
                self.put_out(jid, why)
            elif why is not None:
                self.forget(jid)
            raise

    async def _inside(self, jid: str, password: str | None = None) -> Room:
        """Return the room, after entering it if necessary. Its messages wait until its archive has
        been read."""
        self._router.hold(jid)
        room = self._rooms.find(jid)
        if room is not None and room.is_joined:
            return room
        position = self._router.positions.get(jid)
        joined = await self._rooms.join(
            jid, password=password, since=position.since if position else None
        )
        if room is not None and room.subject != joined.subject:
            self._router.tell(joined.seen())
        return joined

    async def _catch_up(self, room: Room) -> None:
        if room.has_archive:
            await self._router.catch_up(room.jid)
            return
        is_new = room.jid not in self._router.positions
        self._router.release(room.jid)
        if is_new or await self._rooms.has_told_past(room):
            self._router.move(room.jid, ArchivePosition(self._now()))

    async def rejoin_and_check(self) -> None:
        """Rejoin groups that the account has dropped out of, retry archives that could not be read,
        and ask the next of the other groups whether the account is still in it."""
        # groups on other servers can drop us silently
        await self._enter_each(jid for jid in self._belonging() if not self._is_up_to_date(jid))
        rooms = sorted(self._rooms.joined(), key=lambda room: room.jid)
        if not rooms:
            return
        self._turn += 1
        room = rooms[self._turn % len(rooms)]
        if not await self._rooms.is_still_in(room):
            room.is_joined = False
            await self._enter_again(room.jid)

    # --- what is asked ---

    async def create(self, subject: str, people: Sequence[str]) -> GroupSeen:
        """Make a group. Raises `NetworkError`."""
        service = self._service or await self._rooms.service()
        if service is None:
            raise errors.NetworkError("The account's server has no group service.", permanent=True)
        self._service = service
        room = await self._create(service, subject, people)
        await self._record_joined(room)
        seen = room.seen()
        everybody = dict.fromkeys((self._own_jid, *seen.participants, *people))
        return GroupSeen(room.jid, subject, self._own_jid, room.created_at, tuple(everybody))

    async def _create(self, service: str, subject: str, people: Sequence[str]) -> Room:
        """Create a group; destroy it if somebody can't become a member."""
        noted: list[Room] = []

        async def note(room: Room) -> None:
            noted.append(room)
            await self._bookmark(room)

        try:
            return await self._rooms.create(service, subject, people, self._now(), note)
        except AnswerError:
            for room in noted:
                with suppress(errors.NetworkError):
                    await self._rooms.destroy(room)
                with suppress(errors.NetworkError):
                    await withdraw_bookmark(self._stream(), room.jid)
            raise

    async def find(self, subject: str, since: datetime) -> GroupSeen | None:
        """Find a group with this subject that the account has created since then. Raises
        `NetworkError`."""
        candidates = {*await self._bookmarked(), *self._router.positions}
        for jid in sorted(candidates):
            made = room_made_at(jid)
            if made is None or made < _to_the_millisecond(since):
                continue
            room = await self._find_room(jid, subject)
            if room is not None:
                return room.seen()
        return None

    async def _find_room(self, jid: str, subject: str) -> Room | None:
        try:
            info = await self._rooms.info(jid)
            if info.subject != subject:
                return None
            async with self._locks[jid]:
                room = self._rooms.find(jid)
                if room is None or not room.is_joined:
                    room = await self._join(jid)
        except AnswerError:
            return None
        room.owner_jid = room.owner_jid or self._own_jid
        return room

    async def join(self, invite_link: str) -> GroupSeen:
        """Enter a group by its link. Raises the children of `InviteError`, and `NetworkError`."""
        jid, password = invited_to(invite_link)
        async with self._locks[jid]:
            if self.is_in(jid):
                raise errors.AlreadyInGroupError(
                    "The account is in this group already.", remote_jid=jid
                )
            try:
                room = await self._join(jid, password)
            except AnswerError as error:
                raise invite_error(error.refusal) from None
        return room.seen()

    async def _join(self, jid: str, password: str | None = None) -> Room:
        try:
            room = await self._inside(jid, password)
        except BaseException:
            self._router.release_without_archive(jid)
            raise
        await self._bookmark(room)
        await self._record_joined(room)
        return room

    async def _record_joined(self, room: Room) -> None:
        try:
            await self._catch_up(room)
        except errors.NetworkError as error:
            log.warning("xmpp_group_not_read", group=room.jid, reason=error.reason)
            self._router.release_without_archive(room.jid)
            if room.jid not in self._router.positions:
                self._router.move(room.jid, ArchivePosition(self._now()))
        await self._router.drained()  # a group that was reported must be remembered after a crash

    async def _bookmark(self, room: Room) -> None:
        try:
            await publish_bookmark(self._stream(), room.jid, room.subject, room.nick)
        except errors.NetworkError as error:
            if not (error.permanent or isinstance(error, AnswerError)):
                raise
            log.info("xmpp_group_not_listed", group=room.jid, reason=error.reason)


def invite_error(refusal: Refusal) -> errors.NetworkError:
    """Return the error for a room's refusal of somebody with an invite link."""
    match refusal.condition:
        case "registration-required":
            return errors.ApprovalRequiredError(
                "Only members may enter this group: somebody who runs it must add the account."
            )
        case "gone" | "forbidden" | "not-authorized":
            return errors.InviteRevokedError(
                "The group is closed, or does not let the account in by this link."
            )
        case "item-not-found" | "remote-server-not-found" | "service-unavailable":
            return errors.InviteNotFoundError("There is no such group.")
        case _:
            return errors.InviteError(refusal.sentence, permanent=refusal.is_permanent)


def _outside() -> errors.GroupNotFoundError:
    return errors.GroupNotFoundError("The account is not in this group, or the group is gone.")


def _to_the_millisecond(at: datetime) -> datetime:
    return at.replace(microsecond=at.microsecond // 1000 * 1000)
