"""Accounts as clients see them, in the API's answers and in webhooks alike: devices."""

from datetime import datetime
from typing import Annotated, TypedDict
from uuid import UUID

from typing_extensions import Doc

from heliograph.core.accounts.model import Account, Restriction, WaitingMessages
from heliograph.core.events.model import EventType
from heliograph.core.events.service import EventBuilder
from heliograph.core.records import make_record
from heliograph.networks.port import AccountStatus
from heliograph.untrusted import UntrustedText


class DeviceRecord(TypedDict):
    """An account of the organization on a chat network."""

    id: UUID
    name: str
    session_name: str
    status: AccountStatus
    is_primary: bool
    message_logging_enabled: bool
    auto_warmer_enabled: bool
    total_messages_sent: int
    total_messages_received: int
    contacts_synced_count: int
    created_at: datetime
    updated_at: datetime
    phone_number: str | None
    last_connected_at: datetime | None
    last_health_check_at: datetime | None
    last_contact_sync_at: datetime | None
    last_contact_sync_status: str | None
    network: Annotated[str, Doc("The name of the chat network, as in the list of networks.")]
    restriction: Restriction | None


class DeviceDetailsRecord(DeviceRecord):
    """A device with its queue, its send rate and those of its settings that are not secret."""

    queued_messages: Annotated[
        int,
        Doc("Number of waiting messages, including held ones; 10000 means at least that many."),
    ]
    held_messages: Annotated[
        int, Doc("Number of messages that the restriction holds back; they go out when it ends.")
    ]
    disconnected_since: Annotated[
        datetime | None,
        Doc("Since when the device has had no connection; null while it is connected."),
    ]
    send_rate: Annotated[int | None, Doc("Maximum messages a minute; null is no limit.")]
    settings: Annotated[
        dict[str, str],
        Doc("Values of the network's form, by the field's name, without those that are secret."),
    ]


class ReportedDeviceRecord(DeviceRecord):
    """A device whose state has changed, and why."""

    reason: UntrustedText | None


def device_record(account: Account) -> DeviceRecord:
    return make_record(DeviceRecord, account)


def device_details_record(
    account: Account, waiting: WaitingMessages | None = None
) -> DeviceDetailsRecord:
    """Return the record. `waiting` is None if no message waits."""
    return {
        **device_record(account),
        "queued_messages": 0 if waiting is None else waiting.queued,
        "held_messages": 0 if waiting is None else waiting.held,
        "disconnected_since": None if account.is_connected else account.disconnected_since,
        "send_rate": account.send_rate,
        "settings": account.settings,
    }


def add_device_event(events: EventBuilder, account: Account) -> None:
    """Add the event for an account's present state."""
    data: ReportedDeviceRecord = {**device_record(account), "reason": account.status_reason}
    events.add(EventType(f"device.{account.status}"), data, account.tenant, account_id=account.id)


def add_restriction_event(events: EventBuilder, account: Account, reason: str | None) -> None:
    """Add the event that the network has restricted the account, or has lifted the restriction."""
    kind = EventType.DEVICE_UNRESTRICTED
    if account.restriction is not None:
        kind = EventType.DEVICE_RESTRICTED
    data: ReportedDeviceRecord = {**device_record(account), "reason": reason}
    events.add(kind, data, account.tenant, account_id=account.id)
