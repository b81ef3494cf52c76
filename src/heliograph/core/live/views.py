"""The views of pages that are open: the hints each has yet to get, and how many there may be.

A person's newest page displaces their oldest, for the newest is the one being looked at. No page
displaces another person's: past the limit of an organization or a process, a new page is refused.
"""

import asyncio
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias
from uuid import UUID

from heliograph.core.events.service import PAGE
from heliograph.core.tenants.model import Principal
from heliograph.errors import TooManyRequestsError
from heliograph.platform.aio.periodic import wait_until_set

LONGEST_SILENCE = 1.0
"""Seconds after which `LiveView.next` returns, whether anything has happened or not."""

Kind: TypeAlias = Literal["messages", "conversations", "devices"]


class AccessRevokedError(Exception):
    """The viewer has signed out, the session is over, or the membership is not what it was."""


class DisplacedError(Exception):
    """The viewer has opened more pages than one person may keep open: the newest are told."""


@dataclass(frozen=True, slots=True)
class Hint:
    """Messages of a conversation, how one stands, or an account, are not what they were.

    Without a subject, more has happened than is told one by one.
    """

    kind: Kind
    subject: UUID | None


_EVERYTHING = (Hint("messages", None), Hint("conversations", None), Hint("devices", None))


@dataclass(frozen=True, slots=True)
class Viewer:
    """Who looks at a page: with which browser session, and with what a role grants.

    Without a session, as the operator, nobody can be signed out.
    """

    scopes: frozenset[str]
    session: bytes | None = None


class LiveView:
    """What one page has not been told yet. `next` is for one caller at a time."""

    def __init__(self, viewer: Viewer, conversation_id: UUID | None = None) -> None:
        self.viewer = viewer
        self.conversation_id = conversation_id
        self._hints: dict[Hint, None] = {}
        self._failure: Exception | None = None
        self._told = asyncio.Event()

    @property
    def has_ended(self) -> bool:
        return self._failure is not None

    def report(self, hints: Iterable[Hint]) -> None:
        self._hints |= dict.fromkeys(hints)
        if len(self._hints) > PAGE:  # whoever does not listen is not to be kept much for
            self._hints = dict.fromkeys(_EVERYTHING)
        self._told.set()

    def end(self, failure: Exception) -> None:
        """The first reason stays."""
        self._failure = self._failure or failure
        self._told.set()

    async def next(self) -> list[Hint]:
        """What has happened since the last call; after a second at most, and then perhaps nothing.

        When the view has ended, raises `AccessRevokedError`, `DisplacedError`, or
        `UnavailableError` where the database can't be asked.
        """
        await wait_until_set(self._told, LONGEST_SILENCE)
        self._told.clear()
        if self._failure is not None:
            raise self._failure
        hints, self._hints = list(self._hints), {}
        return hints


MAX_VIEWS = 1000
"""Of one process."""
MAX_VIEWS_OF_ORGANIZATION = 250
MAX_VIEWS_OF_PERSON = 12
REFUSED_SECONDS = 30
"""After which a page that was refused may ask again."""


class LiveLimits:
    """The views of one process, from when they are let in until their connections are gone."""

    def __init__(self) -> None:
        self._of_organizations: Counter[UUID] = Counter()
        self._of_people: defaultdict[str, list[LiveView]] = defaultdict(list)

    @property
    def count(self) -> int:
        return self._of_organizations.total()

    def enter(self, principal: Principal, view: LiveView) -> None:
        """End the person's oldest view where this one needs its place.

        Raises `TooManyRequestsError`.
        """
        mine = self._of_people.get(principal.actor, [])
        told = [each for each in mine if not each.has_ended]
        is_full = self._is_full(principal.organization_id)
        # those that gave way to connections which nobody reads are not gone at once
        if len(mine) >= 2 * MAX_VIEWS_OF_PERSON or (is_full and not told):
            raise TooManyRequestsError(
                "Too many pages are open at the same time.", retry_after=REFUSED_SECONDS
            )
        if is_full or len(told) >= MAX_VIEWS_OF_PERSON:
            told[0].end(DisplacedError())
        self._of_people[principal.actor].append(view)
        self._of_organizations[principal.organization_id] += 1

    def leave(self, principal: Principal, view: LiveView) -> None:
        mine = self._of_people[principal.actor]
        mine.remove(view)
        if not mine:
            del self._of_people[principal.actor]
        self._of_organizations[principal.organization_id] -= 1
        if not self._of_organizations[principal.organization_id]:
            del self._of_organizations[principal.organization_id]

    def _is_full(self, organization_id: UUID) -> bool:
        return (
            self.count >= MAX_VIEWS
            or self._of_organizations[organization_id] >= MAX_VIEWS_OF_ORGANIZATION
        )
