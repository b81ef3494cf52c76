"""How a device is, in the one word that every page says of it."""

from datetime import UTC, datetime

from heliograph.core.accounts import states
from heliograph.core.accounts.model import Account, Restriction


def find_restriction(account: Account) -> Restriction | None:
    """Return what its network forbids a device now."""
    return states.find_restriction(account, datetime.now(UTC))


def state_of(account: Account) -> str:
    """Return `restricted` for a device that is connected and may not send all, else its status."""
    return "restricted" if account.is_connected and find_restriction(account) else account.status
