"""What one session knows of people and groups: which hidden id is which number, groups' subjects.

Everything here is bounded, and can be asked for again.
"""

import asyncio
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any

from heliograph.networks.errors import NetworkError
from heliograph.networks.port import ContactSeen
from heliograph.networks.whatsapp.addresses import is_lid, phone_number
from heliograph.networks.whatsapp.client import Client
from heliograph.networks.whatsapp.conversion.jids import to_jid, to_text
from heliograph.networks.whatsapp.phone import Phone

MOST = 10_000
PATIENCE = 5.0
"""Seconds that what arrived waits for the library's store."""
PAUSE = 60.0
"""Seconds for which nothing more is asked of what did not answer."""


class Bounded(Mapping[str, str]):
    """A dictionary that forgets what was used longest ago."""

    def __init__(self, most: int = MOST) -> None:
        self._values: OrderedDict[str, str] = OrderedDict()
        self._most = most

    def __getitem__(self, key: str) -> str:
        value = self._values[key]
        self._values.move_to_end(key)
        return value

    def __iter__(self) -> Iterator[str]:
        return iter(list(self._values))

    def __len__(self) -> int:
        return len(self._values)

    def set(self, key: str, value: str) -> None:
        self._values[key] = value
        self._values.move_to_end(key)
        if len(self._values) > self._most:
            self._values.popitem(last=False)

    def forget(self, key: str) -> None:
        self._values.pop(key, None)


class Pauses:
    """What did not answer is left alone for a while: all that arrives would wait for it in turn."""

    def __init__(self) -> None:
        self._until: dict[str, float] = {}

    def begin(self, name: str) -> None:
        if len(self._until) >= MOST:
            self._until.clear()
        self._until[name] = time.monotonic() + PAUSE

    def has(self, name: str) -> bool:
        return time.monotonic() < self._until.get(name, 0.0)


class Directory:
    """`book` leads from hidden ids to addresses with the number, `hidden` back; `answered` from
    numbers to the ones that WhatsApp has for them; `subjects` from groups."""

    def __init__(self) -> None:
        self.book = Bounded()
        self.hidden = Bounded()
        self.answered = Bounded()
        self.subjects = Bounded()
        self.pauses = Pauses()
        self._introduced = Bounded()
        self._asked = Bounded()

    def canonical(self, jid: str) -> str:
        """The one address of a person, however they are named."""
        jid = self.answered.get(jid, jid)
        return self.book.get(jid, jid)

    def learn(self, pairs: Mapping[str, str]) -> list[ContactSeen]:
        """Remember pairs of people who are heard of; for each that is new, that it is one
        person."""
        new = {lid: to for lid, to in pairs.items() if self._introduced.get(lid) != to}
        for lid, number in new.items():
            self._introduced.set(lid, number)
        self._enter(new)
        return [ContactSeen(lid, phone_number(number)) for lid, number in new.items()]

    def record(self, pairs: Mapping[str, str]) -> list[ContactSeen]:
        """Remember pairs of people who may never be heard of, such as a group's members; for each
        that is new, that it is one person, should anything be known of them."""
        new = {lid: to for lid, to in pairs.items() if self.book.get(lid) != to}
        self._enter(new)
        return [
            ContactSeen(lid, phone_number(number), if_known=True) for lid, number in new.items()
        ]

    def _enter(self, pairs: Mapping[str, str]) -> None:
        for lid, number in pairs.items():
            self.book.set(lid, number)
            self.hidden.set(number, lid)

    async def resolve(self, lids: Iterable[str], client: Client | None) -> list[ContactSeen]:
        """Ask the library's store for the numbers of hidden ids that we don't know. What it has
        answered is not asked again."""
        pairs: dict[str, str] = {}
        for lid in lids:
            if lid not in self.book and is_lid(lid):
                number = await self._ask(client, lid, _number)
                pairs |= {lid: number} if number else {}
        return self.learn(pairs)

    async def earlier(self, jids: Iterable[str], client: Client | None) -> dict[str, str]:
        """The hidden ids under which these people may have been told of before."""
        found: dict[str, str] = {}
        for jid in jids:
            if jid not in self.hidden and phone_number(jid) is not None:
                lid = await self._ask(client, jid, _lid)
                self._enter({lid: jid} if lid else {})
            if jid in self.hidden:
                found[jid] = self.hidden[jid]
        return found

    async def _ask(
        self, client: Client | None, jid: str, question: Callable[[str, Phone], Any]
    ) -> str:
        """The store's answer; empty where it has none, or does not answer in time."""
        if client is None or jid in self._asked or self.pauses.has("store"):
            return ""
        try:
            async with asyncio.timeout(PATIENCE):
                answer = await client.ask(partial(question, jid))
        except (NetworkError, TimeoutError):
            self.pauses.begin("store")
            return ""
        self._asked.set(jid, "")
        return to_text(answer) if answer.User else ""


def _number(lid: str, phone: Phone) -> Any:
    return phone.get_pn_from_lid(to_jid(lid))


def _lid(number: str, phone: Phone) -> Any:
    return phone.get_lid_from_pn(to_jid(number))
