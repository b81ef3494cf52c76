"""What waits."""

import msgspec

COUNTED = 100_000
"""Where counting ends: more than that is said to be that much."""


class Backlog(msgspec.Struct, frozen=True):
    """Messages in the queue and webhook deliveries that wait for an attempt; ages in seconds.

    `messages_age` is how long the oldest queued message has waited, `deliveries_age` how long the
    oldest due delivery has been due; 0 when there is none. Disabled webhooks are not counted.
    """

    messages: int
    messages_age: float
    deliveries: int
    deliveries_age: float
