"""What API keys and webhooks have in common when their secret is replaced."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from heliograph.core.secrets.old import MAX_OLD_SECRETS, OldSecret, after_rotation
from heliograph.errors import InvalidInputError, TooManySecretsError

MAX_GRACE = timedelta(days=7)
DEFAULT_GRACE = timedelta(hours=24)


def check_grace(grace: timedelta) -> None:
    """Raise `InvalidInputError` for a grace that nobody gets."""
    if not timedelta(0) <= grace <= MAX_GRACE:
        raise InvalidInputError.at(("grace",), "The grace period must be between 0 and 7 days.")


def replace_secret(
    old: Sequence[OldSecret], replaced: bytes, grace: timedelta, now: datetime
) -> tuple[OldSecret, ...]:
    """The old secrets after a rotation. Raises `TooManySecretsError`: none that was promised its
    time goes before it."""
    kept = after_rotation(old, replaced, now + grace, now)
    if len(kept) > MAX_OLD_SECRETS:
        raise TooManySecretsError(MAX_OLD_SECRETS, min(each.expires_at for each in kept))
    return kept
