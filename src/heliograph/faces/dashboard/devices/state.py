"""The state of a device, in the one word that every page uses."""

from datetime import UTC, datetime

from heliograph.core.accounts import states
from heliograph.core.accounts.model import Account, Restriction


def find_restriction(account: Account) -> Restriction | None:
    """Return what a device's network currently forbids it."""
    return states.find_restriction(account, datetime.now(UTC))


def state_of(account: Account) -> str:
    """Return `restricted` for a connected device that may not send everything, else its status."""
    return "restricted" if account.is_connected and find_restriction(account) else account.status
