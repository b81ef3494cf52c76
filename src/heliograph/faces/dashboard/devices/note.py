"""What a conversation's page says about its device when that can't send."""

from collections.abc import Sequence

from heliograph.core.accounts.model import Account
from heliograph.core.inbox.model import Conversation
from heliograph.errors import utc_text
from heliograph.faces.dashboard.devices.state import find_restriction
from heliograph.networks.port import AccountStatus


def find_device(accounts: Sequence[Account], conversation: Conversation) -> Account | None:
    """Return the conversation's device; None when it has been removed."""
    return next((each for each in accounts if each.id == conversation.account_id), None)


def hindrance(device: Account | None) -> str | None:
    """Return why an answer does not go out now; None if nothing stops it."""
    if device is None:
        return "The device of this conversation was removed, so you can't answer here."
    if device.status is AccountStatus.LOGGED_OUT:
        return f"{device.name} is logged out: answers wait until it is paired again."
    if device.status is not AccountStatus.CONNECTED:
        return f"{device.name} is not connected: answers wait until it is."
    if (restriction := find_restriction(device)) is not None:
        until = utc_text(restriction.until)
        return f"The network has restricted {device.name}: answers may wait until {until}."
    return None
