"""Rows of tenants' tables: `$1` of a statement on many rows is their shard, and each row has its
organization id.

A statement on rows of several tenants has two forms, made from one text: one for rows of one shard,
which a distributed database can send to where that shard is, and one for rows of many shards.

    LOCK = statement("SELECT … FROM {rows} JOIN labels AS l ON l.shard = {shard} AND …", ROW_KEYS)
    rows = await connection.fetch(*LOCK.of(shards, labels))
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias
from uuid import UUID

from heliograph.core.tenants.model import Tenant
from heliograph.platform.database.pool import Row
from heliograph.platform.database.rows import Columns, Source

ROW_KEYS = Columns("organization_id uuid, id uuid")
"""Rows that are given by (organization id, id)."""

Shards: TypeAlias = int | Mapping[UUID, int]
"""The shard of all rows, or that of each organization."""


def shards_of(tenants: Iterable[Tenant]) -> Shards:
    """Return the shards of these tenants, of which there is at least one."""
    shards = {tenant.organization_id: tenant.shard for tenant in tenants}
    several = set(shards.values())
    return shards if len(several) > 1 else several.pop()


def tenant_columns(
    spec: str, *, first: int = 2, alias: str = "k", keys: int = 1, **sources: Source
) -> Columns:
    """Return `Columns` of objects that have a `tenant`: their organization comes first."""
    return Columns(
        f"organization_id uuid, {spec}",
        first=first,
        alias=alias,
        keys=keys,
        organization_id="tenant.organization_id",
        **sources,
    )


def tenant_of(row: Row) -> Tenant:
    return Tenant(row["shard"], row["organization_id"])


@dataclass(frozen=True, slots=True)
class TenantStatement:
    """A statement on rows of one shard, and the same on rows of many.

    `$1` is the shard in the one, and each row's shard in the other.
    """

    one: str
    many: str
    columns: Columns

    def of(self, shards: Shards, objects: Sequence[object], *given: object) -> tuple[Any, ...]:
        """Return the form for these shards and its parameters: those that are `given` stand before
        and after the objects' arrays, as the columns' first number says."""
        return self.fill(shards, self.columns.of(objects), *given)

    def transpose(
        self, shards: Shards, rows: Iterable[Sequence[object]], *given: object
    ) -> tuple[Any, ...]:
        """Do the same for rows that have a value for each column."""
        return self.fill(shards, self.columns.transpose(rows), *given)

    def write(self, objects: Sequence[object], *given: object) -> "RowWrite":
        """Return the write of these objects; see `together`."""
        return RowWrite(self, self.columns.of(objects), given)

    def write_rows(self, rows: Iterable[Sequence[object]], *given: object) -> "RowWrite":
        """Do the same for rows that have a value for each column."""
        return RowWrite(self, self.columns.transpose(rows), given)

    def fill(
        self, shards: Shards, arrays: Sequence[Sequence[Any] | None], *given: object
    ) -> tuple[Any, ...]:
        """Do what `of` does for an array for each column, or None where it has no values."""
        before = self.columns.first - 2
        values = (*given[:before], *arrays, *given[before:])
        if isinstance(shards, int):
            return (self.one, shards, *values)
        organizations = arrays[self.columns.names.index("organization_id")]
        return (self.many, [shards[id_] for id_ in organizations or ()], *values)


class RowWrite(NamedTuple):
    """A statement that writes rows, with an array for each column."""

    statement: TenantStatement
    arrays: Sequence[Sequence[Any] | None]
    given: tuple[object, ...] = ()


def statement(template: str, columns: Columns, *others: Columns, **places: str) -> TenantStatement:
    """Make both forms. `{shard}` is the shard: `$1`, or that of the row of `columns`.

    `others` are further rows, without shards of their own. `places` are more names for the shard,
    for where a row of `columns` can't be seen: `old="old.shard"` is what `{old}` becomes in the
    form for many.
    """
    for other in others:
        template = other.fill(template)
    one, many = columns.fill(template), columns.fill(template, and_first="shard integer")
    for place, of_row in ({"shard": f"{columns.alias}.shard"} | places).items():
        one = one.replace(f"{{{place}}}", "$1")
        many = many.replace(f"{{{place}}}", of_row)
    return TenantStatement(one, many, columns)
