"""Devices: accounts as the sandbox network knows them.

(nothing) --register--> active --log out--> logged_out --register--> active
                          |  ^----- log on (a new session_id replaces the one before)
                          +-- a message to the banning number --> banned --register--> active
"""

from datetime import datetime, timedelta
from typing import Literal
from uuid import UUID

import asyncpg
import msgspec

from heliograph.networks.errors import (
    BannedError,
    LoggedOutError,
    NetworkError,
    NotConnectedError,
    ReplacedError,
)
from heliograph.networks.sandbox import addresses
from heliograph.networks.sandbox.database_access import Database
from heliograph.networks.sandbox.options import Options
from heliograph.platform.database.rows import reads

RESTRICTED = "The network does not let the account write to people it has not talked with."
_OWN_NUMBER_TRIES = 8

Status = Literal["active", "logged_out", "banned"]
Standing = Literal["ours", "cut", "replaced", "logged_out", "banned"]


class Device(msgspec.Struct, frozen=True):
    """What sessions and phones need to know of a row of `sandbox.devices`."""

    jid: str
    status: Status
    registration: str
    session_id: UUID | None
    silent: bool
    restricted_until: datetime | None = None


_device_of = reads(Device)


def standing(status: Status, current: UUID | None, session_id: UUID) -> Standing:
    """Return what a device's row means for the session `session_id`."""
    if status != "active":
        return status
    if current is None:
        return "cut"
    return "ours" if current == session_id else "replaced"


def error_of(why: Standing) -> NetworkError:
    """Return the error that ends the connection of a session with this standing."""
    match why:
        case "logged_out":
            return LoggedOutError("The account was logged out: pair it again.")
        case "banned":
            return BannedError("The network has banned this account.")
        case "replaced":
            return ReplacedError("Another session of this account took over.")
        case _:
            return NetworkError("The network closed the connection.")


def check_standing(found: Standing) -> None:
    """Raise `NetworkError` unless the session is the account's current one."""
    if found in ("logged_out", "banned"):
        raise error_of(found)
    if found != "ours":
        raise NotConnectedError("The account is not connected to the network at the moment.")


FIND_DEVICE = "SELECT * FROM sandbox.devices WHERE account_id = $1"


async def find_device(database: Database, account_id: UUID) -> Device | None:
    row = await database.fetchrow(FIND_DEVICE, account_id)
    return None if row is None else _device_of(row)


async def get_device(database: Database, account_id: UUID) -> Device:
    """Return the account's device. Raises `NetworkError` for an account that is not paired or is
    logged out."""
    device = await find_device(database, account_id)
    if device is None:
        raise NetworkError(
            "This account is not on the sandbox network yet: pair it first.", permanent=True
        )
    if device.status != "active":
        why = "banned" if device.status == "banned" else "logged out"
        raise NetworkError(f"The network has {why} this account: pair it again.", permanent=True)
    return device


FIND_ACCOUNT = "SELECT account_id FROM sandbox.devices WHERE jid = $1 AND status = 'active'"


async def find_account(database: Database, jid: str) -> UUID | None:
    """Return the account that this address belongs to, if one does."""
    account_id: UUID | None = await database.fetchval(FIND_ACCOUNT, jid)
    return account_id


UPSERT = """
INSERT INTO sandbox.devices
    (account_id, jid, status, registration, registered_at)
VALUES ($1, $2, 'active', $3, $4)
ON CONFLICT (account_id) DO UPDATE SET
    jid = excluded.jid, status = 'active', registration = excluded.registration,
    session_id = NULL, refused_until = NULL, silent = false,
    registered_at = excluded.registered_at
"""


async def register(
    database: Database, account_id: UUID, token: str, options: Options, now: datetime
) -> None:
    """Register the account's device, or register it again.

    Raises `NetworkError` when `options.own_jid` is another account's.
    """
    for attempt in range(_OWN_NUMBER_TRIES):
        jid = options.own_jid or addresses.own_number(account_id, attempt)
        try:
            await database.execute(UPSERT, account_id, jid, token, now)
        except asyncpg.UniqueViolationError:
            if options.own_jid is not None:
                break
        else:
            return
    raise NetworkError(
        f"{addresses.phone_number(jid)} belongs to another account of the sandbox network.",
        permanent=True,
    )


