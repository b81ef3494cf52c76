"""Webhooks: the endpoints to which an organization's events are posted."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, TypeAlias
from uuid import UUID

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from heliograph.core import topics
from heliograph.core.audit.model import AuditAction
from heliograph.core.changes.model import Change, Write
from heliograph.core.changes.service import Changes
from heliograph.core.events.model import PATTERNS, Event, EventType
from heliograph.core.events.service import encode_payload, require_events
from heliograph.core.events.sql import insert_events
from heliograph.core.organizations.service import require_room
from heliograph.core.secrets.model import DEFAULT_GRACE, check_grace, replace_secret
from heliograph.core.tenants.model import Principal, Tenant
from heliograph.core.tenants.names import require_visible
from heliograph.core.tenants.sql import missing_error
from heliograph.core.webhooks.deliveries_sql import has_waiting_of_others
from heliograph.core.webhooks.model import (
    Batching,
    CreatedWebhook,
    SealedSecrets,
    Webhook,
    WebhookFilter,
)
from heliograph.core.webhooks.queue.cancel_sql import cancel_deliveries, cancel_free_deliveries
from heliograph.core.webhooks.queue.sql import insert_deliveries, list_made
from heliograph.core.webhooks.subscriptions import sql
from heliograph.core.webhooks.subscriptions.again import check_enabled, new_delivery
from heliograph.core.webhooks.subscriptions.options import (
    check_batch,
    check_filter,
    check_headers,
    may_see,
    require_webhook,
)
from heliograph.core.webhooks.subscriptions.secrets import open_secrets, seal_headers, seal_secret
from heliograph.errors import (
    AccountNotAllowedError,
    ChatAccountNotFoundError,
    InvalidInputError,
    SubscriptionNotFoundError,
)
from heliograph.platform.characters import without_hidden
from heliograph.platform.crypto.secret_box import SecretBox
from heliograph.platform.crypto.webhook_signing import generate_webhook_secret
from heliograph.platform.database.pool import Connection, Database
from heliograph.platform.outbound_http import AddressPolicy, OutboundError, OwnPorts, check_url

MAX_DESCRIPTION_LENGTH = 200
DISABLED_BY_HAND = "Disabled by hand."
SUBSCRIBABLE = (*PATTERNS, *(type_.value for type_ in EventType))

_SCOPE = "webhooks:write"
CREATE = Write(scope=_SCOPE, audits=(AuditAction.WEBHOOK_CREATED,), is_repeatable=True)
UPDATE = Write(scope=_SCOPE, audits=(AuditAction.WEBHOOK_CHANGED,))
DISABLE = Write(scope=_SCOPE, audits=(AuditAction.WEBHOOK_DISABLED,))
ENABLE = Write(scope=_SCOPE, audits=(AuditAction.WEBHOOK_ENABLED,))
ROTATE = Write(scope=_SCOPE, audits=(AuditAction.WEBHOOK_SECRET_ROTATED,), is_repeatable=True)
SHOW_SECRET = Write(scope=_SCOPE, audits=(AuditAction.WEBHOOK_SECRET_SHOWN,))
PING = Write(scope=_SCOPE, audits=(AuditAction.WEBHOOK_PINGED,), is_repeatable=True)
EMPTY = Write(scope=_SCOPE, unaudited="a deletion is audited when the webhook is gone")
DELETE = Write(scope=_SCOPE, audits=(AuditAction.WEBHOOK_DELETED,))

_CANCEL_PAGE = 2000
Find: TypeAlias = Callable[[Connection, Tenant, UUID], Awaitable[Webhook | None]]


class WebhookService:
    """Manages webhooks. `policy` says which addresses are allowed; `own_ports` are ports of the
    gateway, which are refused."""

    def __init__(
        self,
        database: Database,
        changes: Changes,
        policy: AddressPolicy,
        secret_box: SecretBox,
        own_ports: OwnPorts | None = None,
    ) -> None:
        self._database = database
        self._clock = database.clock
        self._changes = changes
        self._policy = policy
        self._own_ports = own_ports or OwnPorts()
        self._secret_box = secret_box

    async def create(
        self,
        principal: Principal,
        url: str,
        events: Sequence[str] = ("*",),
        *,
        description: str = "",
        enabled: bool = True,
        headers: Mapping[str, str] | None = None,
        filter_: WebhookFilter = WebhookFilter(),  # noqa: B008 - it never changes
        batch: Batching | None = None,
    ) -> CreatedWebhook:
        """Create a webhook.

        Events also require the scope to read their contents (`require_events`). `headers` are sent
        with each attempt and never shown again. A caller who is limited to some accounts gets a
        filter for these. Raises `InvalidInputError` for invalid values, `AccountNotAllowedError`,
        `ChatAccountNotFoundError` and `PlanLimitReachedError`.
        """
        CREATE.require(principal)
        chosen = check_events(events)
        require_events(principal, chosen)
        own_headers = check_headers(headers or {})
        now, secret = self._clock.now(), generate_webhook_secret()
        webhook = Webhook(
            tenant=principal.tenant,
            id=self._clock.new_id(),
            url=self._checked_url(url),
            description=_checked_description(description),
            events=chosen,
            enabled=enabled,
            created_at=now,
            updated_at=now,
            disabled_reason=None if enabled else DISABLED_BY_HAND,
            disabled_at=None if enabled else now,
            header_names=tuple(own_headers),
            filter=check_filter(principal, filter_),
            batch=check_batch(batch),
        )
        sealed = seal_secret(self._secret_box, webhook.tenant, webhook.id, secret)
        sealed_headers = seal_headers(self._secret_box, webhook.tenant, webhook.id, own_headers)
        created = CreatedWebhook(webhook, secret)
        return await self._changes.run(CREATE, principal, _insert, created, sealed, sealed_headers)

    async def list(self, principal: Principal) -> list[Webhook]:
        """List the organization's webhooks that the caller may see, oldest first."""
        principal.require("webhooks:read")
        found = await self._database.read(sql.list_webhooks, principal.tenant)
        return [webhook for webhook in found if may_see(principal, webhook)]

    async def get(self, principal: Principal, webhook_id: UUID) -> Webhook:
        """Get a webhook. Raises `SubscriptionNotFoundError`, `OtherOrganizationError` for another
        organization's, and `AccountNotAllowedError`."""
        principal.require("webhooks:read")
        return await self._database.read(_get, principal, webhook_id)

    async def get_to_change(self, principal: Principal, webhook_id: UUID) -> Webhook:
        """Get a webhook that the caller may change or use.

        Every such operation requires the scopes to read the webhook's events: a caller who can
        rotate its secret or have events posted could gain access to them. Raises what `get` does.
        """
        principal.require(_SCOPE)
        return await self._database.read(_get_to_change, principal, webhook_id, sql.find_webhook)

    async def update(
        self,
        principal: Principal,
        webhook_id: UUID,
        *,
        url: str | None = None,
        events: Sequence[str] | None = None,
        description: str | None = None,
        enabled: bool | None = None,
        headers: Mapping[str, str] | None = None,
        filter_: WebhookFilter | None = None,
        batch: Batching | UnsetType | None = UNSET,
    ) -> Webhook:
        """Change the given fields. Pending deliveries go to the new URL, with the new headers,
        which replace all old ones. Existing batches stay as they are.

        New event types require the scopes to read them. A new URL requires all of those scopes,
        whatever the webhook subscribes to: events of every type may be pending. A caller who is
        limited to some accounts can't change the URL while events of others, from before the filter
        was changed, are pending.
        """
        UPDATE.require(principal)
        new_url = None if url is None else self._checked_url(url)
        new_events = None if events is None else check_events(events)
        require_events(principal, ("*",) if new_url is not None else new_events or ())
        new_description = None if description is None else _checked_description(description)
        new_headers = None if headers is None else check_headers(headers)
        given = {
            "url": new_url,
            "events": new_events,
            "description": new_description,
            "header_names": None if new_headers is None else tuple(new_headers),
            "filter": None if filter_ is None else check_filter(principal, filter_),
        }
        fields: dict[str, Any] = {name: new for name, new in given.items() if new is not None}
        if batch is not UNSET:
            fields["batch"] = check_batch(batch)
        sealed = seal_headers(self._secret_box, principal.tenant, webhook_id, new_headers or {})
        return await self._changes.run(
            UPDATE, principal, _update, webhook_id, fields, enabled, sealed
        )

    async def disable(self, principal: Principal, webhook_id: UUID) -> Webhook:
        """Stop delivering. Pending deliveries are kept for `KEPT_WHILE_DISABLED`."""
        action = AuditAction.WEBHOOK_DISABLED
        return await self._changes.run(
            DISABLE, principal, _disable, webhook_id, DISABLED_BY_HAND, action
        )

    async def enable(self, principal: Principal, webhook_id: UUID) -> Webhook:
        """Deliver again, beginning with pending deliveries. Earlier failures are forgotten."""
        return await self._changes.run(ENABLE, principal, _enable, webhook_id)

    async def rotate_secret(
        self, principal: Principal, webhook_id: UUID, *, grace: timedelta = DEFAULT_GRACE
    ) -> CreatedWebhook:
        """Give the webhook a new secret.

        The old one continues to sign for `grace`, 0 to 7 days, and earlier ones until their own
        grace periods end. Raises `InvalidInputError` for an invalid grace period, and
        `TooManySecretsError`.
        """
        ROTATE.require(principal)
        check_grace(grace)
        secret = generate_webhook_secret()
        sealed = seal_secret(self._secret_box, principal.tenant, webhook_id, secret)
        return await self._changes.run(
            ROTATE, principal, _rotate, webhook_id, secret, sealed, grace
        )

    async def show_secret(self, principal: Principal, webhook_id: UUID) -> str:
        """Return the current signing secret, for the gateway's own receivers. Raises
        `NotFoundError`."""
        sealed = await self._changes.run(SHOW_SECRET, principal, _show_secret, webhook_id)
        now = self._clock.now()
        opened = open_secrets(self._secret_box, principal.tenant, webhook_id, sealed, now)
        return opened.current.secret

    async def delete(self, principal: Principal, webhook_id: UUID) -> None:
        """Cancel unfinished deliveries and delete the webhook; its deliveries stay listed.

        A large backlog is canceled page by page; if that is interrupted, the webhook is left
        disabled.
        """
        run = self._changes.run
        webhook = await run(EMPTY, principal, _disable, webhook_id, "Being deleted.")
        while await run(EMPTY, principal, _cancel_some, webhook) == _CANCEL_PAGE:
            pass
        await run(DELETE, principal, _delete, webhook)

    async def ping(self, principal: Principal, webhook_id: UUID) -> UUID:
        """Post a `webhook.ping` to this webhook only, whatever it subscribes to.

        Returns the delivery's id. Raises `WebhookDisabledError`.
        """
        now = self._clock.now()
        event = Event(
            tenant=principal.tenant,
            id=self._clock.new_id(),
            type=EventType.WEBHOOK_PING,
            payload=encode_payload(EventType.WEBHOOK_PING, now, {}),
            created_at=now,
        )
        delivery_id = self._clock.new_id()
        return await self._changes.run(PING, principal, _ping, webhook_id, event, delivery_id)

    def _checked_url(self, url: str) -> str:
        if without_hidden(url) != url:
            problem = "The URL holds a character that shows nothing: type it, or copy it anew."
            raise InvalidInputError.at(("url",), problem, input=url)
        try:
            self._own_ports.judge_fixed(check_url(url, self._policy))
        except OutboundError as error:
            raise InvalidInputError.at(("url",), str(error), input=url) from None
        return url


