"""Webhooks: the endpoints to which an organization's events are posted."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TypeAlias
from uuid import UUID

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from heliograph.core import topics
from heliograph.core.audit.model import AuditAction
from heliograph.core.audit.service import new_entry, record_entry
from heliograph.core.events.model import PATTERNS, Event, EventType
from heliograph.core.events.service import encode_payload, require_events
from heliograph.core.events.sql import insert_events
from heliograph.core.idempotency.writes import Keep, keep_nothing
from heliograph.core.organizations.service import require_room
from heliograph.core.secrets.model import DEFAULT_GRACE, check_grace, replace_secret
from heliograph.core.tenants.model import Principal, Tenant
from heliograph.core.tenants.names import require_visible
from heliograph.core.tenants.sql import missing_error
from heliograph.core.webhooks.deliveries_sql import has_waiting_of_others
from heliograph.core.webhooks.model import (
    Batching,
    EventFilter,
    SealedSecrets,
    Webhook,
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
from heliograph.platform.database.notify import Notifications
from heliograph.platform.database.pool import Connection, Database
from heliograph.platform.outbound_http import AddressPolicy, OutboundError, OwnPorts, check_url

MAX_DESCRIPTION_LENGTH = 200
DISABLED_BY_HAND = "Disabled by hand."
SUBSCRIBABLE = (*PATTERNS, *(type_.value for type_ in EventType))

_CANCEL_PAGE = 2000
WriteMore: TypeAlias = Callable[[Connection, Webhook, Webhook], Awaitable[None]]
"""Further writes for a webhook, given as it was and as it is now."""
Find: TypeAlias = Callable[[Connection, Tenant, UUID], Awaitable[Webhook | None]]


@dataclass(frozen=True, slots=True)
class CreatedWebhook:
    """A new webhook with its secret, which is shown only here."""

    webhook: Webhook
    secret: str = field(repr=False)


class WebhookService:
    """Manages webhooks. `policy` says which addresses are allowed; `own_ports` are ports of the
    gateway, which are refused."""

    def __init__(
        self,
        database: Database,
        notifications: Notifications,
        policy: AddressPolicy,
        secret_box: SecretBox,
        own_ports: OwnPorts | None = None,
    ) -> None:
        self._database = database
        self._clock = database.clock
        self._notifications = notifications
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
        filter_: EventFilter = EventFilter(),  # noqa: B008 - it never changes
        batch: Batching | None = None,
        keep: Keep[CreatedWebhook] = keep_nothing,
    ) -> CreatedWebhook:
        """Create a webhook.

        Events also require the scope to read their contents (`require_events`). `headers` are sent
        with each attempt and never shown again. A caller who is limited to some accounts gets a
        filter for these. Raises `InvalidInputError` for invalid values, `AccountNotAllowedError`,
        `ChatAccountNotFoundError` and `PlanLimitReachedError`.
        """
        principal.require("webhooks:write")
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
        entry = new_entry(
            self._clock,
            principal,
            AuditAction.WEBHOOK_CREATED,
            webhook.id,
            url=url,
            events=webhook.events,
        )

        async def work(connection: Connection) -> None:
            await require_room(
                connection,
                webhook.tenant.organization_id,
                "webhooks",
                now,
                lambda: sql.count_other_webhooks(connection, webhook.tenant, webhook.id),
            )
            await _check_accounts(connection, webhook)
            await sql.insert_webhook(connection, webhook, sealed, sealed_headers)
            await record_entry(connection, entry)
            await keep(connection, created)

        await self._database.transact(work)
        self._notifications.notify(topics.FREE_WEBHOOK_LEASES)
        return created

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
        principal.require("webhooks:write")
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
        filter_: EventFilter | None = None,
        batch: Batching | UnsetType | None = UNSET,
    ) -> Webhook:
        """Change the given fields. Pending deliveries go to the new URL, with the new headers,
        which replace all old ones. Existing batches stay as they are.

        New event types require the scopes to read them. A new URL requires all of those scopes,
        whatever the webhook subscribes to: events of every type may be pending. A caller who is
        limited to some accounts can't change the URL while events of others, from before the filter
        was changed, are pending.
        """
        principal.require("webhooks:write")
        new_url = None if url is None else self._checked_url(url)
        new_events = None if events is None else check_events(events)
        require_events(principal, ("*",) if new_url is not None else new_events or ())
        new_description = None if description is None else _checked_description(description)
        new_headers = None if headers is None else check_headers(headers)
        new_filter = None if filter_ is None else check_filter(principal, filter_)
        new_batch = batch if batch is UNSET else check_batch(batch)
        now = self._clock.now()

        def change(webhook: Webhook) -> Webhook:
            changed = replace(
                webhook,
                url=webhook.url if new_url is None else new_url,
                events=webhook.events if new_events is None else new_events,
                description=webhook.description if new_description is None else new_description,
                header_names=webhook.header_names if new_headers is None else tuple(new_headers),
                filter=webhook.filter if new_filter is None else new_filter,
                batch=webhook.batch if new_batch is UNSET else new_batch,
            )
            if enabled is None or enabled is webhook.enabled:
                return changed
            return _enabled(changed) if enabled else _disabled(changed, DISABLED_BY_HAND, now)

        async def write_more(connection: Connection, old: Webhook, changed: Webhook) -> None:
            if new_filter is not None:
                await _check_accounts(connection, changed)
            if changed.url != old.url:
                await _require_own_waiting(connection, principal, webhook_id)
            if new_headers is not None:
                sealed = seal_headers(self._secret_box, changed.tenant, changed.id, new_headers)
                await sql.update_headers(connection, changed.tenant, changed.id, sealed)

        return await self._change(
            principal, webhook_id, change, AuditAction.WEBHOOK_CHANGED, write_more
        )

    async def disable(self, principal: Principal, webhook_id: UUID) -> Webhook:
        """Stop delivering. Pending deliveries are kept for 5 days."""
        action = AuditAction.WEBHOOK_DISABLED
        return await self._disable(principal, webhook_id, DISABLED_BY_HAND, action)

    async def _disable(
        self, principal: Principal, webhook_id: UUID, reason: str, action: AuditAction | None
    ) -> Webhook:
        principal.require("webhooks:write")
        now = self._clock.now()

        def change(webhook: Webhook) -> Webhook:
            return _disabled(webhook, reason, now) if webhook.enabled else webhook

        return await self._change(principal, webhook_id, change, action)

    async def enable(self, principal: Principal, webhook_id: UUID) -> Webhook:
        """Deliver again, beginning with pending deliveries. Earlier failures are forgotten."""
        principal.require("webhooks:write")
        return await self._change(principal, webhook_id, _enabled, AuditAction.WEBHOOK_ENABLED)

    async def rotate_secret(
        self,
        principal: Principal,
        webhook_id: UUID,
        *,
        grace: timedelta = DEFAULT_GRACE,
        keep: Keep[CreatedWebhook] = keep_nothing,
    ) -> str:
        """Give the webhook a new secret.

        The old one continues to sign for `grace`, 0 to 7 days, and earlier ones until their own
        grace periods end. Raises `InvalidInputError` for an invalid grace period, and
        `TooManySecretsError`.
        """
        principal.require("webhooks:write")
        check_grace(grace)
        secret, now = generate_webhook_secret(), self._clock.now()
        sealed = seal_secret(self._secret_box, principal.tenant, webhook_id, secret)
        entry = new_entry(
            self._clock,
            principal,
            AuditAction.WEBHOOK_SECRET_ROTATED,
            webhook_id,
            grace_seconds=grace.total_seconds(),
        )

        async def work(connection: Connection) -> None:
            await _get_to_change(connection, principal, webhook_id)
            old = await sql.find_secrets(connection, principal.tenant, webhook_id)
            if old is None or old.current == sealed:
                return  # written by an earlier try of this transaction
            new = SealedSecrets(sealed, replace_secret(old.old, old.current, grace, now))
            await sql.update_secrets(connection, principal.tenant, webhook_id, new, now)
            await record_entry(connection, entry)
            changed = await _get(connection, principal, webhook_id)
            await keep(connection, CreatedWebhook(changed, secret))

        await self._database.transact(work)
        self._notifications.notify(topics.webhook_changed(webhook_id))
        return secret

    async def show_secret(self, principal: Principal, webhook_id: UUID) -> str:
        """Return the current signing secret, for the gateway's own receivers. Raises
        `NotFoundError`."""
        principal.require("webhooks:write")
        entry = new_entry(self._clock, principal, AuditAction.WEBHOOK_SECRET_SHOWN, webhook_id)

        async def work(connection: Connection) -> SealedSecrets:
            await _get_to_change(connection, principal, webhook_id)
            found = await sql.find_secrets(connection, principal.tenant, webhook_id)
            if found is None:
                raise SubscriptionNotFoundError(webhook_id)
            await record_entry(connection, entry)
            return found

        sealed = await self._database.transact(work)
        now = self._clock.now()
        opened = open_secrets(self._secret_box, principal.tenant, webhook_id, sealed, now)
        return opened.current.secret

    async def delete(self, principal: Principal, webhook_id: UUID) -> None:
        """Cancel unfinished deliveries and delete the webhook; its deliveries stay listed.

        A large backlog is canceled page by page; if that is interrupted, the webhook is left
        disabled.
        """
        webhook = await self._disable(principal, webhook_id, "Being deleted.", None)
        pages = (principal.tenant, webhook_id, webhook.url, self._clock.now(), _CANCEL_PAGE)
        while await self._database.transact(cancel_free_deliveries, *pages) == _CANCEL_PAGE:
            pass
        entry = new_entry(
            self._clock, principal, AuditAction.WEBHOOK_DELETED, webhook_id, url=webhook.url
        )

        async def work(connection: Connection) -> None:
            if await sql.delete_webhook(connection, principal.tenant, webhook_id):
                await record_entry(connection, entry)
            while await cancel_deliveries(connection, *pages) == _CANCEL_PAGE:
                pass

        await self._database.transact(work)
        self._notifications.notify(topics.FREE_WEBHOOK_LEASES, topics.webhook_changed(webhook_id))

    async def ping(
        self, principal: Principal, webhook_id: UUID, *, keep: Keep[UUID] = keep_nothing
    ) -> UUID:
        """Post a `webhook.ping` to this webhook only, whatever it subscribes to.

        Returns the delivery's id. Raises `WebhookDisabledError`.
        """
        principal.require("webhooks:write")
        tenant, now = principal.tenant, self._clock.now()
        event = Event(
            tenant=tenant,
            id=self._clock.new_id(),
            type=EventType.WEBHOOK_PING,
            payload=encode_payload(EventType.WEBHOOK_PING, now, {}),
            created_at=now,
        )
        delivery_id = self._clock.new_id()
        entry = new_entry(self._clock, principal, AuditAction.WEBHOOK_PINGED, webhook_id)

        async def work(connection: Connection) -> None:
            webhook = await _get_to_change(connection, principal, webhook_id)
            check_enabled(webhook)
            if not await list_made(connection, tenant, [delivery_id]):  # by an earlier try
                await insert_events(connection, tenant.shard, [event])
                new = new_delivery(webhook, event, delivery_id, now)
                await insert_deliveries(connection, [new])
            await record_entry(connection, entry)
            await keep(connection, delivery_id)

        await self._database.transact(work)
        self._notifications.notify(topics.deliveries_of(webhook_id))
        return delivery_id

    async def _change(
        self,
        principal: Principal,
        webhook_id: UUID,
        change: Callable[[Webhook], Webhook],
        action: AuditAction | None,
        write_more: WriteMore | None = None,
    ) -> Webhook:
        """Change a webhook. Without an action, the caller writes the audit entry."""
        now = self._clock.now()
        entry = action and new_entry(self._clock, principal, action, webhook_id)

        async def work(connection: Connection) -> Webhook:
            old = await _get_to_change(connection, principal, webhook_id)
            changed = change(old)
            if entry and changed != old:
                await record_entry(connection, replace(entry, details=_differences(old, changed)))
            new = replace(changed, updated_at=now)
            await sql.update_webhook(connection, new)
            if write_more is not None:
                await write_more(connection, old, new)
            return new

        webhook = await self._database.transact(work)
        self._notifications.notify(
            topics.webhook_changed(webhook_id), topics.deliveries_of(webhook_id)
        )
        return webhook

    def _checked_url(self, url: str) -> str:
        if without_hidden(url) != url:
            problem = "The URL holds a character that shows nothing: type it, or copy it anew."
            raise InvalidInputError.at(("url",), problem, input=url)
        try:
            self._own_ports.judge_fixed(check_url(url, self._policy))
        except OutboundError as error:
            raise InvalidInputError.at(("url",), str(error), input=url) from None
        return url


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
    connection: Connection, principal: Principal, webhook_id: UUID, find: Find = sql.lock_webhook
) -> Webhook:
    """Lock a webhook that the caller may change or use. Raises what `get_to_change` does."""
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
