"""The menu at the side of each page: what somebody's role uses, and their first page."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from heliograph.core.members.model import MemberRole


class MenuItem(NamedTuple):
    """`path` is a page of the organization; `help` is the page about it in the documentation."""

    path: str
    title: str
    icon: str
    help: str = "dashboard/"


class MenuGroup(NamedTuple):
    """Menu items under a title, or under none if it is empty."""

    title: str
    places: Sequence[MenuItem]


OVERVIEW = MenuItem("", "Overview", "layout-dashboard", "dashboard/#overview")
INBOX = MenuItem("inbox", "Inbox", "inbox", "dashboard/#inbox")
MESSAGES = MenuItem("messages", "Messages", "messages-square", "dashboard/#messages")
STATISTICS = MenuItem("statistics", "Statistics", "chart-column", "dashboard/#statistics")
DEVICES = MenuItem("devices", "Devices", "smartphone", "dashboard/#devices")
LABELS = MenuItem("inbox/labels", "Labels", "tags", "dashboard/#inbox")
CANNED = MenuItem("inbox/canned", "Canned replies", "zap", "dashboard/#inbox")
KEYS = MenuItem("developers/keys", "API keys", "key-round", "api/#a-key")
WEBHOOKS = MenuItem("developers/webhooks", "Webhooks", "webhook", "webhooks/")
DELIVERIES = MenuItem("developers/deliveries", "Deliveries", "send", "webhooks/#redelivery")
TRYING = MenuItem("developers/try", "Try a request", "square-play", "dashboard/#developers")
TOOLS = MenuItem("developers/tools", "Coding tools", "terminal", "coding-tools/")
MEMBERS = MenuItem("members", "Members", "users", "dashboard/#organizations-and-members")
AUDIT = MenuItem("audit", "Audit", "scroll-text", "tenants/#audit")

_EVERYTHING = (
    MenuGroup("", (OVERVIEW, INBOX, MESSAGES, STATISTICS, DEVICES)),
    MenuGroup("Developers", (KEYS, WEBHOOKS, DELIVERIES, TRYING, TOOLS)),
    MenuGroup("Organization", (MEMBERS, LABELS, CANNED, AUDIT)),
)
NAVIGATION: Mapping[MemberRole, Sequence[MenuGroup]] = {
    MemberRole.OWNER: _EVERYTHING,
    MemberRole.ADMIN: _EVERYTHING,
    MemberRole.AGENT: (
        MenuGroup("", (INBOX, MESSAGES)),
        MenuGroup("Organization", (LABELS, CANNED)),
    ),
    MemberRole.VIEWER: (
        MenuGroup("", (OVERVIEW, INBOX, MESSAGES, STATISTICS, DEVICES)),
        MenuGroup("Developers", (WEBHOOKS, DELIVERIES, TRYING)),
        MenuGroup("Organization", (MEMBERS, AUDIT)),
    ),
}
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