async def _insert(
    change: Change, created: CreatedWebhook, secret: bytes, headers: bytes | None
) -> CreatedWebhook:
    connection, tenant, webhook = change.connection, change.tenant, created.webhook
    await require_room(
        connection,
        tenant.organization_id,
        "webhooks",
        change.now,
        lambda: sql.count_other_webhooks(connection, tenant, webhook.id),
    )
    await _check_accounts(connection, webhook)
    await sql.insert_webhook(connection, webhook, secret, headers)
    details = {"url": webhook.url, "events": webhook.events}
    change.audit(AuditAction.WEBHOOK_CREATED, webhook.id, **details)
    change.wake(topics.FREE_WEBHOOK_LEASES)
    return created


async def _update(
    change: Change,
    webhook_id: UUID,
    fields: Mapping[str, Any],
    enabled: bool | None,
    headers: bytes | None,
) -> Webhook:
    connection, old = change.connection, await _lock(change, webhook_id)
    altered = replace(old, **fields)
    if enabled is not None and enabled is not old.enabled:
        by_hand = _disabled(altered, DISABLED_BY_HAND, change.now)
        altered = _enabled(altered) if enabled else by_hand
    # their values are not compared, and may be new
    named = {name: new for name, new in fields.items() if name == "header_names"}
    new = await _store(change, old, altered, AuditAction.WEBHOOK_CHANGED, **named)
    if "filter" in fields:
        await _check_accounts(connection, new)
    if new.url != old.url:
        await _require_own_waiting(connection, change.principal, webhook_id)
    if "header_names" in fields:
        await sql.update_headers(connection, change.tenant, webhook_id, headers)
    return new


