"""Entries of the audit log in words: who did what to which thing, by name."""

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

import msgspec

from heliograph.core.accounts.model import Account
from heliograph.core.audit.model import NETWORK, STRANGER, AuditAction, AuditEntry
from heliograph.core.keys.model import ApiKeyRecord
from heliograph.core.members.model import Member
from heliograph.core.webhooks.model import Webhook
from heliograph.faces.dashboard.pages.navigation import (
    CANNED,
    DELIVERIES,
    DEVICES,
    INBOX,
    KEYS,
    LABELS,
    WEBHOOKS,
)


class Named(NamedTuple):
    """What an entry is about. `path` is a page of the organization; None where there is none."""

    name: str
    path: str | None = None


class AuditLine(NamedTuple):
    """`{who} {did} {what}`, and the details as (label, value)."""

    who: str
    did: str
    what: Named | None
    particulars: Sequence[tuple[str, str | datetime]]
    at: datetime


class KnownNames:
    """The names, by id, of what an organization has now, and of `people` who have left it.

    What was removed or deleted is named as in its `entries`, or else described as gone.
    """

    def __init__(
        self,
        members: Sequence[Member],
        people: Mapping[UUID, str],
        keys: Sequence[ApiKeyRecord],
        accounts: Sequence[Account],
        webhooks: Sequence[Webhook],
        entries: Sequence[AuditEntry],
    ) -> None:
        self._people = {str(user_id): f"{name} (has left)" for user_id, name in people.items()}
        self._people |= {str(member.user_id): member.name for member in members}
        self._keys = {key.key_id: key.name for key in keys}
        self._accounts = {str(account.id): account.name for account in accounts}
        self._removed = _told(entries, _NAMING_DEVICES, "name")
        self._webhooks = {str(webhook.id): webhook.url for webhook in webhooks}
        self._deleted = _told(entries, _NAMING_WEBHOOKS, "url")

    def actor(self, actor: str) -> str:
        kind, _, id_ = actor.partition(" ")
        if kind == "user":
            return self._people.get(id_, "Somebody who has left")
        if kind == "key":
            return f"API key {self._keys.get(id_, id_)}"
        return _ACTORS.get(actor, "The operator")

    def member(self, entry: AuditEntry) -> Named:
        fallback = entry.details.get("email") or "somebody who has left"
        return Named(self._people.get(entry.subject, str(fallback)), "members")

    def invitation(self, entry: AuditEntry) -> Named:
        return Named(str(entry.details.get("email", "somebody")), "members")

    def invited(self, entry: AuditEntry) -> Named:
        return Named(entry.subject, "members")

    def inviter(self, entry: AuditEntry) -> Named:
        return Named(str(entry.details["invited_by"]))

    def key(self, entry: AuditEntry) -> Named:
        name = self._keys.get(entry.subject) or entry.details.get("name") or entry.subject
        return Named(str(name), KEYS.path)

    def account(self, entry: AuditEntry) -> Named:
        name = self._accounts.get(entry.subject)
        if name is not None:
            return Named(name, f"{DEVICES.path}/{entry.subject}")
        removed = self._removed.get(entry.subject)
        return Named(f"{removed} (removed)" if removed else "a device that was removed")

    def webhook(self, entry: AuditEntry) -> Named:
        return self._webhook(entry.subject, entry.details.get("url"))

    def webhook_of_delivery(self, entry: AuditEntry) -> Named:
        named = self._webhook(str(entry.details.get("webhook_id")), None)
        return Named(named.name, f"{DELIVERIES.path}/{entry.subject}")

    def label(self, entry: AuditEntry) -> Named:
        return Named(str(entry.details.get("name", "a label")), LABELS.path)

    def conversation(self, entry: AuditEntry) -> Named:
        return Named("a conversation", f"{INBOX.path}/{entry.details.get('conversation_id')}")

    def canned_reply(self, entry: AuditEntry) -> Named:
        return Named(str(entry.details.get("name", "a canned reply")), CANNED.path)

    def account_names(self, ids: Sequence[str]) -> str:
        return ", ".join(self._accounts.get(id_, "a removed device") for id_ in ids) or "none"

    def _webhook(self, id_: str, url: object) -> Named:
        known = self._webhooks.get(id_)
        if known is not None:
            return Named(known, f"{WEBHOOKS.path}/{id_}")
        deleted = url or self._deleted.get(id_)
        return Named(f"{deleted} (deleted)" if deleted else "a webhook that was deleted")


def _told(
    entries: Sequence[AuditEntry], actions: Collection[AuditAction], name: str
) -> dict[str, str]:
    """Return what entries of these actions say of their subjects; the newest, which come first,
    have the last word."""
    told = [each for each in entries if each.action in actions and name in each.details]
    return {each.subject: str(each.details[name]) for each in reversed(told)}


