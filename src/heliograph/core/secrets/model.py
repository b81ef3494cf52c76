"""Old secrets: what API keys and webhooks have in common when their secret is replaced."""

from collections.abc import Sequence
from datetime import datetime, timedelta

import msgspec

from heliograph.errors import InvalidInputError, TooManySecretsError

MAX_OLD_SECRETS = 4
"""Of one key or webhook at a time: each is one more signature in every request."""

MAX_GRACE = timedelta(days=7)
DEFAULT_GRACE = timedelta(hours=24)


class OldSecret(msgspec.Struct, frozen=True):
    """A replaced secret as it is stored (hashed, or encrypted), and until when it is valid."""

    stored: bytes
    expires_at: datetime


def list_valid(old: Sequence[OldSecret], now: datetime) -> tuple[OldSecret, ...]:
    return tuple(secret for secret in old if secret.expires_at > now)


def check_grace(grace: timedelta) -> None:
    """Raise `InvalidInputError` unless the grace is between 0 and 7 days."""
    if not timedelta(0) <= grace <= MAX_GRACE:
        raise InvalidInputError.at(("grace",), "The grace period must be between 0 and 7 days.")


def replace_secret(
    old: Sequence[OldSecret], replaced: bytes, grace: timedelta, now: datetime
) -> tuple[OldSecret, ...]:
    """Return the old secrets once `replaced` is one of them, the newest first.

    Each keeps the time that it was promised, and so `TooManySecretsError` is raised rather than one
    dropped early. Without a grace the replaced secret is not kept.
    """
    kept = list_valid((OldSecret(replaced, now + grace), *old), now)
    if len(kept) > MAX_OLD_SECRETS:
        raise TooManySecretsError(MAX_OLD_SECRETS, min(secret.expires_at for secret in kept))
    return kept
