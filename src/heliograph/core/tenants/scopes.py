"""Scopes: what an API key, or a person by their role, may do."""

from collections.abc import Iterable

RESOURCES = ("messages", "conversations", "groups", "contacts", "webhooks")
SCOPES = tuple(
    f"{resource}:{verb}" for resource in (*RESOURCES, "admin") for verb in ("read", "write")
)
MEMBER_SCOPES = ("members:read", "members:write", "owners:write")
"""Scopes that no API key grants: to read and change an organization's members and owners."""


def implied_scopes(scopes: Iterable[str] | None) -> frozenset[str]:
    """Return every scope that these grant. None, a key without scopes, grants all.

    `resource:write` grants `resource:read`; `admin:read` every `*:read`; `admin:write` everything.
    """
    if scopes is None:
        return frozenset(SCOPES)
    granted = set(scopes)
    if "admin:write" in granted:
        return frozenset(SCOPES)
    if "admin:read" in granted:
        granted.update(scope for scope in SCOPES if scope.endswith(":read"))
    granted.update(
        scope.removesuffix(":write") + ":read"
        for scope in tuple(granted)
        if scope.endswith(":write")
    )
    return frozenset(granted)
