"""Who may see events: a message's tell what was written, and take that message's own scope."""

from collections.abc import Iterable

from heliograph.core.events.model import EventType, matches
from heliograph.core.tenants.principal import Principal

SCOPE = "messages:read"
"""What it takes beside the scope of webhooks."""

_OF_MESSAGES = tuple(each for each in EventType if each.startswith("message."))


def require_events(principal: Principal, types: Iterable[str]) -> None:
    """Raise `MissingScopeError` unless events of these types and patterns may be shown to this
    caller, or posted to where this caller says."""
    named = tuple(types)
    if any(matches(named, message) for message in _OF_MESSAGES):
        principal.require(SCOPE)
