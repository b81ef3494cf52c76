"""Rows of tenants' tables: `$1` of a statement on many is the shard, and each names its
organization."""

from collections.abc import Callable
from operator import attrgetter
from typing import Any

from heliograph.core.tenants.organization import Tenant
from heliograph.platform.database.pool import Row
from heliograph.platform.database.rows import Columns

KEYS = Columns("organization_id uuid, id uuid")
"""Rows that are meant by (organization id, id)."""


def tenant_columns(
    spec: str, *, first: int = 2, keys: int = 1, **given: Callable[[Any], object]
) -> Columns:
    """`Columns` of objects that have a `tenant`: their organization comes first."""
    organization_id = attrgetter("tenant.organization_id")
    return Columns(
        f"organization_id uuid, {spec}",
        first=first,
        keys=keys,
        organization_id=organization_id,
        **given,
    )


def tenant_of(row: Row) -> Tenant:
    return Tenant(row["shard"], row["organization_id"])