async def _disable(
    change: Change, webhook_id: UUID, reason: str, action: AuditAction | None = None
) -> Webhook:
    old = await _lock(change, webhook_id)
    disabled = _disabled(old, reason, change.now) if old.enabled else old
    return await _store(change, old, disabled, action)


async def _enable(change: Change, webhook_id: UUID) -> Webhook:
    old = await _lock(change, webhook_id)
    return await _store(change, old, _enabled(old), AuditAction.WEBHOOK_ENABLED)


async def _store(
    change: Change, old: Webhook, altered: Webhook, action: AuditAction | None, **more: object
) -> Webhook:
    if action is not None and (more or altered != old):
        change.audit(action, old.id, **_differences(old, altered) | more)
    new = replace(altered, updated_at=change.now)
    await sql.update_webhook(change.connection, new)
    change.wake(topics.webhook_changed(old.id), topics.deliveries_of(old.id))
    return new


async def _rotate(
    change: Change, webhook_id: UUID, secret: str, sealed: bytes, grace: timedelta
) -> CreatedWebhook:
    connection, tenant = change.connection, change.tenant
    known = await _get_secrets(change, webhook_id)
    if known.current != sealed:  # else an earlier try wrote it
        old = replace_secret(known.old, known.current, grace, change.now)
        new = SealedSecrets(sealed, old)
        await sql.update_secrets(connection, tenant, webhook_id, new, change.now)
        seconds = grace.total_seconds()
        change.audit(AuditAction.WEBHOOK_SECRET_ROTATED, webhook_id, grace_seconds=seconds)
    change.wake(topics.webhook_changed(webhook_id))
    webhook = await _get(connection, change.principal, webhook_id)
    return CreatedWebhook(webhook, secret)


