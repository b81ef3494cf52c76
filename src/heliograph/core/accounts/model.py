"""Accounts: an organization's registrations on chat networks. The API calls them devices."""

from datetime import date, datetime
from typing import Annotated, Any
from uuid import UUID

import msgspec
from typing_extensions import Doc

from heliograph.core.tenants.model import Tenant
from heliograph.networks.port import AccountStatus, PairingStep
from heliograph.untrusted import UntrustedText

COUNTED = 10_000
"""Counting an account's queue stops here: a longer queue is reported as this long."""


class Restriction(msgspec.Struct, frozen=True):
    """A temporary restriction of a device by the chat network; messages it affects wait."""

    kind: Annotated[
        str,
        Doc("`new_conversations`: no messages to people without a conversation with the device."),
    ]
    until: datetime
    reason: UntrustedText | None


ASKS_FOR_A_PERSON_FROM = 3
"""From this many restrictions in a row without a known end, the reason also says what to do."""
_ASKS = (
    "This has happened {times} times in a row, and each try may make it worse: look at what the "
    "network says on the account's phone, cancel messages that need not go out, and let people "
    "write first."
)


def reason_in_a_row(reason: str, in_a_row: int) -> str:
    """Return the reason for a restriction, with advice after several in a row."""
    if in_a_row < ASKS_FOR_A_PERSON_FROM:
        return reason
    return f"{reason} {_ASKS.format(times=in_a_row)}"


class Account(msgspec.Struct, frozen=True):
    """One row of `accounts`. `send_rate` is in messages a minute; None is no limit.

    `sent_that_day` counts the messages sent on the day `sent_on`, the last day with any.
    `restrictions_in_a_row` counts restrictions whose end the network did not name, since the
    account last began a chat. `disconnected_since` is when it lost its connection, or was created;
    None while it is connected. `told_reason` is the reason in the last `device.disconnected` of
    this outage, empty if it had none; None while the outage has not been reported.
    """

    tenant: Tenant
    id: UUID
    network: str
    name: str
    session_name: str
    status: AccountStatus
    is_primary: bool
    message_logging_enabled: bool
    auto_warmer_enabled: bool
    send_rate: int | None
    settings: dict[str, str]
    created_at: datetime
    updated_at: datetime
    status_reason: str | None = None
    pairing: dict[str, Any] | None = None
    phone_number: str | None = None
    remote_jid: str | None = None
    total_messages_sent: int = 0
    total_messages_received: int = 0
    contacts_synced_count: int = 0
    last_connected_at: datetime | None = None
    last_health_check_at: datetime | None = None
    last_contact_sync_at: datetime | None = None
    last_contact_sync_status: str | None = None
    warming_since: date | None = None
    sent_on: date | None = None
    sent_that_day: int = 0
    restriction: Restriction | None = None
    restrictions_in_a_row: int = 0
    disconnected_since: datetime | None = None
    told_reason: str | None = None

    @property
    def is_connected(self) -> bool:
        return self.status is AccountStatus.CONNECTED


class SessionAccount(msgspec.Struct, frozen=True):
    """An account as its session needs it, its secrets still encrypted; `cursors` by chat.
    `reopen_asked_at` is when its session was last asked to read it again, if it ever was."""

    account: Account
    encrypted_secrets: bytes | None
    cursors: dict[str, str]
    reopen_asked_at: datetime | None = None


def pairing_document(step: PairingStep | None) -> dict[str, object] | None:
    """Return a pairing step as it is stored and shown."""
    if step is None:
        return None
    return {"kind": step.kind, "payload": step.payload, "expires_at": step.expires_at}


CursorKey = tuple[UUID, UUID, str]
"""An organization's id, an account's, and the chat's JID (empty: the account's own archive)."""


class AccountQueue(msgspec.Struct, frozen=True):
    """The number of an account's queued messages, and since when the oldest has been waiting."""

    account_id: UUID
    count: int
    oldest_at: datetime | None


class WaitingMessages(msgspec.Struct, frozen=True):
    """How many messages wait to be sent through an account, at most `COUNTED`; `held` is how many
    of them a restriction holds."""

    account_id: UUID
    queued: int
    held: int


class AccountVersion(msgspec.Struct, frozen=True):
    """A fingerprint of an account's row, which changes with the visible columns."""

    account_id: UUID
    updated_at: datetime
    sent: int
    received: int


class DeviceChange(msgspec.Struct, frozen=True):
    """An account's change to a status, or to `restricted`; `until` is when a restriction ends.
    `reason` is a sentence for people."""

    state: str
    reason: str | None
    at: datetime
    until: datetime | None = None


class DeviceName(msgspec.Struct, frozen=True):
    id: UUID
    name: str
    session_name: str
    phone_number: str | None


class DeviceQuery(msgspec.Struct, frozen=True):
    """The filter and the order of a list of devices.

    `search` is a part of the name or session name, in any case, or of the phone number, in any
    notation. `sort_by` is one of created_at, updated_at, name, status, last_connected_at.
    `account_ids` are the accounts that the caller may see; None means all.
    """

    status: str | None = None
    search: str | None = None
    sort_by: str = "created_at"
    descending: bool = True
    limit: int = 50
    offset: int = 0
    account_ids: list[UUID] | None = None

    @property
    def asks_for_names(self) -> bool:
        """Whether names are compared."""
        # not in SQL: a database's rules for case and sorting depend on how it was built
        return self.search is not None or self.sort_by == "name"
