"""Resolves the name of an account on the command line."""

from collections.abc import Iterable, Sequence
from uuid import UUID

from heliograph.core.accounts.model import Account
from heliograph.core.tenants.model import Organization
from heliograph.errors import InvalidInputError
from heliograph.networks.phone_numbers import forms_of, phone_digits

Owned = tuple[Organization, Account]


def choose_account(
    name: str | None, accounts: Iterable[Owned], preferred: UUID | None
) -> Account | None:
    """Return the account with this name, or None.

    A name is an id in any notation, a session name, a session name with its organization in any
    case (`Acme/desk`), the name for people, the phone number or the network's address. No name
    means a primary account. Names that are unique within an organization take precedence over
    shared ones, and the preferred organization over others, unless the name includes the
    organization. Raises `InvalidInputError` if several accounts match.
    """
    fitting = [each for each in accounts if _fits(each, name)]
    whole = _list_whole(name, fitting)
    if not whole:
        fitting = [each for each in fitting if each[0].id == preferred] or fitting
    found = [each for each in fitting if each in whole or _is_exact(each, name)] or fitting
    if len(found) > 1:
        names = ", ".join(f"'{_whole(each)}' ({each[1].id})" for each in found)
        raise InvalidInputError.at(("account",), f"Several accounts match; name one: {names}.")
    return found[0][1] if found else None


def may_be_in(organization: Organization, name: str) -> bool:
    """Return whether the name may begin with this organization."""
    return name.lower().startswith(f"{organization.name.lower()}/")


def find_whole(name: str, accounts: Sequence[Owned]) -> Organization | None:
    """Return the organization in a name such as `Acme/desk`, if it has that account."""
    found = _list_whole(name, accounts)
    return found[0][0] if len(found) == 1 else None


def _list_whole(name: str | None, accounts: Sequence[Owned]) -> Sequence[Owned]:
    """Return the accounts with this organization and session name; the organization may be in any
    case if none matches exactly."""
    if name is None:
        return []
    found = [each for each in accounts if _is_whole(each, name)]
    return [each for each in found if _whole(each) == name] or found


def _whole(owned: Owned) -> str:
    organization, account = owned
    return f"{organization.name}/{account.session_name}"


def _is_whole(owned: Owned, name: str) -> bool:
    organization, account = owned
    before = name.removesuffix(f"/{account.session_name}")
    return before != name and before.lower() == organization.name.lower()


def _is_exact(owned: Owned, name: str | None) -> bool:
    _, account = owned
    return name is not None and (name == account.session_name or account.id == _read_id(name))


def _read_id(name: str) -> UUID | None:
    try:
        return UUID(name)
    except ValueError:
        return None


def _fits(owned: Owned, name: str | None) -> bool:
    _, account = owned
    if name is None:
        return account.is_primary
    if _is_whole(owned, name) or _is_exact(owned, name):
        return True
    if name in (account.name, account.remote_jid):
        return True
    digits = phone_digits(name)
    return digits is not None and (account.phone_number or "").removeprefix("+") in forms_of(digits)