async def _show_secret(change: Change, webhook_id: UUID) -> SealedSecrets:
    found = await _get_secrets(change, webhook_id)
    change.audit(AuditAction.WEBHOOK_SECRET_SHOWN, webhook_id)
    return found


async def _get_secrets(change: Change, webhook_id: UUID) -> SealedSecrets:
    await _lock(change, webhook_id)
    found = await sql.find_secrets(change.connection, change.tenant, webhook_id)
    if found is None:
        raise SubscriptionNotFoundError(webhook_id)
    return found


async def _cancel_some(change: Change, webhook: Webhook) -> int:
    return await cancel_free_deliveries(
        change.connection, change.tenant, webhook.id, webhook.url, change.now, _CANCEL_PAGE
    )


async def _delete(change: Change, webhook: Webhook) -> None:
    connection, tenant = change.connection, change.tenant
    if await sql.delete_webhook(connection, tenant, webhook.id):
        change.audit(AuditAction.WEBHOOK_DELETED, webhook.id, url=webhook.url)
    page = (tenant, webhook.id, webhook.url, change.now, _CANCEL_PAGE)
    while await cancel_deliveries(connection, *page) == _CANCEL_PAGE:
        pass
    change.wake(topics.FREE_WEBHOOK_LEASES, topics.webhook_changed(webhook.id))


