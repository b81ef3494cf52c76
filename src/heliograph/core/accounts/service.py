"""Accounts: connected by the operator, listed as devices."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

import asyncpg
from msgspec.structs import replace

from heliograph import errors
from heliograph.core import topics
from heliograph.core.accounts import sql
from heliograph.core.accounts.device_list import select_devices
from heliograph.core.accounts.form import check_names, make_session_name, read_form
from heliograph.core.accounts.model import Account, DeviceQuery
from heliograph.core.accounts.naming import Owned, choose_account, find_whole, may_be_in
from heliograph.core.accounts.restrictions_sql import count_waiting
from heliograph.core.accounts.secrets import seal_secrets
from heliograph.core.accounts.serializers import (
    DeviceDetailsRecord,
    add_device_event,
    device_details_record,
)
from heliograph.core.audit.model import AuditAction
from heliograph.core.changes.model import Change, Write
from heliograph.core.changes.service import Changes
from heliograph.core.events.model import EventType
from heliograph.core.organizations.service import require_room
from heliograph.core.organizations.sql import list_organizations
from heliograph.core.tenants.model import Organization, Principal, Tenant, operator
from heliograph.core.tenants.sql import missing_error
from heliograph.networks.port import AccountStatus, Network
from heliograph.networks.registry import DriverLoadError, NetworkRegistry, UnknownNetworkError
from heliograph.platform.aio.cache import TtlCache
from heliograph.platform.crypto import SecretBox
from heliograph.platform.database.pool import Connection, Database, RepeatTransactionError

MAX_CACHED = 20_000

CREATE = Write(
    scope="admin:write",
    audits=(AuditAction.ACCOUNT_CREATED,),
    events=(EventType.DEVICE_PAIRING,),
    is_repeatable=True,
)


@dataclass(frozen=True, slots=True)
class DevicePage:
    """One page of devices; `total` counts all that match the filter."""

    devices: list[DeviceDetailsRecord]
    total: int
    limit: int
    offset: int


class AccountService:
    def __init__(
        self,
        database: Database,
        changes: Changes,
        networks: NetworkRegistry,
        secret_box: SecretBox,
        preferred: UUID | None = None,
    ) -> None:
        self._database = database
        self._clock = database.clock
        self._changes = changes
        self._networks = networks
        self._secret_box = secret_box
        self._preferred = preferred

    async def list_devices(self, principal: Principal, query: DeviceQuery) -> DevicePage:
        """List the organization's accounts, as the API shows them."""
        principal.require("admin:read")
        read, tenant = self._database.read, principal.tenant
        query = replace(query, account_ids=principal.account_filter)
        if query.asks_for_names:
            ids = select_devices(query, await read(sql.list_device_names, tenant, query))
            page = ids[query.offset : query.offset + query.limit]
            found, total = await read(sql.list_accounts_by_id, tenant, page), len(ids)
        else:
            found, total = await read(sql.list_matching_accounts, tenant, query)
        waiting = await read(count_waiting, tenant, [account.id for account in found])
        devices = [device_details_record(account, waiting.get(account.id)) for account in found]
        return DevicePage(devices, total, query.limit, query.offset)

    def list_networks(self) -> Sequence[Network]:
        """List the networks that an account can be connected to."""
        return self._networks.list_networks()

    def list_offered_networks(self) -> Sequence[Network]:
        """List the networks to offer to people: those whose dependencies are all installed."""
        return [network for network in self.list_networks() if not network.missing()]

    def list_unusable_networks(self) -> Mapping[str, str]:
        """Return the networks with missing dependencies, each with what to install."""
        return self._networks.list_unusable()

    async def list(self, principal: Principal) -> list[Account]:
        """List all accounts of the organization that the caller may use, oldest first."""
        principal.require("admin:read")
        accounts = await self._database.read(sql.list_accounts, principal.tenant)
        return [account for account in accounts if principal.may_use(account.id)]

    async def get(self, principal: Principal, account_id: UUID) -> Account:
        """Get an account.

        Raises `ChatAccountNotFoundError`, `OtherOrganizationError` for another organization's
        account, and `AccountNotAllowedError` for one that the caller may not use.
        """
        account = await self._database.read(_get_account, principal.tenant, account_id)
        principal.require_account(account_id)
        return account

    async def get_by_session_name(self, principal: Principal, session_name: str) -> Account:
        """Get the account with this session name.

        Raises `SessionNotFoundError`, also when another organization has such a session, and
        `AccountNotAllowedError`.
        """
        account = await self._database.read(
            sql.find_by_session_name, principal.tenant, session_name
        )
        if account is None:
            raise errors.SessionNotFoundError(session_name)
        principal.require_account(account.id)
        return account

    async def get_primary(self, principal: Principal) -> Account:
        """Get the organization's primary account, connected or not.

        Raises `NoChatAccountError`, and `AccountNotAllowedError` if the caller may not use it.
        """
        account = await self._database.read(sql.find_primary, principal.tenant)
        if account is None:
            raise errors.NoChatAccountError
        principal.require_account(account.id)
        return account

    async def find_for_cli(
        self, name_or_id: str | None, within: Organization | None = None
    ) -> Account:
        """Find the account that `choose_account` selects, in this organization or in any; None
        finds the primary one.

        For the operator's command line, which need not name the organization; `Acme/desk` does.
        Raises `NotFoundError` and `InvalidInputError`.
        """
        organizations = await self._list_organizations(within)
        found = choose_account(name_or_id, await self._list_of(organizations), self._preferred)
        if found is None:
            raise errors.NotFoundError(
                (f"There is no account '{name_or_id}'" if name_or_id else "There is no account yet")
                + ("." if within is None else f" in '{within.name}'.")
            )
        return found

    async def find_organization_in(self, name: str) -> Organization | None:
        """Find the organization with which an account's name on the command line begins, as in
        `Acme/desk`, or None."""
        organizations = [
            each for each in await self._list_organizations(None) if may_be_in(each, name)
        ]
        return find_whole(name, await self._list_of(organizations))

    async def _list_of(self, organizations: Iterable[Organization]) -> Sequence[Owned]:
        return [
            (organization, account)
            for organization in organizations
            for account in await self._database.read(sql.list_accounts, organization.tenant)
        ]

    async def _list_organizations(self, within: Organization | None) -> Sequence[Organization]:
        return await self._database.read(list_organizations) if within is None else [within]

    async def create(
        self,
        principal: Principal,
        network: str,
        name: str,
        session_name: str | None,
        settings: Mapping[str, str],
    ) -> Account:
        """Connect an account; pairing starts automatically. The first account becomes the primary
        one.

        Without a session name it gets a free one, derived from its name. `settings` are the values
        of the network's form. Raises `InvalidInputError`, also when the network is not installed or
        can't be loaded, `PlanLimitReachedError`, and `AccountNotAllowedError` for a caller who is
        limited to some accounts.
        """
        CREATE.require(principal)
        principal.require_all_accounts()
        try:
            driver = self._networks.get_network(network)
        except (UnknownNetworkError, DriverLoadError) as error:
            raise errors.InvalidInputError.at(("network",), str(error)) from error
        wanted_name = make_session_name(name) if session_name is None else session_name
        name = check_names(name, wanted_name)
        settings_, secrets = read_form(driver.form, settings)
        account = self._new_account(principal, driver, name, wanted_name, settings_)
        sealed = (
            seal_secrets(self._secret_box, account.tenant, account.id, secrets) if secrets else None
        )
        may_rename = session_name is None
        return await self._changes.run(CREATE, principal, _insert, account, sealed, may_rename)

    def _new_account(
        self,
        principal: Principal,
        network: Network,
        name: str,
        session_name: str,
        settings: dict[str, str],
    ) -> Account:
        now = self._clock.now()
        return Account(
            tenant=principal.tenant,
            id=self._clock.new_id(),
            network=network.name,
            name=name,
            session_name=session_name,
            status=AccountStatus.PAIRING,
            is_primary=False,
            message_logging_enabled=True,
            auto_warmer_enabled=False,
            send_rate=network.capabilities.send_rate,
            settings=settings,
            created_at=now,
            updated_at=now,
            disconnected_since=now,
        )


