"""The check before anything is served: can this process open what is stored?"""

from collections.abc import Sequence

from heliograph.core.secret_keys import sql
from heliograph.errors import ConfigurationError
from heliograph.platform.crypto import SecretBox, SecretKey
from heliograph.platform.crypto.secret_box import DecryptError
from heliograph.platform.database.pool import Connection, Database

REMEDY = (
    "Put back every key that was ever used: in HELIOGRAPH_SECRET_KEYS, the newest first, and with "
    "the private PostgreSQL the file secret.key of the data directory, from a backup."
)
UNUSED_REMEDY = (
    "Take it out of HELIOGRAPH_SECRET_KEYS, or restart the gateway with it if it is to be the new "
    "one."
)


async def check_secret_keys(
    database: Database,
    secret_box: SecretBox,
    keys: Sequence[SecretKey],
    *,
    is_command: bool = False,
) -> None:
    """Open every canary with these keys, and store one for the newest.

    Raises `ConfigurationError` when a canary does not open: some stored secrets would not either.
    The same is raised if a command beside a gateway brings a new key: the gateway could not open
    what the command encrypts with it.
    """
    newest = keys[0].key_id

    async def work(connection: Connection) -> None:
        canaries = await sql.list_canaries(connection)
        for canary in canaries.values():
            secret_box.check_canary(canary)
        if is_command and canaries and newest not in canaries:
            raise ConfigurationError(
                explain_unused(newest), remedy=UNUSED_REMEDY, setting="HELIOGRAPH_SECRET_KEYS"
            )
        await sql.insert_canary(connection, newest, secret_box.make_canary(), database.clock)

    try:
        await database.transact(work)
    except DecryptError as error:
        raise ConfigurationError(
            f"The secret keys can't open what is stored in this database: {error}",
            remedy=REMEDY,
            setting="HELIOGRAPH_SECRET_KEYS",
        ) from error


def explain_unused(key_id: str) -> str:
    return (
        f"The gateway does not have the newest secret key, {key_id}: it could not decrypt what a "
        "command encrypts with it."
    )
