"""No key makes, rotates or revokes a key that may do more than itself."""

from collections.abc import Collection, Iterable
from uuid import UUID

from heliograph.core.tenants.model import Principal
from heliograph.core.tenants.scopes import implied_scopes


def require_within(
    principal: Principal, scopes: Iterable[str] | None, account_ids: Collection[UUID] | None
) -> None:
    """Raise unless a key of these scopes and accounts may do nothing that the caller may not.

    Raises `MissingScopeError` and `AccountNotAllowedError`. None is every scope, or all accounts.
    """
    for scope in sorted(implied_scopes(scopes)):
        principal.require(scope)
    if account_ids is None:
        principal.require_all_accounts()
    for account_id in account_ids or ():
        principal.require_account(account_id)


def is_within(principal: Principal, account_ids: Collection[UUID] | None) -> bool:
    """Return whether a key of these accounts is one that the caller may see."""
    if principal.account_ids is None:
        return True
    return account_ids is not None and principal.account_ids.issuperset(account_ids)