async def _insert(
    change: Change, account: Account, secrets: bytes | None, may_rename: bool
) -> Account:
    """Insert the account. With `may_rename`, a taken session name gets a number. If two first
    accounts are inserted at the same time, the later one is not primary."""
    connection, tenant = change.connection, change.tenant
    await require_room(
        connection,
        tenant.organization_id,
        "accounts",
        account.created_at,
        lambda: sql.count_other_accounts(connection, tenant, account.id),
    )
    mine = replace(account, is_primary=not await sql.has_accounts(connection, tenant))
    taken = await sql.list_session_names(connection, tenant, but=account.id)
    if may_rename:
        mine = replace(mine, session_name=make_session_name(account.name, taken))
    elif mine.session_name in taken:
        raise errors.InvalidInputError.at(
            ("session_name",),
            f"This organization already has a session called '{mine.session_name}'.",
            input=mine.session_name,
        )
    try:
        is_new = await sql.insert_account(connection, mine, secrets)
    except asyncpg.UniqueViolationError as error:
        raise RepeatTransactionError("another account takes this place or session name") from error
    if is_new:
        change.audit(
            AuditAction.ACCOUNT_CREATED,
            mine.id,
            name=mine.name,
            network=mine.network,
            session_name=mine.session_name,
        )
        add_device_event(change.events, mine)
    change.wake(topics.FREE_ACCOUNT_LEASES, topics.live(tenant))
    return await sql.find_account(connection, tenant, account.id) or mine


async def _get_account(connection: Connection, tenant: Tenant, account_id: UUID) -> Account:
    account = await sql.find_account(connection, tenant, account_id)
    if account is None:
        not_found = errors.ChatAccountNotFoundError(account_id)
        raise await missing_error(connection, "accounts", account_id, not_found)
    return account


class AccountDirectory:
    """Finds the account that a request uses, without a query for each request.

    An answer is at most 900 ms old, counted from the start of the read. What is cached seldom
    changes (network, settings, which account is primary); whether the account is connected is
    never cached. `account_id` None stands for the organization's primary account.
    """

    def __init__(self, accounts: AccountService) -> None:
        self._accounts = accounts
        self._cache: TtlCache[tuple[Tenant, UUID | None], Account] = TtlCache(
            lambda key: self.read(operator(key[0]), key[1]), max_entries=MAX_CACHED
        )

    async def find(self, principal: Principal, account_id: UUID | None) -> Account:
        """Find the account, possibly in the cache.

        Raises `NoChatAccountError`, `ChatAccountNotFoundError`, `OtherOrganizationError` and
        `AccountNotAllowedError`.
        """
        account = await self._cache.find((principal.tenant, account_id))
        principal.require_account(account.id)
        return account

    async def read(self, principal: Principal, account_id: UUID | None) -> Account:
        """Read the account as it is now. Raises what `find` raises."""
        if account_id is not None:
            return await self._accounts.get(principal, account_id)
        return await self._accounts.get_primary(principal)


def require_connected(account: Account) -> None:
    """Raise `ChatAccountNotConnectedError` unless the account is connected."""
    if account.status is not AccountStatus.CONNECTED:
        raise errors.ChatAccountNotConnectedError(account.name)
