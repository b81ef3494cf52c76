"""What one session knows of people and groups: which hidden id is which number, groups' subjects.

Everything here is bounded, and can be asked for again.
"""

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from cachetools import LRUCache, TLRUCache
from neonize.proto.Neonize_pb2 import GroupInfo

from heliograph.networks.errors import NetworkError
from heliograph.networks.port import ContactSeen, GroupSeen
from heliograph.networks.whatsapp.addresses import is_lid, phone_number
from heliograph.networks.whatsapp.client_run import ClientRun
from heliograph.networks.whatsapp.conversion.jids import to_jid, to_text
from heliograph.networks.whatsapp.conversion.people import group_of, pairs_in
from heliograph.networks.whatsapp.library_client import LibraryClient

MAX_REMEMBERED = 10_000
STORE_TIMEOUT = 5.0
"""Seconds that what arrived waits for the library's store."""
PAUSE = 60.0
"""Seconds for which nothing more is asked of what did not answer."""


class Directory:
    """What one session knows of people and groups.

    `book` leads from hidden ids to addresses with the number, `hidden` back; `answered` from
    numbers to those that WhatsApp has for them; `subjects` from groups; `hides_numbers` tells of
    groups whether their members are known by hidden ids there.
    """

    def __init__(self) -> None:
        self.book = _remembered()
        self.hidden = _remembered()
        self.answered = _remembered()
        self.subjects = _remembered()
        self.hides_numbers: LRUCache[str, bool] = LRUCache(MAX_REMEMBERED)
        self.pauses: TLRUCache[str, bool] = TLRUCache(
            MAX_REMEMBERED, lambda _name, _is_paused, now: now + PAUSE
        )
        self._introduced = _remembered()
        self._asked = _remembered()

    def canonical(self, jid: str) -> str:
        """Return the one address of a person, whichever of their addresses this is."""
        jid = self.answered.get(jid, jid)
        return self.book.get(jid, jid)

    def learn(self, pairs: Mapping[str, str]) -> list[ContactSeen]:
        """Remember pairs of people who write or are written to; returns new pairs as contacts."""
        new = {lid: to for lid, to in pairs.items() if self._introduced.get(lid) != to}
        for lid, number in new.items():
            self._introduced[lid] = number
        self._enter(new)
        return [ContactSeen(lid, phone_number(number)) for lid, number in new.items()]

    def record(self, pairs: Mapping[str, str]) -> list[ContactSeen]:
        """Remember pairs of people who may never write, such as members of a group; returns each
        new pair as a contact, `if_known`."""
        new = {lid: to for lid, to in pairs.items() if self.book.get(lid) != to}
        self._enter(new)
        return [
            ContactSeen(lid, phone_number(number), if_known=True) for lid, number in new.items()
        ]

    def record_groups(
        self, infos: Sequence[GroupInfo]
    ) -> tuple[list[ContactSeen], list[GroupSeen]]:
        """Remember members and subjects of groups; returns new pairs as `record` does, and the
        groups."""
        pairs = {lid: number for info in infos for lid, number in pairs_in(info).items()}
        learned = self.record(pairs)
        groups = [group_of(info, self.book) for info in infos]
        for group in groups:
            if group.subject:
                self.subjects[group.remote_jid] = group.subject
        for info in infos:
            if info.Participants:
                hidden = is_lid(to_text(info.Participants[0].JID))
                self.hides_numbers[to_text(info.JID)] = hidden
        return learned, groups

    def _enter(self, pairs: Mapping[str, str]) -> None:
        for lid, number in pairs.items():
            self.book[lid] = number
            self.hidden[number] = lid

    async def resolve(self, lids: Iterable[str], run: ClientRun | None) -> list[ContactSeen]:
        """Ask the library's store for the numbers of hidden ids that we don't know."""
        # what it has answered is not asked again
        pairs: dict[str, str] = {}
        for lid in lids:
            if lid not in self.book and is_lid(lid):
                number = await self._ask(run, lid, _number)
                pairs |= {lid: number} if number else {}
        return self.learn(pairs)

    async def earlier(self, jids: Iterable[str], run: ClientRun | None) -> dict[str, str]:
        """Find the hidden ids under which these people may have been stored before."""
        found: dict[str, str] = {}
        for jid in jids:
            if jid not in self.hidden and phone_number(jid) is not None:
                lid = await self._ask(run, jid, _lid)
                self._enter({lid: jid} if lid else {})
            if jid in self.hidden:
                found[jid] = self.hidden[jid]
        return found

    async def _ask(
        self, run: ClientRun | None, jid: str, question: Callable[[str, LibraryClient], Any]
    ) -> str:
        """Ask the library's store; returns an empty text where it has no answer, or does not answer
        in time."""
        if run is None or jid in self._asked or "store" in self.pauses:
            return ""
        try:
            async with asyncio.timeout(STORE_TIMEOUT):
                answer = await run.ask(partial(question, jid))
        except (NetworkError, TimeoutError):
            self.pauses["store"] = True
            return ""
        self._asked[jid] = ""
        return to_text(answer) if answer.User else ""


def _remembered() -> LRUCache[str, str]:
    return LRUCache(MAX_REMEMBERED)


def _number(lid: str, client: LibraryClient) -> Any:
    return client.get_pn_from_lid(to_jid(lid))


def _lid(number: str, client: LibraryClient) -> Any:
    return client.get_lid_from_pn(to_jid(number))