_ACTORS = {NETWORK: "The chat network", STRANGER: "Somebody"}
_Find = Callable[[KnownNames, AuditEntry], Named]

_DEEDS: Mapping[AuditAction, tuple[str, _Find | None]] = {
    AuditAction.ORGANIZATION_CREATED: ("created the organization", None),
    AuditAction.PLAN_CHANGED: ("changed the plan", None),
    AuditAction.ORGANIZATION_RENAMED: ("renamed the organization", None),
    AuditAction.KEY_CREATED: ("created the API key", KnownNames.key),
    AuditAction.KEY_ROTATED: ("rotated the API key", KnownNames.key),
    AuditAction.KEY_REVOKED: ("revoked the API key", KnownNames.key),
    AuditAction.WEBHOOK_CREATED: ("added the webhook", KnownNames.webhook),
    AuditAction.WEBHOOK_CHANGED: ("changed the webhook", KnownNames.webhook),
    AuditAction.WEBHOOK_DISABLED: ("disabled the webhook", KnownNames.webhook),
    AuditAction.WEBHOOK_ENABLED: ("enabled the webhook", KnownNames.webhook),
    AuditAction.WEBHOOK_SECRET_ROTATED: ("rotated the secret of the webhook", KnownNames.webhook),
    AuditAction.WEBHOOK_SECRET_SHOWN: ("viewed the secret of the webhook", KnownNames.webhook),
    AuditAction.WEBHOOK_PINGED: ("pinged the webhook", KnownNames.webhook),
    AuditAction.WEBHOOK_DELETED: ("deleted the webhook", KnownNames.webhook),
    AuditAction.DELIVERY_REDELIVERED: ("sent a delivery again to", KnownNames.webhook_of_delivery),
    AuditAction.DELIVERIES_REDELIVERED: ("sent deliveries again to", KnownNames.webhook),
    AuditAction.ACCOUNT_CREATED: ("connected the device", KnownNames.account),
    AuditAction.ACCOUNT_CHANGED: ("changed the device", KnownNames.account),
    AuditAction.ACCOUNT_LOG_OUT_ASKED: ("logged out the device", KnownNames.account),
    AuditAction.ACCOUNT_RECONNECTED: ("reconnected the device", KnownNames.account),
    AuditAction.ACCOUNT_PAIRED_AGAIN: ("started pairing again with the device", KnownNames.account),
    AuditAction.ACCOUNT_REMOVED: ("removed the device", KnownNames.account),
    AuditAction.ACCOUNT_PAIRED: ("paired the device", KnownNames.account),
    AuditAction.ACCOUNT_LOGGED_OUT: ("ended the registration of the device", KnownNames.account),
    AuditAction.GROUP_CREATION_ASKED: ("created a group with the device", KnownNames.account),
    AuditAction.GROUP_JOIN_ASKED: ("joined a group with the device", KnownNames.account),
    AuditAction.GROUP_LEAVE_ASKED: ("left a group with the device", KnownNames.account),
    AuditAction.GROUP_CHANGE_ASKED: ("changed a group with the device", KnownNames.account),
    AuditAction.GROUP_ADDITION_ASKED: (
        "added people to a group with the device",
        KnownNames.account,
    ),
    AuditAction.GROUP_REMOVAL_ASKED: (
        "removed somebody from a group with the device",
        KnownNames.account,
    ),
    AuditAction.GROUP_INVITE_LINK_ASKED: (
        "looked up the invite link of a group with the device",
        KnownNames.account,
    ),
    AuditAction.MEMBER_INVITED: ("invited", KnownNames.invitation),
    AuditAction.INVITATION_CODE_MADE: ("made a code for", KnownNames.invitation),
    AuditAction.INVITATION_REVOKED: ("revoked the invitation of", KnownNames.invitation),
    AuditAction.MEMBER_ADDED: ("added the member", KnownNames.member),
    AuditAction.MEMBER_CHANGED: ("changed the role of", KnownNames.member),
    AuditAction.MEMBER_REMOVED: ("removed the member", KnownNames.member),
    AuditAction.LABEL_CREATED: ("created the label", KnownNames.label),
    AuditAction.LABEL_CHANGED: ("changed the label", KnownNames.label),
    AuditAction.LABEL_DELETED: ("deleted the label", KnownNames.label),
    AuditAction.NOTE_WRITTEN: ("wrote a note about", KnownNames.conversation),
    AuditAction.CANNED_REPLY_CREATED: ("wrote the canned reply", KnownNames.canned_reply),
    AuditAction.CANNED_REPLY_CHANGED: ("changed the canned reply", KnownNames.canned_reply),
    AuditAction.CANNED_REPLY_DELETED: ("deleted the canned reply", KnownNames.canned_reply),
    AuditAction.FILE_DELETED: ("deleted a file", None),
    AuditAction.MESSAGES_EXPORTED: ("exported messages", None),
    AuditAction.SIGNED_IN: ("signed in", None),
    AuditAction.SESSIONS_ENDED: ("ended sign-ins in other browsers", None),
    AuditAction.SIGN_IN_FAILED: ("failed to sign in", None),
    AuditAction.INVITATION_CODE_REFUSED: (
        "tried a wrong code for the invitation of",
        KnownNames.invited,
    ),
    AuditAction.KEY_REFUSED: ("was refused with the API key", KnownNames.key),
}

