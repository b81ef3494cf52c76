"""Tenants: organizations, and the principals that act for them."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, NamedTuple
from uuid import UUID

import msgspec
from typing_extensions import Doc

from heliograph.core.tenants.plans import NO_LIMITS, Plan
from heliograph.core.tenants.scopes import MEMBER_SCOPES, SCOPES
from heliograph.errors import AccountNotAllowedError, MissingScopeError


class Tenant(NamedTuple):
    """An organization and its shard, which every statement on a tenant's tables names."""

    shard: int
    organization_id: UUID


class Organization(msgspec.Struct, frozen=True):
    """A customer of the gateway; `plan` is the name of a plan."""

    id: UUID
    shard: int
    name: str
    plan: str
    created_at: datetime

    @property
    def tenant(self) -> Tenant:
        return Tenant(self.shard, self.id)


class Author(msgspec.Struct, frozen=True):
    """The author of a note or a change."""

    kind: Annotated[str, Doc("`api_key`, `user`, or `operator` for the command line.")]
    id: Annotated[str | None, Doc("The public part of an API key, or a person's id.")]
    name: Annotated[str, Doc("The name of the key or the person at that time.")]


@dataclass(frozen=True, slots=True)
class Principal:
    """A caller: an organization, and all scopes granted there, implied ones included.

    `key_id` is the public part of an API key, `user_id` a person's who has signed in; the command
    line, which is the operator, has neither. `plan` is the organization's, cached as long as the
    key is; the operator has no limits. `account_ids` are the only accounts whose messages,
    conversations and events the caller sees or touches; None is all of them. `expires_at` is when
    an API key ends.
    """

    tenant: Tenant
    scopes: frozenset[str]
    key_id: str | None = None
    name: str = ""
    plan: Plan = NO_LIMITS
    user_id: UUID | None = None
    account_ids: frozenset[UUID] | None = None
    expires_at: datetime | None = None

    @property
    def organization_id(self) -> UUID:
        return self.tenant.organization_id

    @property
    def actor(self) -> str:
        """How the audit log names the caller."""
        if self.key_id is not None:
            return f"key {self.key_id}"
        return "operator" if self.user_id is None else f"user {self.user_id}"

    @property
    def author(self) -> Author:
        """How notes and events name the caller."""
        if self.key_id is not None:
            return Author("api_key", self.key_id, self.name)
        if self.user_id is not None:
            return Author("user", str(self.user_id), self.name)
        return Author("operator", None, self.name)

    def may(self, scope: str) -> bool:
        return scope in self.scopes

    def require(self, scope: str) -> None:
        """Raise `MissingScopeError` unless the scope is granted."""
        if not self.may(scope):
            raise MissingScopeError(scope)

    @property
    def account_filter(self) -> list[UUID] | None:
        """The accounts that a statement may read, for `($n::uuid[] IS NULL OR account_id =
        ANY($n))`."""
        return None if self.account_ids is None else sorted(self.account_ids)

    def may_use(self, account_id: UUID) -> bool:
        return self.account_ids is None or account_id in self.account_ids

    def require_account(self, account_id: UUID) -> None:
        """Raise `AccountNotAllowedError` unless the caller may use this account."""
        if not self.may_use(account_id):
            raise AccountNotAllowedError

    def require_all_accounts(self) -> None:
        """Raise `AccountNotAllowedError` for a caller who is limited to some accounts."""
        if self.account_ids is not None:
            raise AccountNotAllowedError


OPERATOR = "operator"
"""The name of the command line's principal."""


def gateway(tenant: Tenant) -> Principal:
    """Return the principal of what the gateway does by itself, such as by the clock: it has no
    scopes, and leaves no entry in the audit log."""
    return Principal(tenant=tenant, scopes=frozenset(), name="gateway")


def operator(tenant: Tenant) -> Principal:
    """Return the principal of the command line: who can read the data directory may do
    everything."""
    return Principal(tenant=tenant, scopes=frozenset((*SCOPES, *MEMBER_SCOPES)), name=OPERATOR)
