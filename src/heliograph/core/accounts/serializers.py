"""Accounts as clients see them, in the API's answers and in webhooks alike: devices."""

from datetime import datetime
from typing import TypedDict
from uuid import UUID

from heliograph.core.accounts.model import Account
from heliograph.core.events.model import EventType
from heliograph.core.events.service import EventBuilder
from heliograph.networks.port import AccountStatus


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


class ReportedDeviceRecord(DeviceRecord):
    """A device that has come to another state, and why."""

    reason: str | None


def device_record(account: Account) -> DeviceRecord:
    return {
        "id": account.id,
        "name": account.name,
        "session_name": account.session_name,
        "status": account.status,
        "is_primary": account.is_primary,
        "message_logging_enabled": account.message_logging_enabled,
        "auto_warmer_enabled": account.auto_warmer_enabled,
        "total_messages_sent": account.total_messages_sent,
        "total_messages_received": account.total_messages_received,
        "contacts_synced_count": account.contacts_synced_count,
        "created_at": account.created_at,
        "updated_at": account.updated_at,
        "phone_number": account.phone_number,
        "last_connected_at": account.last_connected_at,
        "last_health_check_at": account.last_health_check_at,
        "last_contact_sync_at": account.last_contact_sync_at,
        "last_contact_sync_status": account.last_contact_sync_status,
    }


def add_device_event(events: EventBuilder, account: Account) -> None:
    """Add that an account has come to the state it now shows."""
    data: ReportedDeviceRecord = {**device_record(account), "reason": account.status_reason}
    events.add(EventType(f"device.{account.status}"), data, account.tenant, account_id=account.id)
