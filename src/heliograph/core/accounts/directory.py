"""Which account a request uses, without asking the database each time.

An answer is at most 900 ms old, counted from the start of the read. What is cached is what seldom
changes (network, settings, which account is primary), never whether the account is connected.
"""

from uuid import UUID

from heliograph.core.accounts.model import Account
from heliograph.core.accounts.service import AccountService
from heliograph.core.tenants.organization import Tenant
from heliograph.core.tenants.principal import Principal, operator
from heliograph.errors import NoChatAccountError
from heliograph.platform.aio.ttl_cache import TtlCache

MAX_ENTRIES = 20_000


class AccountDirectory:
    """`account_id` None stands for the organization's primary account."""

    def __init__(self, accounts: AccountService) -> None:
        self._accounts = accounts
        self._recent: TtlCache[tuple[Tenant, UUID | None], Account] = TtlCache(
            lambda key: self.read(operator(key[0]), key[1]), max_entries=MAX_ENTRIES
        )

    async def find(self, principal: Principal, account_id: UUID | None) -> Account:
        """Raises `NoChatAccountError`, `ChatAccountNotFoundError` and `OtherOrganizationError`."""
        return await self._recent.find((principal.tenant, account_id))

    async def read(self, principal: Principal, account_id: UUID | None) -> Account:
        """The account as it is now; raises what `find` raises."""
        if account_id is not None:
            return await self._accounts.get(principal, account_id)
        primary = await self._accounts.find_primary(principal)
        if primary is None:
            raise NoChatAccountError
        return primary
