"""The schema revisions of this release, and the status of a database compared with them.

`migrate` runs them. A node only checks the status, every few seconds, without Alembic and
SQLAlchemy, which would take a quarter of its memory: a revision's file gives its id and the one
before it. `contracts = True` means that it removes what nodes that don't know it need, and
`adds = True` that it also adds something that this release needs.
"""

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any

import asyncpg

from heliograph.errors import ConfigurationError

CORE = Path(__file__).parent / "migrations" / "versions"
"""The folder of the gateway's own revisions."""

FROM_BEFORE = "was made by a version before the first release, 0.1.0, and can't be upgraded"
"""The message for a database that is too old, or for an archive of one."""

_NUMBERED = re.compile(r"(?P<branch>.*?)(?P<number>\d+)")


class MigrationState(StrEnum):
    """How the database's schema compares with this release."""

    CURRENT = "current"
    EXPANDED = "expanded"
    """Everything that this release and the previous one need exists."""
    BEHIND = "behind"
    NEWER = "newer"
    TOO_NEW = "too_new"
    TOO_OLD = "too_old"
    """Made by a version before the first release, which can't be upgraded."""


class MigrationError(ConfigurationError):
    """The database's schema can't be migrated to what this release needs."""


class RefusedRevisionError(Exception):
    """The database has refused a revision, for this reason in its own words."""

    def __init__(self, reason: str, sqlstate: str | None) -> None:
        super().__init__(reason)
        self.sqlstate = sqlstate


@dataclass(frozen=True, slots=True)
class MigrationStatus:
    """`current` are the revisions the database is at, `heads` those of this release."""

    current: frozenset[str]
    heads: frozenset[str]
    state: MigrationState

    @property
    def is_usable(self) -> bool:
        """Whether this release works with the schema: its own, or that of the next release."""
        return self.state in (
            MigrationState.CURRENT,
            MigrationState.EXPANDED,
            MigrationState.NEWER,
        )


@dataclass(frozen=True, slots=True)
class Contraction:
    """A revision that may run once all living nodes know it. Only the core has these.

    `number` is its id as a number; `before` is the revision that the schema stays at until then.
    This release works without it, unless it also `adds` something.
    """

    number: int
    revision: str
    before: str
    adds: bool


class Revisions:
    """All revisions of this installation: the core's, and those in `version_locations`.

    Reading them from disk takes a few milliseconds; `compare` takes no time.
    """

    def __init__(self, version_locations: Iterable[Path] = ()) -> None:
        folders = (CORE, *version_locations)
        files = [file for folder in folders for file in sorted(folder.glob("*.py"))]
        read = [_read(file) for file in files if file.name != "__init__.py"]
        before = {id_ for revision in read for id_ in _ids(revision["down_revision"])}
        self.known = frozenset(str(revision["revision"]) for revision in read)
        self._first = _first_numbers(self.known)
        self.heads = self.known - before
        self.contractions = [
            Contraction(
                int(revision["revision"]),
                revision["revision"],
                revision["down_revision"],
                adds=revision.get("adds", False),
            )
            for revision in read
            if revision.get("contracts")
        ]

    @property
    def schema_revision(self) -> int:
        """The number of the core's newest revision, which nodes report."""
        return max(int(revision) for revision in self.known if _branch(revision) == "")

    @property
    def heads_of_drivers(self) -> list[str]:
        return sorted(head for head in self.heads if _branch(head))

    def compare(self, current: Iterable[str]) -> MigrationStatus:
        """Return the status of a database that is at the revisions `current`."""
        found = frozenset(current)
        unknown = {_branch(revision) for revision in found - self.known}
        ahead = [head for head in self.heads if _branch(head) in unknown]
        next_ones = {_next(head) for head in ahead} & found
        missing = self.heads - found - frozenset(ahead)
        if any(map(self._is_from_before, found)):
            state = MigrationState.TOO_OLD
        elif len(next_ones) < len(ahead):
            state = MigrationState.TOO_NEW
        elif not all(self._is_expanded(head, found) for head in missing):
            state = MigrationState.BEHIND
        elif missing:
            state = MigrationState.EXPANDED
        else:
            state = MigrationState.NEWER if ahead else MigrationState.CURRENT
        return MigrationStatus(found, self.heads, state)

    def _is_from_before(self, revision: str) -> bool:
        """Return whether its number is lower than any in its branch."""
        return _number(revision) < self._first.get(_branch(revision), 0)

    def _is_expanded(self, head: str, found: frozenset[str]) -> bool:
        """Return whether a database at the revisions `found` lacks only those up to `head` that
        remove something and add nothing."""
        before = {each.revision: each.before for each in self.contractions if not each.adds}
        while head not in found and head in before:
            head = before[head]
        return head in found

    async def status(
        self, connection: "asyncpg.pool.PoolConnectionProxy[Any] | asyncpg.Connection[Any]"
    ) -> MigrationStatus:
        """Return the status of the connected database. Raises what asyncpg raises."""
        try:
            rows = await connection.fetch("SELECT version_num FROM alembic_version")
        except asyncpg.UndefinedTableError:
            rows = []
        return self.compare(row["version_num"] for row in rows)


@cache  # a revision does not change while a process runs
def _read(file: Path) -> dict[str, Any]:
    """Return `revision`, `down_revision` and, if present, `contracts` and `adds`, as written in a
    revision's file."""
    body = ast.parse(file.read_text(encoding="utf-8")).body
    found = {name: value for statement in body for name, value in _assigned(statement)}
    names = ("revision", "down_revision", "contracts", "adds")
    return {name: ast.literal_eval(found[name]) for name in names if name in found}


def _assigned(statement: ast.stmt) -> Iterator[tuple[str, ast.expr]]:
    """Yield the names and values that a statement assigns: `a = 1`, `a: int = 1`, `a, b = 1, 2`."""
    if isinstance(statement, ast.AnnAssign) and statement.value is not None:
        yield ast.unparse(statement.target), statement.value
    elif isinstance(statement, ast.Assign):
        target, value = statement.targets[0], statement.value
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            yield from zip(map(ast.unparse, target.elts), value.elts, strict=False)
        else:
            yield ast.unparse(target), value


def _ids(down_revision: str | tuple[str, ...] | None) -> tuple[str, ...]:
    return (down_revision,) if isinstance(down_revision, str) else down_revision or ()


def _branch(revision: str) -> str:
    match = _NUMBERED.fullmatch(revision)
    return match["branch"] if match else revision


def _number(revision: str) -> int:
    match = _NUMBERED.fullmatch(revision)
    return int(match["number"]) if match else 0


def _first_numbers(revisions: Iterable[str]) -> dict[str, int]:
    """Return the lowest number of each branch."""
    first: dict[str, int] = {}
    for revision in sorted(revisions, key=_number, reverse=True):
        first[_branch(revision)] = _number(revision)
    return first


def _next(revision: str) -> str | None:
    match = _NUMBERED.fullmatch(revision)
    if match is None:
        return None
    return f"{match['branch']}{int(match['number']) + 1:0{len(match['number'])}d}"
