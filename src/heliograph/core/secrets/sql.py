"""Old secrets in rows of keys and webhooks.

The newest old secret is in two columns of its own, which releases that know of one old secret read
and write; those before it are in two arrays.
"""

from collections.abc import Sequence
from datetime import datetime

from heliograph.core.secrets.model import OldSecret
from heliograph.platform.database.pool import Row

OldSecretColumns = tuple[bytes | None, datetime | None, list[bytes], list[datetime]]


def read_old_secrets(row: Row, newest: str, others: str) -> tuple[OldSecret, ...]:
    """Read the old secrets of a row, the newest first. `newest` and `others` name the columns that
    hold them."""
    stored = [row[newest], *row[others]]
    times = [row["previous_secret_expires_at"], *row["older_secrets_expire_at"]]
    return tuple(
        OldSecret(secret, expires_at)
        for secret, expires_at in zip(stored, times, strict=True)
        if secret is not None and expires_at is not None
    )


def read_expiries(row: Row) -> tuple[datetime, ...]:
    """Read when the old secrets of a row end, the newest first."""
    newest = row["previous_secret_expires_at"]
    return (*(() if newest is None else (newest,)), *row["older_secrets_expire_at"])


def to_columns(old: Sequence[OldSecret]) -> OldSecretColumns:
    """Return the values of the four columns."""
    newest, others = (old[0] if old else None), old[1:]
    return (
        None if newest is None else newest.stored,
        None if newest is None else newest.expires_at,
        [other.stored for other in others],
        [other.expires_at for other in others],
    )
