"""Many accounts in one process, on the event loop that nodes have: what each of them costs.

    python many_xmpp_accounts.py PORT CA_FILE PASSWORD NAME…

prints one JSON object: `accounts`, and `kib_each` that they cost beside the first.
"""

import asyncio
import gc
import json
import sys
from pathlib import Path
from uuid import uuid4

import uvloop

from heliograph.networks.port import Account, AccountStatus, Session
from heliograph.networks.testing import Recorder
from heliograph.networks.xmpp.driver import XmppNetwork
from xmpp_server import DOMAIN

AT_ONCE = 20


def memory_kib() -> int:
    gc.collect()
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmRSS")).split()[1])


async def main(port: str, ca: str, password: str, *names: str) -> None:
    network = XmppNetwork()

    async def connect(name: str) -> Session:
        settings = {"jid": f"{name}@{DOMAIN}", "host": "127.0.0.1", "port": port}
        account = Account(uuid4(), name, settings | {"ca": ca}, {"password": password})
        session = await network.connect(account, events := Recorder())
        await events.status(AccountStatus.CONNECTED)
        await session.ping()
        return session

    sessions = [await connect(names[0])]
    alone = memory_kib()
    for first in range(1, len(names), AT_ONCE):
        sessions += await asyncio.gather(
            *(connect(name) for name in names[first : first + AT_ONCE])
        )
    kib_each = (memory_kib() - alone) / (len(sessions) - 1)
    await asyncio.gather(*(session.ping() for session in sessions))
    await asyncio.gather(*(session.close() for session in sessions))
    print(json.dumps({"accounts": len(sessions), "kib_each": round(kib_each)}))  # noqa: T201


if __name__ == "__main__":
    uvloop.run(main(*sys.argv[1:]))
