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


async def check_secret_keys(
    database: Database, secret_box: SecretBox, keys: Sequence[SecretKey]
) -> None:
    """Open every canary with these keys, and leave one for the newest.

    Raises `ConfigurationError` when a canary does not open: some stored secrets would not either.
    """

    async def work(connection: Connection) -> None:
        for canary in await sql.list_canaries(connection):
            secret_box.check_canary(canary)
        newest = secret_box.make_canary()
        await sql.insert_canary(connection, keys[0].key_id, newest, database.clock)

    try:
        await database.transact(work)
    except DecryptError as error:
        raise ConfigurationError(
            f"The secret keys can't open what is stored in this database: {error}",
            remedy=REMEDY,
            setting="HELIOGRAPH_SECRET_KEYS",
        ) from error
