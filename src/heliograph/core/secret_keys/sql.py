"""The table `secret_canaries`: for each secret key a text that only this key opens."""

from heliograph.platform.database.clock import Clock
from heliograph.platform.database.pool import Connection

INSERT_CANARY = """
INSERT INTO secret_canaries (key_id, ciphertext, created_at) VALUES ($1, $2, $3)
ON CONFLICT (key_id) DO NOTHING
"""


async def insert_canary(
    connection: Connection, key_id: str, ciphertext: bytes, clock: Clock
) -> None:
    await connection.execute(INSERT_CANARY, key_id, ciphertext, clock.now())


LIST_CANARIES = "SELECT key_id, ciphertext FROM secret_canaries ORDER BY created_at"


async def list_canaries(connection: Connection) -> dict[str, bytes]:
    """Return the ciphertexts by the ids of the keys that made them, the oldest first."""
    return {row["key_id"]: row["ciphertext"] for row in await connection.fetch(LIST_CANARIES)}
