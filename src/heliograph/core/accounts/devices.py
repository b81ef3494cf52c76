"""Devices as programs manage them: connect, pair, change, reconnect and log out accounts."""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import UTC
from typing import Any
from uuid import UUID

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from heliograph.core import topics
from heliograph.core.accounts import sql
from heliograph.core.accounts.devices_sql import unset_primary, update_device
from heliograph.core.accounts.form import change_values, check_names
from heliograph.core.accounts.model import Account
from heliograph.core.accounts.reopening import ask_to_reopen_session
from heliograph.core.accounts.restrictions_sql import count_waiting
from heliograph.core.accounts.secrets import open_secrets, seal_secrets
from heliograph.core.accounts.serializers import (
    DeviceDetailsRecord,
    device_details_record,
)
from heliograph.core.accounts.service import AccountService
from heliograph.core.audit.model import AuditAction
from heliograph.core.changes.model import Change, Write
from heliograph.core.changes.service import Changes
from heliograph.core.tenants.model import Principal
from heliograph.errors import ChatAccountNotFoundError, InvalidInputError
from heliograph.networks.registry import NetworkRegistry
from heliograph.platform.crypto import SecretBox
from heliograph.platform.database.pool import Database

MAX_SEND_RATE = 100_000
_UNUSED_BY_SESSIONS = {"name", "is_primary"}

CHANGE = Write(scope="admin:write", audits=(AuditAction.ACCOUNT_CHANGED,))


@dataclass(frozen=True, slots=True)
class DeviceUpdate:
    """The fields of an account to change. `settings` replaces the values that it names, including
    secrets; `send_rate` is in messages a minute, None for no limit."""

    name: str | UnsetType = UNSET
    is_primary: bool | UnsetType = UNSET
    message_logging_enabled: bool | UnsetType = UNSET
    auto_warmer_enabled: bool | UnsetType = UNSET
    send_rate: int | UnsetType | None = UNSET
    settings: Mapping[str, str] | UnsetType = UNSET

    def given(self) -> dict[str, Any]:
        """Return the given fields, by name."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: value for name, value in values.items() if value is not UNSET}


@dataclass(eq=False)
class DeviceService:
    _database: Database
    _changes: Changes
    _networks: NetworkRegistry
    _accounts: AccountService
    _secret_box: SecretBox

    async def get(self, principal: Principal, account_id: UUID) -> DeviceDetailsRecord:
        """Get an account with its waiting messages. Raises what `AccountService.get` raises."""
        principal.require("admin:read")
        account = await self._accounts.get(principal, account_id)
        return await self._with_queue(account)

    async def change(
        self, principal: Principal, account_id: UUID, update: DeviceUpdate
    ) -> DeviceDetailsRecord:
        """Change an account; its session is reopened, except for changes that it does not use: the
        name, and which account is primary.

        Raises `InvalidInputError`, what `AccountService.get` raises, and `AccountNotAllowedError`
        if a caller who is limited to some accounts would change the primary one.
        """
        CHANGE.require(principal)
        await self._accounts.get(principal, account_id)
        changed = await self._changes.run(CHANGE, principal, self._change, account_id, update)
        return await self._with_queue(changed)

    async def _with_queue(self, account: Account) -> DeviceDetailsRecord:
        waiting = await self._database.read(count_waiting, account.tenant, [account.id])
        return device_details_record(account, waiting.get(account.id))

    async def _change(self, change: Change, account_id: UUID, update: DeviceUpdate) -> Account:
        connection, tenant, now = change.connection, change.tenant, change.now
        # a new primary changes the old one's row, too: all are locked, in key order
        ids = [account_id]
        if update.is_primary is True:
            ids = sorted(found.id for found in await sql.list_accounts(connection, tenant))
        keys = [(tenant.organization_id, id_) for id_ in ids]
        old = (await sql.lock_accounts(connection, tenant.shard, keys)).get(account_id)
        found = await sql.find_for_session(connection, tenant, account_id)
        if old is None or found is None:
            raise ChatAccountNotFoundError(account_id)
        update = _checked(old, update)
        if update.is_primary is True and not old.is_primary:
            change.principal.require_all_accounts()  # another account stops being primary
        settings, secrets = self._read_settings(old, update, found.encrypted_secrets)
        given = update.given() | {"settings": settings}
        if replace(old, **given) == old and secrets == found.encrypted_secrets:
            return old  # the connection that works stays
        new = replace(old, **given, updated_at=now)
        if new.auto_warmer_enabled and not old.auto_warmer_enabled:
            new = replace(new, warming_since=now.astimezone(UTC).date())
        if new.is_primary and not old.is_primary:
            await unset_primary(connection, tenant, account_id, now)
        await update_device(connection, new, secrets)
        change.audit(AuditAction.ACCOUNT_CHANGED, account_id, **_audited(old, update))
        change.wake(topics.live(tenant))
        if not update.given().keys() <= _UNUSED_BY_SESSIONS:
            await ask_to_reopen_session(change, account_id)
        return new

    def _read_settings(
        self, account: Account, update: DeviceUpdate, sealed: bytes | None
    ) -> tuple[dict[str, str], bytes | None]:
        """Return the plain settings and the encrypted secrets after the update."""
        if isinstance(update.settings, UnsetType):
            return account.settings, sealed
        form = self._networks.get_for_account(account.network).form
        kept = open_secrets(self._secret_box, account.tenant, account.id, sealed)
        settings, secrets = change_values(form, update.settings, account.settings, kept)
        if secrets == kept:
            return settings, sealed
        if not secrets:
            return settings, None
        return settings, seal_secrets(self._secret_box, account.tenant, account.id, secrets)


def _audited(before: Account, update: DeviceUpdate) -> dict[str, Any]:
    details = update.given()
    if details.get("name", before.name) != before.name:
        details["name_before"] = before.name
    if "settings" in details:  # values may be secret: only their names are recorded
        details["settings"] = sorted(details["settings"])
    return details


def _checked(account: Account, update: DeviceUpdate) -> DeviceUpdate:
    """Return the update with the normalized name. Raises `InvalidInputError`."""
    if not isinstance(update.name, UnsetType):
        update = dataclasses.replace(update, name=check_names(update.name, account.session_name))
    if update.is_primary is False and account.is_primary:
        raise InvalidInputError.at(
            ("is_primary",), "Make another device the primary one instead.", input=False
        )
    if not isinstance(update.send_rate, UnsetType):
        _check_send_rate(update.send_rate)
    return update


def _check_send_rate(rate: int | None) -> None:
    """Raise `InvalidInputError` unless this is a valid number of messages a minute, or None."""
    if rate is not None and not 1 <= rate <= MAX_SEND_RATE:
        raise InvalidInputError.at(
            ("send_rate",), f"A send rate is 1 to {MAX_SEND_RATE:,} messages a minute, or none."
        )
