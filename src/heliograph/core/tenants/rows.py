"""Rows of tenants' tables: `$1` of a statement on many rows is their shard, and each row has its
organization id."""

from heliograph.core.tenants.model import Tenant
from heliograph.platform.database.pool import Row
from heliograph.platform.database.rows import Columns, Source

ROW_KEYS = Columns("organization_id uuid, id uuid")
"""Rows that are given by (organization id, id)."""


def tenant_columns(
    spec: str, *, first: int = 2, alias: str = "k", keys: int = 1, **sources: Source
) -> Columns:
    """`Columns` of objects that have a `tenant`: their organization comes first."""
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
