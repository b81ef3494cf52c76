"""Accounts: an organization's registrations on chat networks (the API calls them devices)."""

from datetime import date, datetime
from typing import Any
from uuid import UUID

import msgspec

from heliograph.core.tenants.organization import Tenant
from heliograph.networks.port import AccountStatus


class Account(msgspec.Struct, frozen=True):
    """One row of `accounts`. `send_rate` is in messages a minute; None is no limit.

    `sent_that_day` are the messages sent on the day `sent_on`, the last on which any was.
    """

    tenant: Tenant
    id: UUID
    network: str
    name: str
    session_name: str
    status: AccountStatus
    status_reason: str | None
    pairing: dict[str, Any] | None
    phone_number: str | None
    remote_jid: str | None
    is_primary: bool
    message_logging_enabled: bool
    auto_warmer_enabled: bool
    send_rate: int | None
    settings: dict[str, str]
    total_messages_sent: int
    total_messages_received: int
    contacts_synced_count: int
    last_connected_at: datetime | None
    last_health_check_at: datetime | None
    last_contact_sync_at: datetime | None
    last_contact_sync_status: str | None
    created_at: datetime
    updated_at: datetime
    warming_since: date | None = None
    sent_on: date | None = None
    sent_that_day: int = 0