LOG_ON = """
UPDATE sandbox.devices SET session_id = $3, silent = false
WHERE account_id = $1 AND registration = $2 AND status = 'active'
  AND (refused_until IS NULL OR refused_until <= $4)
RETURNING *
"""


async def log_on(
    database: Database, account_id: UUID, registration: str, session_id: UUID, now: datetime
) -> Device | None:
    """Make this session the account's only one; None when the network refuses it."""
    row = await database.fetchrow(LOG_ON, account_id, registration, session_id, now)
    return None if row is None else _device_of(row)


CUT = "UPDATE sandbox.devices SET session_id = NULL, refused_until = $2 WHERE account_id = $1"


async def cut(database: Database, account_id: UUID, *, now: datetime, seconds: float = 0.0) -> None:
    """Drop the account's session, and refuse a new one for `seconds`."""
    await database.execute(CUT, account_id, now + timedelta(seconds=seconds))


SILENCE = "UPDATE sandbox.devices SET silent = true WHERE account_id = $1"


async def silence(database: Database, account_id: UUID) -> None:
    """Let nothing through the account's current session."""
    await database.execute(SILENCE, account_id)


END = "UPDATE sandbox.devices SET status = $2, session_id = NULL WHERE account_id = $1"


async def end(
    database: Database, account_id: UUID, status: Literal["logged_out", "banned"]
) -> None:
    """End the registration: the account must be paired again."""
    await database.execute(END, account_id, status)


RESTRICT = "UPDATE sandbox.devices SET restricted_until = $2 WHERE account_id = $1"


async def restrict(database: Database, account_id: UUID, until: datetime | None) -> None:
    """Keep the account from writing to new people until then; None lifts the restriction."""
    await database.execute(RESTRICT, account_id, until)


DELETE_PAIRINGS = "DELETE FROM sandbox.pairings WHERE account_id = $1 AND expires_at < $2"
INSERT_PAIRINGS = """
INSERT INTO sandbox.pairings (payload, account_id, expires_at) VALUES ($1, $2, $3)
"""


async def offer_pairing(
    database: Database, account_id: UUID, payload: str, *, now: datetime, expires_at: datetime
) -> None:
    """Offer a pairing code, and delete the account's expired ones."""
    await database.execute(DELETE_PAIRINGS, account_id, now)
    await database.execute(INSERT_PAIRINGS, payload, account_id, expires_at)


ACCEPT_PAIRING = """
UPDATE sandbox.pairings SET accepted = expires_at > $2
WHERE payload = $1 RETURNING account_id, accepted
"""


async def accept_pairing(database: Database, payload: str, now: datetime) -> UUID:
    """Pair the account that shows this payload; returns its id. Raises `NetworkError` when none
    does."""
    row = await database.fetchrow(ACCEPT_PAIRING, payload, now)
    if row is None:
        raise NetworkError("No account shows this code. Take the one shown now.", permanent=True)
    if not row["accepted"]:
        raise NetworkError("This code has expired. Take the one shown now.", permanent=True)
    account_id: UUID = row["account_id"]
    return account_id


PAIRING_ACCEPTED = "SELECT EXISTS (SELECT FROM sandbox.pairings WHERE account_id = $1 AND accepted)"


async def pairing_accepted(database: Database, account_id: UUID) -> bool:
    accepted: bool = await database.fetchval(PAIRING_ACCEPTED, account_id)
    return accepted


CLEAR_PAIRINGS = "DELETE FROM sandbox.pairings WHERE account_id = $1"


async def clear_pairings(database: Database, account_id: UUID) -> None:
    await database.execute(CLEAR_PAIRINGS, account_id)
