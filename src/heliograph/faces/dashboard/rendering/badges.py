"""How states look: a tone and an icon, the same on every page. Their words are the API's.

A message's state has a color of its own besides, which charts have as well (`components.css`).
"""

from collections.abc import Mapping
from typing import Literal, NamedTuple

Tone = Literal["good", "bad", "warn", "info", "quiet"]


class Badge(NamedTuple):
    """`icon` says the same as `tone`, for people who can't see colors. `state` names the message
    state whose color replaces the tone's."""

    tone: Tone
    icon: str
    state: str | None = None

    @property
    def look(self) -> str:
        """The CSS classes of the badge."""
        return self.tone if self.state is None else f"in-state of-{self.state}"


MESSAGE: Mapping[str, Badge] = {
    "received": Badge("info", "arrow-down-left", "received"),
    "scheduled": Badge("info", "calendar-clock", "scheduled"),
    "queued": Badge("warn", "clock", "queued"),
    "sending": Badge("warn", "loader-circle", "sending"),
    "sent": Badge("quiet", "check", "sent"),
    "delivered": Badge("good", "check-check", "delivered"),
    "read": Badge("good", "check-check", "read"),
    "failed": Badge("bad", "circle-alert", "failed"),
    "canceled": Badge("quiet", "ban", "canceled"),
    "edited": Badge("quiet", "pencil"),
    "deleted": Badge("quiet", "ban"),
}
DEVICE: Mapping[str, Badge] = {
    "connected": Badge("good", "wifi"),
    "connecting": Badge("warn", "loader-circle"),
    "pairing": Badge("warn", "qr-code"),
    "disconnected": Badge("bad", "wifi-off"),
    "logged_out": Badge("bad", "log-out"),
    "restricted": Badge("warn", "shield-alert"),
}
WEBHOOK: Mapping[str, Badge] = {
    "enabled": Badge("good", "circle-check"),
    "failing": Badge("warn", "triangle-alert"),
    "disabled": Badge("bad", "ban"),
}
DELIVERY: Mapping[str, Badge] = {
    "pending": Badge("warn", "clock"),
    "delivering": Badge("warn", "loader-circle"),
    "delivered": Badge("good", "circle-check"),
    "failed": Badge("bad", "circle-alert"),
    "canceled": Badge("quiet", "ban"),
}
CONVERSATION: Mapping[str, Badge] = {
    "open": Badge("good", "circle-dot"),
    "pending": Badge("warn", "clock"),
    "snoozed": Badge("info", "moon"),
    "closed": Badge("quiet", "archive"),
}

BADGES: Mapping[str, Mapping[str, Badge]] = {
    "message": MESSAGE,
    "device": DEVICE,
    "webhook": WEBHOOK,
    "delivery": DELIVERY,
    "conversation": CONVERSATION,
}


_UNKNOWN = Badge("quiet", "circle-dot")


def badge_of(kind: str, state: str) -> Badge:
    """Return how a state of this kind of thing looks."""
    return BADGES[kind].get(state, _UNKNOWN)
