"""Old secrets in rows of keys and webhooks: two arrays, the newest first."""

from collections.abc import Sequence
from datetime import datetime

from heliograph.core.secrets.model import OldSecret
from heliograph.platform.database.pool import Row


def read_old_secrets(row: Row, column: str) -> tuple[OldSecret, ...]:
    """Read the old secrets of a row; `column` has them as they are stored."""
    return tuple(map(OldSecret, row[column], row["old_secrets_expire_at"]))


def read_expiries(row: Row) -> tuple[datetime, ...]:
    """Read when the old secrets of a row end."""
    return tuple(row["old_secrets_expire_at"])


def to_columns(old: Sequence[OldSecret]) -> tuple[list[bytes], list[datetime]]:
    """Return the values of both columns."""
    return [secret.stored for secret in old], [secret.expires_at for secret in old]
