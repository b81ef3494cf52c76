"""What one page that is being looked at has not been told yet, and why it is told no more."""

import asyncio
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal, TypeAlias
from uuid import UUID

from heliograph.core.events.feed import PAGE

LONGEST_SILENCE = 1.0
"""Seconds after which `LiveView.next` returns, whether anything has happened or not."""

Kind: TypeAlias = Literal["messages", "conversations", "devices"]


class NoLongerAllowedError(Exception):
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

        When the view has ended, raises `NoLongerAllowedError`, `DisplacedError`, or
        `UnavailableError` where the database can't be asked.
        """
        with suppress(TimeoutError):
            async with asyncio.timeout(LONGEST_SILENCE):
                await self._told.wait()
        self._told.clear()
        if self._failure is not None:
            raise self._failure
        hints, self._hints = list(self._hints), {}
        return hints
