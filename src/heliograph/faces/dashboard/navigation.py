"""The areas at the side of each page: what somebody's role uses, and where they begin."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from heliograph.core.members.model import MemberRole


class Place(NamedTuple):
    """`path` is a page of the organization."""

    path: str
    title: str
    icon: str


class Group(NamedTuple):
    """Places below each other, under a title or, where it is empty, none."""

    title: str
    places: Sequence[Place]


OVERVIEW = Place("", "Overview", "layout-dashboard")
INBOX = Place("inbox", "Inbox", "inbox")
MESSAGES = Place("messages", "Messages", "messages-square")
STATISTICS = Place("statistics", "Statistics", "chart-column")
DEVICES = Place("devices", "Devices", "smartphone")
LABELS = Place("inbox/labels", "Labels", "tags")
CANNED = Place("inbox/canned", "Canned replies", "zap")
KEYS = Place("developers/keys", "API keys", "key-round")
WEBHOOKS = Place("developers/webhooks", "Webhooks", "webhook")
DELIVERIES = Place("developers/deliveries", "Deliveries", "send")
TRYING = Place("developers/try", "Try a request", "square-play")
TOOLS = Place("developers/tools", "Coding tools", "terminal")
MEMBERS = Place("members", "Members", "users")
AUDIT = Place("audit", "Audit", "scroll-text")

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