async def _ping(change: Change, webhook_id: UUID, event: Event, delivery_id: UUID) -> UUID:
    connection, tenant = change.connection, change.tenant
    webhook = await _lock(change, webhook_id)
    check_enabled(webhook)
    if not await list_made(connection, tenant, [delivery_id]):  # by an earlier try
        await insert_events(connection, tenant.shard, [event])
        new = new_delivery(webhook, event, delivery_id, event.created_at)
        await insert_deliveries(connection, [new])
    change.audit(AuditAction.WEBHOOK_PINGED, webhook_id)
    change.wake(topics.deliveries_of(webhook_id))
    return delivery_id


async def _lock(change: Change, webhook_id: UUID) -> Webhook:
    """Lock a webhook that the caller may change or use. Raises what `get_to_change` does."""
    find = sql.lock_webhook
    return await _get_to_change(change.connection, change.principal, webhook_id, find)


def _differences(old: Webhook, new: Webhook) -> dict[str, object]:
    """Return the changed fields, for the audit log."""
    shown = (
        *("url", "events", "description", "disabled_reason", "header_names", "filter", "batch"),
    )
    return {name: getattr(new, name) for name in shown if getattr(new, name) != getattr(old, name)}


def _enabled(webhook: Webhook) -> Webhook:
    return replace(
        webhook, enabled=True, disabled_reason=None, disabled_at=None, failing_since=None
    )


def _disabled(webhook: Webhook, reason: str, now: datetime) -> Webhook:
    return replace(webhook, enabled=False, disabled_reason=reason, disabled_at=now)


async def _get(
    connection: Connection, principal: Principal, webhook_id: UUID, find: Find = sql.find_webhook
) -> Webhook:
    """Return the webhook that `find` finds. Raises what `WebhookService.get` does."""
    webhook = await find(connection, principal.tenant, webhook_id)
    if webhook is None:
        missing = SubscriptionNotFoundError(webhook_id)
        raise await missing_error(connection, "webhooks", webhook_id, missing)
    require_webhook(principal, webhook)
    return webhook


async def _get_to_change(
    connection: Connection, principal: Principal, webhook_id: UUID, find: Find
) -> Webhook:
    webhook = await _get(connection, principal, webhook_id, find)
    require_events(principal, webhook.events)
    return webhook


async def _require_own_waiting(
    connection: Connection, principal: Principal, webhook_id: UUID
) -> None:
    """Raise `AccountNotAllowedError` if events of other accounts than the caller's are pending."""
    own = principal.account_filter
    if own is not None and await has_waiting_of_others(
        connection, principal.tenant, webhook_id, own
    ):
        raise AccountNotAllowedError


async def _check_accounts(connection: Connection, webhook: Webhook) -> None:
    """Raise `ChatAccountNotFoundError` for an unknown account in the filter, and
    `OtherOrganizationError` for another organization's."""
    named = webhook.filter.chat_account_ids or ()
    known = await sql.list_known_accounts(connection, webhook.tenant, named) if named else set()
    for account_id in named:
        if account_id not in known:
            missing = ChatAccountNotFoundError(account_id)
            raise await missing_error(connection, "accounts", account_id, missing)


def check_events(events: Sequence[str]) -> tuple[str, ...]:
    """Return the types and patterns without duplicates, in the given order. Raises
    `InvalidInputError`."""
    chosen = tuple(dict.fromkeys(events))
    for name in chosen:
        if name not in SUBSCRIBABLE:
            raise InvalidInputError.at(
                ("events",),
                f"There is no event type '{name}'; there are {', '.join(SUBSCRIBABLE)}.",
                input=name,
            )
    if not chosen:
        raise InvalidInputError.at(("events",), "Choose at least one event type.")
    return chosen


def _checked_description(description: str) -> str:
    if len(description) > MAX_DESCRIPTION_LENGTH or "\x00" in description:
        raise InvalidInputError.at(
            ("description",), f"A description has at most {MAX_DESCRIPTION_LENGTH} characters."
        )
    if description.strip():
        return require_visible("A description", description, "description")
    return description
