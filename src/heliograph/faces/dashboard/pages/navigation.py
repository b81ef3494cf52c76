"""The areas at the side of each page: what somebody's role uses, and where they begin."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from heliograph.core.members.model import MemberRole


class Place(NamedTuple):
    """`path` is a page of the organization; `help` is where the documentation tells about it."""

    path: str
    title: str
    icon: str
    help: str = "dashboard/"


class Group(NamedTuple):
    """Places below each other, under a title or, where it is empty, none."""

    title: str
    places: Sequence[Place]


OVERVIEW = Place("", "Overview", "layout-dashboard", "dashboard/#overview")
INBOX = Place("inbox", "Inbox", "inbox", "dashboard/#inbox")
MESSAGES = Place("messages", "Messages", "messages-square", "dashboard/#messages")
STATISTICS = Place("statistics", "Statistics", "chart-column", "dashboard/#statistics")
DEVICES = Place("devices", "Devices", "smartphone", "dashboard/#devices")
LABELS = Place("inbox/labels", "Labels", "tags", "dashboard/#inbox")
CANNED = Place("inbox/canned", "Canned replies", "zap", "dashboard/#inbox")
KEYS = Place("developers/keys", "API keys", "key-round", "api/#a-key")
WEBHOOKS = Place("developers/webhooks", "Webhooks", "webhook", "webhooks/")
DELIVERIES = Place("developers/deliveries", "Deliveries", "send", "webhooks/#redelivery")
TRYING = Place("developers/try", "Try a request", "square-play", "dashboard/#developers")
TOOLS = Place("developers/tools", "Coding tools", "terminal", "coding-tools/")
MEMBERS = Place("members", "Members", "users", "dashboard/#organizations-and-members")
AUDIT = Place("audit", "Audit", "scroll-text", "tenants/#audit")

_EVERYTHING = (
    Group("", (OVERVIEW, INBOX, MESSAGES, STATISTICS, DEVICES)),
    Group("Developers", (KEYS, WEBHOOKS, DELIVERIES, TRYING, TOOLS)),
    Group("Organization", (MEMBERS, LABELS, CANNED, AUDIT)),
)
NAVIGATION: Mapping[MemberRole, Sequence[Group]] = {
    MemberRole.OWNER: _EVERYTHING,
    MemberRole.ADMIN: _EVERYTHING,
    MemberRole.AGENT: (
        Group("", (INBOX, MESSAGES)),
        Group("Organization", (LABELS, CANNED)),
    ),
    MemberRole.VIEWER: (
        Group("", (OVERVIEW, INBOX, MESSAGES, STATISTICS, DEVICES)),
        Group("Developers", (WEBHOOKS, DELIVERIES, TRYING)),
        Group("Organization", (MEMBERS, AUDIT)),
    ),
}
"""What each role works with. Other pages still open, if the role grants their scope."""


def first_place(role: MemberRole) -> Place:
    """Return where somebody with this role lands."""
    return NAVIGATION[role][0].places[0]


def find_place(role: MemberRole, path: str) -> Place | None:
    """Return the place of which a page is a part; None for one that is of no place."""
    places = [place for group in NAVIGATION[role] for place in group.places]
    around = [place for place in places if path == place.path or _is_within(path, place)]
    return max(around, key=lambda place: len(place.path), default=None)


def _is_within(path: str, place: Place) -> bool:
    return bool(place.path) and path.startswith(f"{place.path}/")
