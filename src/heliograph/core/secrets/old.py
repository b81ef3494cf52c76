"""Secrets that were replaced and stay good for a while, as each was promised."""

from collections.abc import Sequence
from datetime import datetime

import msgspec

MAX_OLD_SECRETS = 4
"""Of one key or webhook at a time: each is one more signature in every request."""


class OldSecret(msgspec.Struct, frozen=True):
    """A secret as it is stored (hashed, or encrypted), and until when it is good."""

    stored: bytes
    expires_at: datetime


def still_good(old: Sequence[OldSecret], now: datetime) -> tuple[OldSecret, ...]:
    return tuple(each for each in old if each.expires_at > now)


def after_rotation(
    old: Sequence[OldSecret], replaced: bytes, until: datetime, now: datetime
) -> tuple[OldSecret, ...]:
    """The old secrets once `replaced` is one of them, the newest first; those before it keep their
    time. Without a grace (`until` is now) it is none."""
    newest = OldSecret(replaced, until)
    return still_good((newest, *old), now)
