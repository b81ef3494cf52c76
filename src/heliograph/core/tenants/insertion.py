"""Inserts of tenants' rows, in the form that is fast on each kind of server.

On one PostgreSQL, rows come from arrays: `INSERT … SELECT … FROM unnest(…)`, however many. Citus
would gather them on the coordinator and make a plan for each of its shards, which takes ten times
as long as forwarding an `INSERT … VALUES` to the shard. See docs/decisions/0068.

    INSERT = insertion(
        "INSERT INTO labels (shard, {names}) SELECT {shard}, {values} FROM {rows}", LABELS
    )
    await INSERT.insert(connection, shards, labels)
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from heliograph.core.tenants.rows import Shards, TenantStatement, statement
from heliograph.platform.database.pool import Connection, Row, is_on_citus
from heliograph.platform.database.rows import Columns

_FORM = re.compile(
    r"\s*INSERT INTO (?P<into>.+?)\s+SELECT\s+(?P<values>.+?)\s+FROM \{rows(_in_order)?\}"
    r"(?:\s+ORDER BY (?P<order>k\.\w+(?:, k\.\w+)*))?(?P<then>\s+(?:ON|RETURNING) .+)?\s*",
    re.DOTALL,
)
_COLUMN = re.compile(r"\bk\.(\w+)")

SIZES = (64, 48, 32, 24, 16, 12, 8, 6, 4, 3, 2, 1)
"""The numbers of rows that have a statement of their own, which each connection prepares once.
Larger ones would save nothing, and numbers in between take two or three statements."""


@dataclass(frozen=True, slots=True)
class ValuesForm:
    """`INSERT … VALUES` of rows of one shard, which is `$1`. Each row has parameters of its own,
    from `columns.first` on; elements of arrays would be copied once for each that is read.

    `asked` is a sub-select of the statement for one server. Citus takes none among values, so it is
    queried beforehand, and its result is the last parameter before those of the rows.
    """

    into: str
    values: str
    then: str
    order: tuple[str, ...]
    asked: str | None
    columns: Columns

    def text(self, count: int) -> str:
        """Return the statement for this many rows."""
        rows = ", ".join(f"({self._row(number)})" for number in range(count))
        return " ".join(("INSERT INTO", self.into, "VALUES", rows)) + self.then

    def _row(self, number: int) -> str:
        names, first = self.columns.names, self.first + number * len(self.columns.names)
        parameters = {
            name: f"${place}::{kind}"
            for place, (name, kind) in enumerate(zip(names, self.columns.kinds, strict=True), first)
        }
        return _COLUMN.sub(lambda found: parameters[found[1]], self.values)

    @property
    def first(self) -> int:
        return self.columns.first + (self.asked is not None)

    def sort(self, rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
        """Sort rows as the statement for one server does, so that no two transactions lock the same
        rows in different orders."""
        places = [self.columns.names.index(name) for name in self.order]

        def key(row: tuple[Any, ...]) -> list[tuple[bool, Any]]:
            return [(row[place] is None, row[place]) for place in places]

        return sorted(rows, key=key) if places else rows


@dataclass(frozen=True, slots=True)
class Insertion(TenantStatement):
    """A statement that inserts rows of tenants, in each form."""

    form: ValuesForm
    texts: dict[int, str]
    """The form's texts by number of rows, each made when it is first needed."""

    async def insert(
        self, connection: Connection, shards: Shards, objects: Sequence[object], *given: object
    ) -> list[Row]:
        """Insert a row for each object; return what the statement returns."""
        return await self.insert_columns(connection, shards, self.columns.of(objects), *given)

    async def insert_rows(
        self,
        connection: Connection,
        shards: Shards,
        rows: Iterable[Sequence[object]],
        *given: object,
    ) -> list[Row]:
        """Do the same for rows that have a value for each column."""
        return await self.insert_columns(connection, shards, self.columns.transpose(rows), *given)

    async def insert_columns(
        self,
        connection: Connection,
        shards: Shards,
        arrays: Sequence[Sequence[Any] | None],
        *given: object,
    ) -> list[Row]:
        """Do the same for an array for each column, or None where it has no values."""
        inserted: list[Row] = []
        if not takes_values(connection, shards):
            inserted += await connection.fetch(*self.fill(shards, arrays, *given))
            return inserted
        if self.form.asked is not None:
            given = (*given, await connection.fetchval(self.form.asked))
        for rows in _parts(self.form.sort(_rows_of(arrays))):
            values = (value for row in rows for value in row)
            inserted += await connection.fetch(self._text(len(rows)), shards, *given, *values)
        return inserted

    def _text(self, count: int) -> str:
        if count not in self.texts:
            self.texts[count] = self.form.text(count)
        return self.texts[count]


def takes_values(connection: Connection, shards: Shards) -> bool:
    """Return whether rows of these shards are inserted as values."""
    return isinstance(shards, int) and is_on_citus(connection)


def insertion(template: str, columns: Columns, asked: str | None = None) -> Insertion:
    """Make the forms of `INSERT … SELECT … FROM {rows}`, with an ORDER BY of the rows' columns or
    `{rows_in_order}`, and what follows.

    `asked` is a sub-select whose place in the template is `{asked}`. Raises `ValueError` for
    another shape of a template.
    """
    made = statement(template.replace("{asked}", f"({asked})"), columns)
    form = _form_of(template, columns, asked)
    return Insertion(made.one, made.many, columns, form, {1: form.text(1)})


def _form_of(template: str, columns: Columns, asked: str | None) -> ValuesForm:
    found = _FORM.fullmatch(template)
    if found is None or columns.alias != "k":
        raise ValueError(f"not an INSERT of rows alone: {template}")
    parts = {name: columns.fill(text or "") for name, text in found.groupdict().items()}
    values = parts["values"].replace("{shard}", "$1").replace("{asked}", f"${columns.first}")
    order = tuple(name for name in _COLUMN.findall(parts["order"]) if name != "position")
    return ValuesForm(parts["into"], values, parts["then"], order, asked, columns)


def _rows_of(arrays: Sequence[Sequence[Any] | None]) -> list[tuple[Any, ...]]:
    count = max((len(array) for array in arrays if array is not None), default=0)
    return list(zip(*(array or (None,) * count for array in arrays), strict=True))


def _parts(rows: Sequence[tuple[Any, ...]]) -> Iterator[Sequence[tuple[Any, ...]]]:
    """Divide rows into as few parts as there are sizes for."""
    done = 0
    while left := len(rows) - done:
        size = next(size for size in SIZES if size <= left)
        yield rows[done : done + size]
        done += size
