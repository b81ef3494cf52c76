"""The table `secret_canaries`: proof that this process's keys open what is stored."""

from heliograph.platform.database.pool import Clock, Connection

INSERT = """
INSERT INTO secret_canaries (key_id, ciphertext, created_at) VALUES ($1, $2, $3)
ON CONFLICT (key_id) DO NOTHING
"""


async def list_canaries(connection: Connection) -> list[bytes]:
    rows = await connection.fetch("SELECT ciphertext FROM secret_canaries ORDER BY created_at")
    return [row["ciphertext"] for row in rows]


async def insert_canary(
    connection: Connection, key_id: str, ciphertext: bytes, clock: Clock
) -> None:
    await connection.execute(INSERT, key_id, ciphertext, clock.now())
