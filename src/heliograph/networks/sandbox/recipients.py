"""Who can be written to: what the network checks before it accepts a message for an address."""

from uuid import UUID

from heliograph.networks.errors import BannedError, NetworkError, RecipientNotFoundError
from heliograph.networks.sandbox import addresses, devices
from heliograph.networks.sandbox.database_access import Database
from heliograph.networks.sandbox.groups import Room
from heliograph.networks.sandbox.test_numbers import (
    FLAKY_FAILURES,
    RETRY_INTERVAL,
    THROTTLED_FAILURES,
    Misbehavior,
    misbehavior_of,
)


async def check_recipient(
    database: Database,
    account_id: UUID,
    account_jid: str,
    chat_message_id: str,
    recipient: str,
    room: Room | None,
) -> None:
    """Raise the `NetworkError` with which the network refuses the message of this id to the
    recipient; `room` is the recipient if that is a group."""
    if addresses.is_group(recipient):
        if room is None or account_jid not in room.members:
            raise RecipientNotFoundError("The account is not in this group.")
        return
    number = addresses.phone_number(recipient)
    key = account_id, chat_message_id
    match misbehavior_of(recipient):
        case Misbehavior.GONE:
            raise RecipientNotFoundError(f"{number} is not on the network.")
        case Misbehavior.BLOCKED:
            raise NetworkError(f"{number} has blocked this account.", permanent=True)
        case Misbehavior.BANS:
            await devices.end(database, account_id, "banned")
            raise BannedError("The network has banned this account for writing to this number.")
        case Misbehavior.FLAKY if await _count_try(database, *key) <= FLAKY_FAILURES:
            raise NetworkError(f"The network could not reach {number} just now.")
        case Misbehavior.THROTTLED if await _count_try(database, *key) <= THROTTLED_FAILURES:
            raise NetworkError("The network asks to wait.", retry_after=RETRY_INTERVAL)


COUNT_TRY = """
INSERT INTO sandbox.tries (account_id, chat_message_id, count) VALUES ($1, $2, 1)
ON CONFLICT (account_id, chat_message_id) DO UPDATE SET count = tries.count + 1
RETURNING count
"""


async def _count_try(database: Database, account_id: UUID, chat_message_id: str) -> int:
    count: int = await database.fetchval(COUNT_TRY, account_id, chat_message_id)
    return count
