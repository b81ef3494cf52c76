"""The network's current restriction of an account, as its session knows it."""

from datetime import datetime, timedelta

from heliograph.core.accounts.model import Restriction
from heliograph.core.ingest.storable import clean
from heliograph.networks.errors import RestrictedError
from heliograph.networks.port import Restricted

UNKNOWN_LENGTH = timedelta(hours=24)
"""The assumed length of a restriction if the network does not say when it ends."""


class RestrictionState:
    """The account's restriction while this node owns it. It is also in the account's row, for the
    next owner.

    `lapsed` are the ends of earlier restrictions, until which messages may still be held.
    """

    def __init__(self, restriction: Restriction | None = None) -> None:
        self._restriction = restriction
        self.lapsed: list[datetime] = []

    def at(self, now: datetime) -> Restriction | None:
        """Return the restriction, if it still lasts."""
        current = self._restriction
        return current if current is not None and current.until > now else None

    def set(self, restriction: Restriction | None) -> None:
        before, until = self._restriction, None if restriction is None else restriction.until
        if before is not None and before.until != until:
            self.lapsed.append(before.until)
        self._restriction = restriction

    def met(self, error: RestrictedError, now: datetime) -> Restricted | None:
        """Update the restriction after a refused message. Returns the event to report, or None if
        it is already known.

        If several messages are refused at the same time, the first one's end counts, unless the
        network names a later one.
        """
        current = self.at(now)
        if current is not None and (error.until is None or error.until <= current.until):
            return None
        is_guess = error.until is None or error.until <= now
        until = now + UNKNOWN_LENGTH if error.until is None or is_guess else error.until
        event = Restricted("new_conversations", until, clean(error.reason), is_guess)
        self.set(Restriction(event.kind, event.until, event.reason))
        return event