_OF_MEMBERS = (
    AuditAction.MEMBER_ADDED,
    AuditAction.MEMBER_CHANGED,
    AuditAction.MEMBER_REMOVED,
)
_NAMING_DEVICES = (AuditAction.ACCOUNT_CREATED, AuditAction.ACCOUNT_REMOVED)
_NAMING_WEBHOOKS = (
    AuditAction.WEBHOOK_CREATED,
    AuditAction.WEBHOOK_CHANGED,
    AuditAction.WEBHOOK_DELETED,
)
_ACCEPTED: tuple[str, _Find | None] = ("accepted the invitation of", KnownNames.inviter)

_LABELS = {
    "before": "plan before",
    "name_before": "name before",
    "session_name": "session name",
    "remote_jid": "address",
    "invited_by": "invited by",
    "send_rate": "messages a minute",
    "auto_warmer_enabled": "warm-up",
    "message_logging_enabled": "keeps texts",
    "is_primary": "primary",
    "event_type": "event",
    "disabled_reason": "reason",
    "header_names": "headers",
    "events": "events",
    "account_ids": "devices",
    "chat_account_ids": "devices",
    "chat_type": "chats",
    "max_events": "events at most",
    "max_wait_ms": "waiting ms",
    "expires_at": "expires",
    "grace_seconds": "the old secret ends",
    "since": "from",
    "until": "to",
}
_ACCOUNTS = {"account_ids", "chat_account_ids"}
_TIMES = {"expires_at", "since", "until"}
_SAID_ALREADY = {"webhook_id", "conversation_id"}
_SPANS = ((86_400, "day"), (3_600, "hour"), (60, "minute"), (1, "second"))


def people_in(entries: Sequence[AuditEntry]) -> list[UUID]:
    """Return the ids of the people whom entries name."""
    actors = [entry.actor.partition(" ") for entry in entries]
    named = {id_ for kind, _, id_ in actors if kind == "user"}
    named |= {entry.subject for entry in entries if entry.action in _OF_MEMBERS}
    return [UUID(id_) for id_ in named]


def read_line(entry: AuditEntry, directory: KnownNames) -> AuditLine:
    did, find = _ACCEPTED if _is_accepted(entry) else _DEEDS[entry.action]
    what = find(directory, entry) if find else None
    particulars = [
        (_label(name), _say(name, value, directory))
        for name, value in entry.details.items()
        if not _is_said(name, value, what)
    ]
    return AuditLine(directory.actor(entry.actor), did, what, particulars, entry.created_at)


def _is_accepted(entry: AuditEntry) -> bool:
    """Return whether a new member has come by an invitation of their own."""
    is_own = entry.actor == f"user {entry.subject}"
    return entry.action is AuditAction.MEMBER_ADDED and is_own and "invited_by" in entry.details


def _label(name: str) -> str:
    return _LABELS.get(name, name.replace("_", " "))


def _is_said(name: str, value: object, what: Named | None) -> bool:
    is_name = what is not None and what.name in (value, f"{value} (removed)", f"{value} (deleted)")
    return name in _SAID_ALREADY or is_name or (value is None and name not in _NONE)


_NONE = {"expires_at": "never", "send_rate": "no limit", "scopes": "full access"}
"""Labels for null, where null has a meaning."""


def _say(name: str, value: object, directory: KnownNames) -> str | datetime:
    if value is None:
        return _NONE[name]
    if name in _TIMES and isinstance(value, str):
        return msgspec.convert(value, datetime)
    if name in _ACCOUNTS and isinstance(value, list):
        return directory.account_names([str(UUID(id_)) for id_ in value])
    if name == "grace_seconds" and isinstance(value, int | float):
        return _in_time(value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join("everything" if each == "*" else str(each) for each in value) or "none"
    if isinstance(value, dict):
        parts = [
            f"{_label(key)}: {_say(key, part, directory)}"
            for key, part in value.items()
            if part is not None
        ]
        return ", ".join(parts) or "none"
    return str(value)


def _in_time(seconds: float) -> str:
    for length, unit in _SPANS:
        if seconds >= length:
            count = round(seconds / length)
            return f"in {count} {unit}{'' if count == 1 else 's'}"
    return "at once"
