"""Which account a request uses, without asking the database each time.

An answer is at most 900 ms old, counted from the start of the read. What is cached is what seldom
changes (network, settings, which account is primary), never whether the account is connected.
"""

import time
from collections import OrderedDict
from collections.abc import Callable
from uuid import UUID

from heliograph.errors import NoChatAccountError
from heliograph.model.accounts import Account
from heliograph.model.organizations import Tenant
from heliograph.services.accounts import AccountService
from heliograph.services.principals import Principal

MAX_AGE = 0.9
MAX_ENTRIES = 20_000


class AccountDirectory:
    """`account_id` None stands for the organization's primary account."""

    def __init__(
        self, accounts: AccountService, *, now: Callable[[], float] = time.monotonic
    ) -> None:
        self._accounts = accounts
        self._now = now
        self._known: OrderedDict[tuple[Tenant, UUID | None], tuple[float, Account]] = OrderedDict()

    async def find(self, principal: Principal, account_id: UUID | None) -> Account:
        """Raises `NoChatAccountError`, `ChatAccountNotFoundError` and `OtherOrganizationError`."""
        key = (principal.tenant, account_id)
        known = self._known.get(key)
        if known is not None and self._now() - known[0] < MAX_AGE:
            return known[1]
        asked_at = self._now()
        account = await self.read(principal, account_id)
        self._known[key] = (asked_at, account)
        self._known.move_to_end(key)
        while len(self._known) > MAX_ENTRIES:
            self._known.popitem(last=False)
        return account

    async def read(self, principal: Principal, account_id: UUID | None) -> Account:
        """The account as it is now; raises what `find` raises."""
        if account_id is not None:
            return await self._accounts.get(principal, account_id)
        primary = await self._accounts.find_primary(principal)
        if primary is None:
            raise NoChatAccountError
        return primary
