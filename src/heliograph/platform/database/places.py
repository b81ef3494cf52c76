"""Remembers where rows were last written, so that a lookup finds them at once.

An index lookup of a frequently updated row scans all versions that have not been vacuumed:
thousands, while a snapshot stays open. So a process remembers the `ctid` of the version it wrote.
That is only a hint: the statement also names the row's key, and if the current version is
elsewhere, an index lookup follows. See docs/decisions/0062.
"""

from collections.abc import Hashable, Iterable
from typing import Generic, TypeAlias, TypeVar

from cachetools import LRUCache

MAX_REMEMBERED = 10_000
"""How many rows are remembered: those written last."""

K = TypeVar("K", bound=Hashable)
Place: TypeAlias = tuple[int, int]
"""A row's `ctid`: its block, and its number within the block."""


class Places(Generic[K]):
    """The places of rows by their keys, `K`, as known to one process. Without `are_known`, none
    are known."""

    def __init__(self, *, are_known: bool = True) -> None:
        self._are_known = are_known
        self._places: LRUCache[K, Place] = LRUCache(MAX_REMEMBERED)

    def of(self, keys: Iterable[K]) -> list[Place] | None:
        """Return the places of all keys, or None if any is unknown."""
        found = []
        for key in keys:
            place = self._places.get(key)
            if place is None:
                return None
            found.append(place)
        return found

    def forget(self, key: K, place: Place) -> None:
        """Look no more where the row is not, unless another place is remembered by now."""
        if self._places.get(key) == place:
            del self._places[key]

    def put(self, key: K, place: Place) -> None:
        """Remember where the row was written. If that is not committed, a lookup there finds
        nothing."""
        if self._are_known:
            self._places[key] = place
