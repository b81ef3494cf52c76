"""Plans: what an organization may use."""

import msgspec

FREE = "free"
PRO = "pro"
UNLIMITED = "unlimited"
DEFAULT_PLAN = PRO
"""The plan of a new organization for which none is named."""
DEFAULT_FILE_BYTES = 64 * 1024 * 1024


class Plan(msgspec.Struct, frozen=True):
    """One row of `plans`; None is no limit.

    `requests_per_minute` holds for all keys of an organization together, `key_requests_per_minute`
    for each of them. Days and months are those of UTC. `retention_days` is how long a message is
    kept after its last change, and a file after its upload. `media_bytes` is what the files of an
    organization may take, `max_file_bytes` the size of each; None is `DEFAULT_FILE_BYTES` there.
    """

    name: str
    requests_per_minute: int | None = None
    key_requests_per_minute: int | None = None
    messages_per_day: int | None = None
    messages_per_month: int | None = None
    accounts: int | None = None
    webhooks: int | None = None
    api_keys: int | None = None
    retention_days: int | None = None
    media_bytes: int | None = None
    max_file_bytes: int | None = None

    @property
    def limits_messages(self) -> bool:
        return self.messages_per_day is not None or self.messages_per_month is not None

    @property
    def file_limit(self) -> int:
        """The most bytes that one file may have."""
        return DEFAULT_FILE_BYTES if self.max_file_bytes is None else self.max_file_bytes


PLAN_LIMITS = tuple(name for name in Plan.__struct_fields__ if name != "name")
"""What a plan can limit, in the order of display."""

NEVER_ZERO = (
    "requests_per_minute",
    "key_requests_per_minute",
    "retention_days",
    "max_file_bytes",
)
"""The limits that must not be 0: nobody could call the API, or keep a message."""

NO_LIMITS = Plan(UNLIMITED)
"""The plan of the operator."""
