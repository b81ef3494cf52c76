"""Which accounts a list of devices shows."""

import msgspec


class DeviceQuery(msgspec.Struct, frozen=True):
    """`search` is looked for in name, session name and phone number, whatever the case.

    `sort_by` is one of created_at, updated_at, name, status, last_connected_at.
    """

    status: str | None = None
    search: str | None = None
    sort_by: str = "created_at"
    descending: bool = True
    limit: int = 50
    offset: int = 0
