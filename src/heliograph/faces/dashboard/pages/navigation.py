"""The menu at the side of each page: what somebody's role uses, and their first page."""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from heliograph.core.members.model import MemberRole

_VIEWERS, _AGENTS = (MemberRole.VIEWER,), (MemberRole.AGENT,)
_BOTH = _VIEWERS + _AGENTS


class MenuItem(NamedTuple):
    """`path` is a page of the organization, `help` the page about it in the documentation.

    `roles` work with it, besides owners and admins, who work with everything.
    """

    path: str
    title: str
    icon: str
    help: str
    roles: Collection[MemberRole]


class MenuGroup(NamedTuple):
    """Menu items under a title, or under none if it is empty."""

    title: str
    places: Sequence[MenuItem]


OVERVIEW = MenuItem("", "Overview", "layout-dashboard", "dashboard/#overview", _VIEWERS)
INBOX = MenuItem("inbox", "Inbox", "inbox", "dashboard/#inbox", _BOTH)
MESSAGES = MenuItem("messages", "Messages", "messages-square", "dashboard/#messages", _BOTH)
STATISTICS = MenuItem("statistics", "Statistics", "chart-column", "dashboard/#statistics", _VIEWERS)
DEVICES = MenuItem("devices", "Devices", "smartphone", "dashboard/#devices", _VIEWERS)
LABELS = MenuItem("inbox/labels", "Labels", "tags", "dashboard/#inbox", _AGENTS)
CANNED = MenuItem("inbox/canned", "Canned replies", "zap", "dashboard/#inbox", _AGENTS)
KEYS = MenuItem("developers/keys", "API keys", "key-round", "api/#a-key", ())
WEBHOOKS = MenuItem("developers/webhooks", "Webhooks", "webhook", "webhooks/", _VIEWERS)
DELIVERIES = MenuItem(
    "developers/deliveries", "Deliveries", "send", "webhooks/#redelivery", _VIEWERS
)
TRYING = MenuItem(
    "developers/try", "Try a request", "square-play", "dashboard/#developers", _VIEWERS
)
TOOLS = MenuItem("developers/tools", "Coding tools", "terminal", "coding-tools/", ())
MEMBERS = MenuItem("members", "Members", "users", "dashboard/#organizations-and-members", _VIEWERS)
AUDIT = MenuItem("audit", "Audit", "scroll-text", "tenants/#audit", _VIEWERS)

_EVERYTHING = (
    MenuGroup("", (OVERVIEW, INBOX, MESSAGES, STATISTICS, DEVICES)),
    MenuGroup("Developers", (KEYS, WEBHOOKS, DELIVERIES, TRYING, TOOLS)),
    MenuGroup("Organization", (MEMBERS, LABELS, CANNED, AUDIT)),
)


def _menu_of(role: MemberRole) -> Sequence[MenuGroup]:
    if role in (MemberRole.OWNER, MemberRole.ADMIN):
        return _EVERYTHING
    used = [
        MenuGroup(title, [place for place in places if role in place.roles])
        for title, places in _EVERYTHING
    ]
    return [group for group in used if group.places]


NAVIGATION: Mapping[MemberRole, Sequence[MenuGroup]] = {role: _menu_of(role) for role in MemberRole}
"""What each role works with. Other pages still open, if the role grants their scope."""


def first_place(role: MemberRole) -> MenuItem:
    """Return the first page of somebody with this role."""
    return NAVIGATION[role][0].places[0]


def find_place(role: MemberRole, path: str) -> MenuItem | None:
    """Return the menu item to which a page belongs; None if there is none."""
    places = [place for group in NAVIGATION[role] for place in group.places]
    around = [place for place in places if path == place.path or _is_within(path, place)]
    return max(around, key=lambda place: len(place.path), default=None)


def _is_within(path: str, place: MenuItem) -> bool:
    return bool(place.path) and path.startswith(f"{place.path}/")
