"""The chat network of a world, as it knows itself what it has."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import asyncpg

from chaos.ledger import Shown
from chaos.postgres import Queried
from heliograph.core.accounts.model import Account


@dataclass(frozen=True, slots=True)
class Device:
    """What `create` of the accounts' service takes: the network and the values of its form."""

    network: str
    settings: dict[str, str]


class ChatSide(Protocol):
    """What the accounts of a world are connected to."""

    async def new_device(self) -> Device:
        """For one more account."""

    async def waiting(self) -> int:
        """How many things the network still has for the gateway."""

    async def seen(self, accounts: Sequence[Account]) -> tuple[list[Shown], list[Shown]]:
        """What the network has from these, and what it has for them, oldest first."""


AT_ONCE = {"pair_automatically": "true", "delivered_delay": "0", "read_delay": "0", "contacts": "0"}

MESSAGES = """
SELECT coalesce(m.content::json->>'body', m.content::json->>'caption') AS tag,
    m.account_id, m.chat_message_id,
    '+' || split_part(m.chat_jid, '@', 1) AS phone, m.sender_jid = d.jid AS from_account
FROM sandbox.messages AS m JOIN sandbox.devices AS d USING (account_id)
ORDER BY m.seq
"""


@dataclass(frozen=True, slots=True)
class SandboxSide:
    """The sandbox, whose people read at once."""

    database: Queried

    async def new_device(self) -> Device:
        return Device("sandbox", AT_ONCE)

    async def waiting(self) -> int:
        rows = await self.database.fetch("SELECT count(*) FROM sandbox.updates")
        return int(rows[0][0])

    async def seen(self, accounts: Sequence[Account]) -> tuple[list[Shown], list[Shown]]:
        rows = await self.database.fetch(MESSAGES)
        return (
            [_shown(row) for row in rows if row["from_account"]],
            [_shown(row) for row in rows if not row["from_account"]],
        )


def _shown(row: asyncpg.Record) -> Shown:
    return Shown(row["tag"], str(row["account_id"]), row["phone"], row["chat_message_id"])
