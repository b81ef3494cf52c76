"""The audit log: who did what."""

from datetime import datetime
from enum import StrEnum
from typing import Any
from uuid import UUID

import msgspec

from heliograph.core.tenants.model import Tenant


class AuditAction(StrEnum):
    ORGANIZATION_CREATED = "organization_created"
    PLAN_CHANGED = "plan_changed"
    ORGANIZATION_RENAMED = "organization_renamed"
    KEY_CREATED = "key_created"
    KEY_ROTATED = "key_rotated"
    KEY_REVOKED = "key_revoked"
    WEBHOOK_CREATED = "webhook_created"
    WEBHOOK_CHANGED = "webhook_changed"
    WEBHOOK_DISABLED = "webhook_disabled"
    WEBHOOK_ENABLED = "webhook_enabled"
    WEBHOOK_SECRET_ROTATED = "webhook_secret_rotated"  # noqa: S105 - no secret
    WEBHOOK_SECRET_SHOWN = "webhook_secret_shown"  # noqa: S105 - no secret
    WEBHOOK_PINGED = "webhook_pinged"
    WEBHOOK_DELETED = "webhook_deleted"
    DELIVERY_REDELIVERED = "delivery_redelivered"
    DELIVERIES_REDELIVERED = "deliveries_redelivered"
    ACCOUNT_CREATED = "account_created"
    ACCOUNT_CHANGED = "account_changed"
    ACCOUNT_LOG_OUT_ASKED = "account_log_out_asked"
    ACCOUNT_RECONNECTED = "account_reconnected"
    ACCOUNT_PAIRED_AGAIN = "account_paired_again"
    ACCOUNT_REMOVED = "account_removed"
    ACCOUNT_PAIRED = "account_paired"
    ACCOUNT_LOGGED_OUT = "account_logged_out"
    GROUP_CREATION_ASKED = "group_creation_asked"
    GROUP_JOIN_ASKED = "group_join_asked"
    GROUP_LEAVE_ASKED = "group_leave_asked"
    GROUP_CHANGE_ASKED = "group_change_asked"
    GROUP_ADDITION_ASKED = "group_addition_asked"
    GROUP_REMOVAL_ASKED = "group_removal_asked"
    GROUP_INVITE_LINK_ASKED = "group_invite_link_asked"
    MEMBER_INVITED = "member_invited"
    INVITATION_CODE_MADE = "invitation_code_made"
    INVITATION_REVOKED = "invitation_revoked"
    MEMBER_ADDED = "member_added"
    MEMBER_CHANGED = "member_changed"
    MEMBER_REMOVED = "member_removed"
    LABEL_CREATED = "label_created"
    LABEL_CHANGED = "label_changed"
    LABEL_DELETED = "label_deleted"
    NOTE_WRITTEN = "note_written"
    CANNED_REPLY_CREATED = "canned_reply_created"
    CANNED_REPLY_CHANGED = "canned_reply_changed"
    CANNED_REPLY_DELETED = "canned_reply_deleted"
    FILE_DELETED = "file_deleted"
    MESSAGES_EXPORTED = "messages_exported"
    SIGNED_IN = "signed_in"
    SESSIONS_ENDED = "sessions_ended"
    SIGN_IN_FAILED = "sign_in_failed"
    INVITATION_CODE_REFUSED = "invitation_code_refused"
    KEY_REFUSED = "key_refused"


NETWORK = "network"
"""The actor of what a chat network, or a person on it, did."""
STRANGER = "stranger"
"""The actor of attempts that were refused to somebody unknown."""


class AuditEntry(msgspec.Struct, frozen=True):
    """One row of `audit_entries`. `actor` is `operator`, `key <key id>`, `user <user id>`,
    `network` or `stranger`.

    `subject` is the id of what was changed; `details` hold what changed, and no secret. `seq`,
    given by the database, is the order of entries.
    """

    tenant: Tenant
    id: UUID
    actor: str
    action: AuditAction
    subject: str
    details: dict[str, Any]
    created_at: datetime
    seq: int = 0

    @property
    def summary(self) -> str:
        """The details in one line, for people."""
        return ", ".join(f"{name}: {_show(value)}" for name, value in self.details.items())


def _show(value: object) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()
