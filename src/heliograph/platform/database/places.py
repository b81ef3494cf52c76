"""Remembers where rows were last written, so that a look-up finds them at once.

An index look-up of a frequently updated row scans all versions that have not been vacuumed:
thousands, while a snapshot stays open. So a process remembers the `ctid` of the version that it has
written. That is a hint: the statement names the row's key as well, and if the current version is
elsewhere, a look-up by the index follows. See docs/decisions/0062.
"""

from collections.abc import Hashable, Iterable
from typing import Generic, TypeAlias, TypeVar

from cachetools import LRUCache

MAX_REMEMBERED = 10_000
"""Rows that are remembered: those that were written last."""

K = TypeVar("K", bound=Hashable)
Place: TypeAlias = tuple[int, int]
"""A row's `ctid`: its block, and its number there."""


class Places(Generic[K]):
    """The places of rows by their keys, `K`, as one process knows them. Without `are_known`, none
    is."""

    def __init__(self, *, are_known: bool = True) -> None:
        self._are_known = are_known
        self._places: LRUCache[K, Place] = LRUCache(MAX_REMEMBERED)

    def of(self, keys: Iterable[K]) -> list[Place] | None:
        """Return the places of all; None if one is not known."""
        found = []
        for key in keys:
            place = self._places.get(key)
            if place is None:
                return None
            found.append(place)
        return found

    def put(self, key: K, place: Place) -> None:
        """Remember where the row was written. Should that not be committed, nobody finds it
        there."""
        if self._are_known:
            self._places[key] = place
