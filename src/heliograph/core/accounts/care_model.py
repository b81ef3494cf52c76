"""What people see of a device besides its row: what waits for it, and what became of it lately."""

from datetime import datetime
from uuid import UUID

import msgspec

COUNTED = 10_000
"""Where counting an account's queue ends: more than that is said to be that much."""


class AccountQueue(msgspec.Struct, frozen=True):
    """An account's queued messages, and since when the oldest has been waiting."""

    account_id: UUID
    count: int
    oldest_at: datetime | None


class DeviceChange(msgspec.Struct, frozen=True):
    """An account came to a state; `reason` is a sentence for a person."""

    status: str
    reason: str | None
    at: datetime


class AccountVersion(msgspec.Struct, frozen=True):
    """Differs from the one before when an account's row shows something else."""

    account_id: UUID
    updated_at: datetime
    sent: int
    received: int
