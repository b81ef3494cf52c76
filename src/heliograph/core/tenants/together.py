"""Writes that do not depend on each other, in one round trip to the database.

On one PostgreSQL they become one statement: the last of them, `WITH` all others. On Citus, which
plans each part of such a statement as expensively as a statement of its own, they run one after
another.

    rows = await write_together(connection, shards, [EVENTS.write(events), TOTALS.write(totals)])

PostgreSQL's rules for such parts apply: none sees the rows of another, and of two that change the
same row only one takes effect. So no table may be named twice by the same kind of write. The order
in which the parts lock their rows is the same for the same list of statements.
"""

import re
from collections.abc import Sequence
from functools import cache

from heliograph.core.tenants.insertion import Insertion
from heliograph.core.tenants.rows import RowWrite, Shards
from heliograph.platform.database.pool import Connection, Row, is_on_citus

_PARAMETER = re.compile(r"\$(\d+)")
_TARGET = re.compile(r"\s*(INSERT INTO|UPDATE|DELETE FROM) (\w+)")


async def write_together(
    connection: Connection, shards: Shards, writes: Sequence[RowWrite]
) -> Sequence[Row]:
    """Make the writes; return the rows that the last of them returns. Without any, do nothing."""
    if len(writes) > 1 and not is_on_citus(connection):
        filled = [write.statement.fill(shards, write.arrays, *write.given) for write in writes]
        text = _joined(tuple(text for text, *_ in filled))
        return await connection.fetch(text, *[value for _, *values in filled for value in values])
    rows: Sequence[Row] = ()
    for write in writes:
        rows = await _run(connection, shards, write)
    return rows


async def _run(connection: Connection, shards: Shards, write: RowWrite) -> Sequence[Row]:
    if isinstance(write.statement, Insertion):
        return await write.statement.insert_columns(connection, shards, write.arrays, *write.given)
    return await connection.fetch(*write.statement.fill(shards, write.arrays, *write.given))


@cache  # there are as many as there are lists of statements in the code
def _joined(texts: tuple[str, ...]) -> str:
    """Make one statement of several, whose parameters follow each other's. Raises `ValueError` for
    two that change the same table in the same way, and for other statements."""
    parts: list[str] = []
    targets: set[tuple[str, str]] = set()
    before = 0
    for text in texts:
        found = _TARGET.match(text)
        if found is None or (target := (found[1], found[2])) in targets:
            raise ValueError(f"can't be written together with {sorted(targets)}: {text}")
        targets.add(target)
        parts.append(_with_parameters_after(before, text))
        before += max(int(number) for number in _PARAMETER.findall(text))
    *others, last = parts
    named = ", ".join(f"part_{place} AS ({part})" for place, part in enumerate(others))
    return " ".join(("WITH", named, last))


def _with_parameters_after(before: int, text: str) -> str:
    return _PARAMETER.sub(lambda number: f"${int(number[1]) + before}", text)
