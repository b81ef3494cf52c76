"""Passes many rows to one statement, and converts result rows to structs.

A statement takes one array for each column and unnests them. `Columns` declares the columns once
for both the statement's text, when the module is loaded, and its arrays, when it is run:

    NEW = Columns("organization_id uuid, id uuid, name text")
    INSERT = NEW.fill("INSERT INTO labels (shard, {names}) SELECT $1, {values} FROM {rows}")
    await connection.execute(INSERT, shard, *NEW.of(labels))
"""

from collections.abc import Callable, Iterable, Sequence
from enum import Enum
from operator import attrgetter, itemgetter
from typing import Any, TypeVar, get_type_hints

import msgspec

from heliograph.platform.database.pool import Row

T = TypeVar("T", bound=msgspec.Struct)
Source = str | Callable[[Any], object]
"""Where a column's value comes from: an attribute path, or a function of the object."""


class Columns:
    """The columns of the rows passed to a statement: `"organization_id uuid, id uuid, …"`, each
    with its type in PostgreSQL. Their arrays are the parameters from `$first` on."""

    def __init__(
        self, spec: str, *, first: int = 2, alias: str = "k", keys: int = 0, **sources: Source
    ) -> None:
        """Declare columns such as `"organization_id uuid, id uuid"`; `$first` is their first array.

        `alias` is the rows' name in the statement, and, if not `k`, that of their placeholder. The
        first `keys` columns identify a row and are not in `{changes}`. A column without a source is
        read from the attribute of its name.
        """
        pairs = [column.split() for column in spec.split(",")]
        self.names = [name for name, _ in pairs]
        self.kinds = [kind for _, kind in pairs]
        if unknown := sources.keys() - set(self.names):
            raise ValueError(f"no column is called {', '.join(sorted(unknown))}")
        self._gets = [_get_of(sources.get(name, name)) for name in self.names]
        self.alias = alias
        self.first = first
        self._keys = keys
        self._arrays = ", ".join(
            f"${number}::{kind}[]" for number, (_, kind) in enumerate(pairs, first)
        )

    def fill(self, template: str, *, and_first: str = "") -> str:
        """Return the statement: `{rows}` becomes what to select from, `{rows_in_order}` also with
        their `position`; `{names}` the columns' names, `{values}` their values, and `{changes}` the
        assignments of an UPDATE.

        `and_first`, such as `"shard integer"`, is a column of the rows whose array is `$1`; it is
        in none of the lists.
        """
        alias, names = self.alias, ", ".join(self.names)
        arrays, columns = self._arrays, names
        if and_first:
            name, kind = and_first.split()
            arrays, columns = f"$1::{kind}[], {arrays}", f"{name}, {names}"
        mark = "rows" if alias == "k" else alias
        parts = {
            f"{{{mark}}}": f"unnest({arrays}) AS {alias} ({columns})",
            f"{{{mark}_in_order}}": (
                f"unnest({arrays}) WITH ORDINALITY AS {alias} ({columns}, position)"
            ),
            "{names}": names,
            "{values}": ", ".join(f"{alias}.{name}" for name in self.names),
            "{changes}": ", ".join(f"{name} = {alias}.{name}" for name in self.names[self._keys :]),
        }
        for place, text in parts.items():
            template = template.replace(place, text)
        return template

    def of(self, objects: Sequence[object]) -> list[list[object] | None]:
        """Return one array for each column, from objects; None for a column without any value,
        which `unnest` also fills with NULLs, and which costs nothing to send."""
        return [_values_of(list(map(get, objects))) for get in self._gets]

    def transpose(self, rows: Iterable[Sequence[object]]) -> list[list[object]]:
        """Return one array for each column, from rows with that many values."""
        arrays = [list(column) for column in zip(*rows, strict=True)]
        return arrays or [[] for _ in self.names]


def reads(struct: type[T], **given: Callable[[Row], object]) -> Callable[[Row], T]:
    """Return a function that decodes a row into a struct, whose fields are named like the columns.

    Enum values become members; `given` has functions for fields that are not simply a column.
    """
    hints = get_type_hints(struct)
    fields = struct.__struct_fields__
    own = {name: given.get(name) or _member_of(name, hints[name]) for name in fields}
    plain = [name for name in fields if own[name] is None]
    if len(plain) < 2:
        return lambda row: struct(*[(own[name] or itemgetter(name))(row) for name in fields])
    # all columns in one call, which halves the work; then the other fields, in their places
    read_columns = itemgetter(*[plain[0] if own[name] else name for name in fields])
    others = [(place, get) for place, name in enumerate(fields) if (get := own[name])]

    def read(row: Row) -> T:
        values = list(read_columns(row))
        for place, get in others:
            values[place] = get(row)
        return struct(*values)

    return read


def _values_of(column: list[object]) -> list[object] | None:
    # an empty array stays empty, as do all arrays of statements without rows
    return None if column and column.count(None) == len(column) else column


def _get_of(source: Source) -> Callable[[Any], object]:
    return attrgetter(source) if isinstance(source, str) else source


def _member_of(name: str, kind: object) -> Callable[[Row], object] | None:
    if isinstance(kind, type) and issubclass(kind, Enum):
        members = {member.value: member for member in kind}
        return lambda row: members[row[name]]
    return None
