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

MAX_WAIT = 1.0
"""Seconds after which `LiveView.next` returns, whether anything has happened or not."""

Kind: TypeAlias = Literal["messages", "conversations", "devices"]


class AccessRevokedError(Exception):
    """The viewer has signed out, the session has ended, or the membership has changed."""


class DisplacedError(Exception):
    """The viewer has opened more pages than one person may keep open; the newest stay."""


@dataclass(frozen=True, slots=True)
class Hint:
    """The messages or the state of a conversation, or an account, have changed.

    `subject` is the id of the conversation or account; None when there are too many to list.
    """

    kind: Kind
    subject: UUID | None


_EVERYTHING = (Hint("messages", None), Hint("conversations", None), Hint("devices", None))


@dataclass(frozen=True, slots=True)
class Viewer:
    """The scopes and the browser session with which a page is open.

    The operator has no session, and cannot be signed out.
    """

    scopes: frozenset[str]
    session: bytes | None = None


class LiveView:
    """The hints that one page has yet to get. `next` is for one caller at a time."""

    def __init__(self, viewer: Viewer, conversation_id: UUID | None = None) -> None:
        self.viewer = viewer
        self.conversation_id = conversation_id
        self._hints: dict[Hint, None] = {}
        self._failure: Exception | None = None
        self._reported = asyncio.Event()

    @property
    def has_ended(self) -> bool:
        return self._failure is not None

    def report(self, hints: Iterable[Hint]) -> None:
        self._hints |= dict.fromkeys(hints)
        if len(self._hints) > PAGE:  # a bound on memory for a page that does not read
            self._hints = dict.fromkeys(_EVERYTHING)
        self._reported.set()

    def end(self, failure: Exception) -> None:
        """End the view. Of several reasons, the first counts."""
        self._failure = self._failure or failure
        self._reported.set()

    async def next(self) -> list[Hint]:
        """Return what has happened since the last call, after `MAX_WAIT` seconds at most.

        Raises, when the view has ended, `AccessRevokedError`, `DisplacedError`, or
        `UnavailableError` if the database could not be read.
        """
        await wait_until_set(self._reported, MAX_WAIT)
        self._reported.clear()
        if self._failure is not None:
            raise self._failure
        hints, self._hints = list(self._hints), {}
        return hints


MAX_VIEWS = 1000
"""Of one process; the next two are parts of it."""
MAX_VIEWS_OF_ORGANIZATION = 250
MAX_VIEWS_OF_PERSON = 12
RETRY_AFTER = 30
"""Seconds after which a page that was refused may try again."""


class LiveLimits:
    """Counts the views of one process, from their start until their connections are gone."""

    def __init__(self) -> None:
        self._of_organizations: Counter[UUID] = Counter()
        self._of_people: defaultdict[str, list[LiveView]] = defaultdict(list)

    @property
    def count(self) -> int:
        return self._of_organizations.total()

    def enter(self, principal: Principal, view: LiveView) -> None:
        """Count the view in; displace the person's oldest one where there is no room for both.

        Raises `TooManyRequestsError`.
        """
        mine = self._of_people.get(principal.actor, [])
        active = [other for other in mine if not other.has_ended]
        is_full = self._is_full(principal.organization_id)
        # A displaced view stays until its connection is gone, which may take long if nobody reads.
        if len(mine) >= 2 * MAX_VIEWS_OF_PERSON or (is_full and not active):
            raise TooManyRequestsError(
                "Too many pages are open at the same time.", retry_after=RETRY_AFTER
            )
        if is_full or len(active) >= MAX_VIEWS_OF_PERSON:
            active[0].end(DisplacedError())
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
