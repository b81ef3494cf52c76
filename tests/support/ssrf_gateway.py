"""The gateway's side of the test of hostile URLs: a program that registers and posts to them all.

Real are the service that registers, the worker that delivers, the client and the system's resolver.
Prints what came of it as JSON: for each kind, the URLs that registration took, and every attempt.
"""

import asyncio
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.request import urlopen

import msgspec

from core_scene import changes_of
from databases import CONNECT_TIMEOUT
from delivery_tables import of_all
from heliograph.core.tenants.model import Tenant
from heliograph.core.webhooks.deliveries.service import DeliveryService
from heliograph.core.webhooks.model import Webhook
from heliograph.core.webhooks.subscriptions.secrets import seal_secret
from heliograph.core.webhooks.subscriptions.service import WebhookService
from heliograph.core.webhooks.subscriptions.sql import insert_webhook
from heliograph.errors import InvalidInputError
from heliograph.platform.crypto.webhook_signing import generate_webhook_secret
from heliograph.platform.database.notify import Notifications
from heliograph.platform.database.pool import Database
from heliograph.platform.outbound_http import AddressPolicy, GuardedClient, SystemResolver
from hostile_urls import list_urls
from webhook_scene import SECRET_BOX, Scene

ROUNDS = 3
PLANTED = ("10.0.0.1", 80)
ATTEMPTS = of_all("""
SELECT d.webhook_url AS url, a.number, a.address, a.response_code, a.error_message
FROM delivery_attempts AS a
JOIN deliveries AS d ON d.organization_id = a.organization_id AND d.id = a.delivery_id
ORDER BY d.webhook_url, a.number
""")


@asynccontextmanager
async def opened(database_url: str) -> AsyncIterator[Scene]:
    """A scene in which no address but public ones may be dialled, and no answer of a name server is
    kept."""
    database = await Database.open(database_url, connect_timeout=CONNECT_TIMEOUT)
    policy = AddressPolicy.NONE
    notifications, resolver = Notifications(database_url), SystemResolver(ttl=0)
    await notifications.start()
    client = GuardedClient(policy, resolver, timeout=60)
    changes = changes_of(database, notifications)
    webhooks = WebhookService(database, changes, policy, SECRET_BOX)
    deliveries = DeliveryService(database, changes, webhooks)
    tenant = Tenant(0, database.clock.new_id())
    try:
        yield Scene(database_url, database, notifications, client, webhooks, deliveries, tenant)
    finally:
        await client.close()
        await resolver.close()
        await notifications.stop()
        await database.close()


async def register(scene: Scene, url: str) -> bool:
    """Whether registration took it. One that it refuses is stored all the same, where the database
    can hold it, as if it had been registered under other rules."""
    try:
        await scene.webhooks.create(scene.principal, url)
    except InvalidInputError:
        if "\x00" not in url:
            await _store(scene, url)
        return False
    return True


async def _store(scene: Scene, url: str) -> None:
    now, webhook_id = scene.database.clock.now(), scene.database.clock.new_id()
    webhook = Webhook(
        tenant=scene.tenant,
        id=webhook_id,
        url=url,
        description="",
        events=("*",),
        enabled=True,
        disabled_reason=None,
        disabled_at=None,
        failing_since=None,
        created_at=now,
        updated_at=now,
    )
    secret = seal_secret(SECRET_BOX, scene.tenant, webhook_id, generate_webhook_secret())
    await scene.database.transact(insert_webhook, webhook, secret)


async def begin_round(number: int) -> None:
    def ask() -> None:
        with urlopen(f"http://127.0.0.1:9/round/{number}", timeout=60):
            pass

    await asyncio.to_thread(ask)


def break_the_rule() -> bytes:
    """Dial what must not be dialled, to see that it is seen."""
    with socket.create_connection(PLANTED, timeout=5):
        return msgspec.json.encode({"taken": {}, "attempts": []})


async def run(database_url: str) -> bytes:
    taken: dict[str, list[str]] = {}
    async with opened(database_url) as scene:
        for kind, urls in list_urls().items():
            taken[kind] = [url for url in urls if await register(scene, url)]
        async with scene.node():
            await scene.emit(scene.event())
            await scene.until_attempted(1)
            for number in range(1, ROUNDS):
                await begin_round(number)
                await scene.make_due()
                await scene.until_attempted(number + 1)
        attempts = [dict(row) for row in await scene.rows(ATTEMPTS)]
    return msgspec.json.encode({"taken": taken, "attempts": attempts})


if __name__ == "__main__":
    told = break_the_rule() if "--break-the-rule" in sys.argv else asyncio.run(run(sys.argv[1]))
    sys.stdout.buffer.write(told)
