"""What is told of accounts."""

from heliograph.core.accounts.model import Account
from heliograph.core.accounts.serializers import device_record
from heliograph.core.events.maker import EventMaker
from heliograph.core.events.model import EventType


def add_device_event(events: EventMaker, account: Account) -> None:
    """Add that an account has come to the state it now shows."""
    data = {**device_record(account), "reason": account.status_reason}
    events.add(EventType(f"device.{account.status}"), data, account.tenant, account_id=account.id)
