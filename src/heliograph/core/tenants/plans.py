"""Plans: what an organization may use."""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, NamedTuple, get_type_hints

import msgspec

from heliograph.errors import PlanLimitReachedError

FREE = "free"
PRO = "pro"
UNLIMITED = "unlimited"
DEFAULT_PLAN = PRO
"""The plan of a new organization for which none is named."""
DEFAULT_FILE_BYTES = 64 * 1024 * 1024


class Limit(NamedTuple):
    """What a plan limits, in words, and within which bounds: a limit that is never 0 begins at 1,
    since nobody could call the API or keep a message.

    `make_room` tells a client what to do about a limit of what is kept, which no time resets.
    """

    words: str
    make_room: str = ""
    least: int = 0
    most: int = 2_000_000_000


class Plan(msgspec.Struct, frozen=True):
    """One row of `plans`; None is no limit.

    `requests_per_minute` holds for all keys of an organization together, `key_requests_per_minute`
    for each of them. Days and months are those of UTC. `retention_days` is how long a message is
    kept after its last change, and a file after its upload. `media_bytes` is what the files of an
    organization may take, `max_file_bytes` the size of each; None is `DEFAULT_FILE_BYTES` there.
    """

    name: str
    requests_per_minute: Annotated[int | None, Limit("Requests of all keys together", least=1)] = (
        None
    )
    key_requests_per_minute: Annotated[int | None, Limit("Requests of each key", least=1)] = None
    messages_per_day: Annotated[int | None, Limit("Messages to send, days in UTC")] = None
    messages_per_month: Annotated[int | None, Limit("Messages to send, months in UTC")] = None
    accounts: Annotated[int | None, Limit("Accounts", "Remove a device first.")] = None
    webhooks: Annotated[int | None, Limit("Webhooks", "Delete a webhook first.")] = None
    api_keys: Annotated[int | None, Limit("Keys that can be used", "Revoke an API key first.")] = (
        None
    )
    retention_days: Annotated[int | None, Limit("Days that a message is kept", least=1)] = None
    media_bytes: Annotated[
        int | None,
        Limit(
            "Bytes of all files together",
            "Delete files that are not needed any more (GET /media, DELETE /media/{id}).",
            most=999_999_999_999_999,
        ),
    ] = None
    max_file_bytes: Annotated[
        int | None, Limit(f"Maximum bytes per file (default {DEFAULT_FILE_BYTES:,})", least=1)
    ] = None

    @property
    def limits_messages(self) -> bool:
        return self.messages_per_day is not None or self.messages_per_month is not None

    @property
    def file_limit(self) -> int:
        """The most bytes that one file may have."""
        return DEFAULT_FILE_BYTES if self.max_file_bytes is None else self.max_file_bytes

    def make_error(self, limit: str, now: datetime) -> PlanLimitReachedError:
        """Return the error for a limit that this plan has on what is kept."""
        room = PLAN_LIMITS[limit].make_room
        return PlanLimitReachedError(
            self.name, limit, getattr(self, limit), now=now, make_room=room
        )


PLAN_LIMITS: Mapping[str, Limit] = {
    name: hint.__metadata__[0]
    for name, hint in get_type_hints(Plan, include_extras=True).items()
    if name != "name"
}
"""What a plan can limit, in the order of display."""

NO_LIMITS = Plan(UNLIMITED)
"""The plan of the operator."""
