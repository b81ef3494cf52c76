"""The hierarchy of scopes."""

from uuid_utils.compat import uuid7

from each_case import for_each
from heliograph.core.tenants.model import Tenant, operator
from heliograph.core.tenants.plans import NO_LIMITS
from heliograph.core.tenants.scopes import MEMBER_SCOPES, SCOPES, implied_scopes

TENANT = Tenant(0, uuid7())


def test_a_key_without_scopes_may_do_everything() -> None:
    assert implied_scopes(None) == set(SCOPES)


@for_each("resource", ["messages", "conversations", "groups", "contacts", "webhooks"])
def test_writing_implies_reading_the_same_and_nothing_else(resource: str) -> None:
    assert implied_scopes([f"{resource}:write"]) == {f"{resource}:write", f"{resource}:read"}
    assert implied_scopes([f"{resource}:read"]) == {f"{resource}:read"}


def test_admin_read_implies_every_read_and_no_write() -> None:
    granted = implied_scopes(["admin:read"])
    assert granted == {scope for scope in SCOPES if scope.endswith(":read")}


def test_admin_read_keeps_the_writes_beside_it() -> None:
    granted = implied_scopes(["admin:read", "messages:write"])
    assert "messages:write" in granted
    assert "groups:write" not in granted


def test_admin_write_implies_everything() -> None:
    assert implied_scopes(["admin:write"]) == set(SCOPES)


def test_the_operator_may_do_everything_without_limits() -> None:
    assert operator(TENANT).scopes == {*SCOPES, *MEMBER_SCOPES}
    assert operator(TENANT).plan == NO_LIMITS
