"""No key makes, rotates or revokes a key that may do more than itself."""

from collections.abc import Collection, Iterable
from datetime import datetime
from uuid import UUID

from heliograph.core.tenants.model import Principal
from heliograph.core.tenants.scopes import implied_scopes
from heliograph.errors import ExpiryNotAllowedError


def require_within(
    principal: Principal,
    scopes: Iterable[str] | None,
    account_ids: Collection[UUID] | None,
    expires_at: datetime | None,
) -> None:
    """Raise unless a key of these scopes and accounts may do nothing that the caller may not, for
    no longer.

    Raises `MissingScopeError`, `AccountNotAllowedError` and `ExpiryNotAllowedError`. None is every
    scope, all accounts, or forever.
    """
    for scope in sorted(implied_scopes(scopes)):
        principal.require(scope)
    if account_ids is None:
        principal.require_all_accounts()
    for account_id in account_ids or ():
        principal.require_account(account_id)
    own = principal.expires_at
    if own is not None and (expires_at is None or expires_at > own):
        raise ExpiryNotAllowedError(own)


def is_within(principal: Principal, account_ids: Collection[UUID] | None) -> bool:
    """Return whether a key of these accounts is one that the caller may see."""
    if principal.account_ids is None:
        return True
    return account_ids is not None and principal.account_ids.issuperset(account_ids)
