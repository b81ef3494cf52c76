"""Machines whose clocks are ten minutes off, or jump while they work."""

import asyncio
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID

import httpx
import pytest
from standardwebhooks import WebhookVerificationError

from acceptance.hook_receiver import HookReceiver, receiving_hooks
from chaos.conftest import Form
from chaos.load import HANG, Load, Phones
from chaos.machine import Machine
from chaos.postgres import Queried
from chaos.stalls import Stalls
from chaos.test_held_transaction import IN_TIME, Leases
from chaos.trace import Trace, Write
from chaos.verdict import judge
from chaos.world import World, made_world, wait_until
from debian_programs import need_program
from heliograph.core.webhooks.model import CreatedWebhook
from heliograph.core.webhooks.posting.retries import DELAYS

pytestmark = [
    pytest.mark.extra_fault,
    pytest.mark.one_server("notes each write by a trigger"),
]

WRONG_BY = 600  # seconds
ALLOWED = timedelta(minutes=1, seconds=5)
FLAKY, PUNCTUAL = "+15550109003", "+15550200999"
DEAD = "http://127.0.0.1:9/nobody"

WRITTEN = ("created_at", "sent_at", "delivered_at", "read_at", "queued_at", "updated_at")
"""Times that lie at the moment in which a row is made, or a little before it."""
MADE_BY_CLOCK = ("messages", "events", "deliveries")
"""Tables whose ids bear the time."""

# The ids bear the time, as those of the program do; before PostgreSQL 18 there is no uuidv7().
SCHEDULE = """
WITH scheduled AS (
INSERT INTO messages (shard, organization_id, id, account_id, direction, status, message_type,
    chat_type, recipient, phone_number, content, chat_message_id, retry_count, connected_seconds,
    created_at, updated_at, scheduled_for)
SELECT DISTINCT ON (account_id) shard, organization_id, encode(overlay(
        uuid_send(gen_random_uuid())
        PLACING substring(int8send(floor(extract(epoch FROM now()) * 1000)::bigint) FROM 3) FROM 1
    ), 'hex')::uuid, account_id, 'outbound', 'scheduled', message_type, chat_type, $1,
    '+' || split_part($1, '@', 1),
    jsonb_set(content, '{body}', to_jsonb('on time by ' || account_id)),
    upper(md5(account_id::text)), 0, 0, now(), now(), now() + interval '4 seconds'
FROM messages WHERE direction = 'outbound'
RETURNING shard, organization_id, account_id, id, scheduled_for
)
INSERT INTO message_schedule (shard, organization_id, account_id, message_id, scheduled_for)
SELECT shard, organization_id, account_id, id, scheduled_for FROM scheduled
"""
HELD = """
SELECT kind, count(node_id) AS nodes, min(held) FILTER (WHERE node_id IS NOT NULL) AS least,
    max(held) FILTER (WHERE node_id IS NOT NULL) AS most,
    coalesce(sum(held) FILTER (WHERE node_id IS NULL), 0) AS free
FROM (
    SELECT 'account' AS kind, node_id, count(*) AS held FROM account_leases GROUP BY node_id
    UNION ALL SELECT 'webhook', node_id, count(*) FROM webhook_leases GROUP BY node_id
) AS each GROUP BY kind
"""
UNREAD = "SELECT count(*) FROM messages WHERE phone_number = $1 AND status <> 'read'"
UNPUNCTUAL = """
SELECT scheduled_for, sent_at FROM messages WHERE scheduled_for IS NOT NULL
    AND NOT sent_at BETWEEN scheduled_for AND scheduled_for + interval '15 seconds'
"""


@pytest.fixture
def library(folder: Path) -> Path:
    """The library that puts a program's time of day wrong."""
    need_program("gcc", "build-essential")
    built = folder / "wrong_clock.so"
    source = Path(__file__).with_name("wrong_clock.c")
    subprocess.run(("gcc", "-shared", "-fPIC", "-O2", "-o", built, source), check=True)
    return built


@contextmanager
def clock_from(file: Path, library: Path) -> Iterator[None]:
    """Machines made in this block go by a clock that is wrong by the seconds in the file."""
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("LD_PRELOAD", str(library))
        environment.setenv("WRONG_CLOCK", str(file))
        yield


class Clocks:
    """A machine with one node for each of these clocks, which can be set."""

    def __init__(self, world: World, trace: Trace, library: Path) -> None:
        self.machines: dict[str, Machine] = {}
        self._files = {name: world.folder / f"clock-{name}" for name in ("fast", "slow", "wild")}
        for name, wrong in (("fast", WRONG_BY), ("slow", -WRONG_BY), ("wild", 0)):
            self.set(name, wrong)
            with clock_from(self._files[name], library):
                self.machines[name] = world.new_machine(nodes=1, database_url=trace.url(name))

    def set(self, name: str, wrong: int) -> None:
        beside = self._files[name].with_suffix(".new")
        beside.write_text(f"{wrong}\n")
        beside.replace(self._files[name])


@pytest.mark.chaos_alone
@pytest.mark.timeout(1800)
async def test_database_time_rules_whatever_the_clocks_say(
    folder: Path, given: Queried | None, form: Form, library: Path, stalls: Stalls
) -> None:
    jumps = form.pick(3, 30)
    async with made_world(folder, database=given, machines=1, nodes=1, tenants=4) as world:
        trace, load, leases = Trace(world.database), Load(world, per_second=40), Leases()
        await trace.install()
        clocks = Clocks(world, trace, library)
        for machine in clocks.machines.values():
            await machine.start()
        await wait_until(lambda: is_even(world), 60)
        with receiving_hooks() as receiver:
            async with (
                verified(world, receiver) as refused,
                load.running(),
                Phones(world).running(),
            ):
                await wait_until(lambda: is_even(world), 60)
                async with leases.watched(world):
                    await jump(clocks, jumps, form)
                    await keys_expire_in_time(world, clocks)
                # webhooks come and go here, after which shares are evened out
                await what_failed_is_tried_again_in_time(world, load)
                await what_is_scheduled_begins_in_time(world)
        await world.settle()
        writes = await trace.writes()
        wrong = [(write, what) for write in writes for what in wrong_times(write)]
        await judge(
            form,
            world,
            "Clocks 10 minutes off",
            load.outcomes,
            times=jumps,
            least_seconds_of_a_lease=leases.least_left,
            leases_that_moved=leases.moved,
            wrong_times=len(wrong),
            rows_looked_at=len(writes),
            signatures_verified=len(receiver.hooks),
            signatures_refused=len(refused),
        )

        assert {write.machine for write in writes} >= {"fast", "slow", "wild"}
        assert wrong == []
        assert (leases.moved, refused) == (0, [])
        assert leases.least_left + stalls.worst > IN_TIME


async def jump(clocks: Clocks, times: int, form: Form) -> None:
    for number in form.each("jumps", range(times)):
        clocks.set("wild", (WRONG_BY, -WRONG_BY, 0)[number % 3])
        await asyncio.sleep(8)


async def is_even(world: World) -> bool:
    """Whether each of the four nodes owns its share of the accounts and of the webhooks: from then
    on no lease moves by itself."""
    rows = await world.database.fetch(HELD)
    return len(rows) == 2 and all(
        row["nodes"] == 4 and row["free"] == 0 and row["most"] - row["least"] <= 1 for row in rows
    )


@asynccontextmanager
async def verified(world: World, receiver: HookReceiver) -> AsyncIterator[list[str]]:
    """A second webhook for each tenant, whose signatures are verified as customers do it; what
    they would refuse."""
    refused: list[str] = []
    async with world.services() as services:
        made = [
            await services.webhooks.create(tenant.principal, receiver.url, ["message.*"])
            for tenant in world.tenants
        ]
        task = asyncio.create_task(_verify(world, receiver, made, refused))
        yield refused
        await asyncio.sleep(2)
        task.cancel()
        await asyncio.wait([task])


async def _verify(
    world: World, receiver: HookReceiver, made: list[CreatedWebhook], refused: list[str]
) -> None:
    secrets = {
        str(account.id): webhook.secret
        for tenant, webhook in zip(world.tenants, made, strict=True)
        for account in tenant.accounts
    }
    seen = 0
    while True:
        for hook in receiver.hooks[seen:]:
            seen += 1
            try:
                hook.verify(secrets[hook.data["chat_account_id"]])
            except WebhookVerificationError as error:
                refused.append(f"{error}: {hook.headers}")
        await asyncio.sleep(0.5)


async def keys_expire_in_time(world: World, clocks: Clocks) -> None:
    """A key that lives a minute is good on each machine until then, and no longer."""
    async with world.services() as services, httpx.AsyncClient(timeout=HANG) as client:
        expiry = datetime.now(UTC) + timedelta(minutes=1)
        principal = world.tenants[0].principal
        key = await services.keys.mint(principal, "short-lived", expires_at=expiry)
        headers = {"Authorization": f"Bearer {key.text}"}
        urls = [f"{machine.base_url}/api/v1/devices" for machine in clocks.machines.values()]
        before = [await status_of(client, url, headers) for url in urls]
        assert datetime.now(UTC) < expiry, "this machine is too busy to tell"
        await asyncio.sleep((expiry - datetime.now(UTC)).total_seconds() + 1)
        after = [await status_of(client, url, headers) for url in urls]
    assert (before, after) == ([200] * 3, [401] * 3)


async def status_of(client: httpx.AsyncClient, url: str, headers: dict[str, str]) -> int:
    """What a repeat is answered, too: with 503 a gateway says that it can't tell now."""
    status = 503
    while status == 503:
        status = (await client.get(url, headers=headers)).status_code
    return status


async def what_failed_is_tried_again_in_time(world: World, load: Load) -> None:
    """A message from each account to a phone that fails twice, and a webhook that leads nowhere."""
    async with world.services() as services, httpx.AsyncClient(timeout=HANG) as client:
        tenants = world.tenants
        dead = [await services.webhooks.create(t.principal, DEAD, ["message.*"]) for t in tenants]
        for tenant, account in world.accounts:
            promise = tenant.promise(account, f"{account.id} tries", FLAKY)
            await load.send(client, promise)
        await wait_until(lambda: all_read(world, FLAKY), 120)
        for tenant, made in zip(tenants, dead, strict=True):
            await services.webhooks.delete(tenant.principal, made.webhook.id)


async def what_is_scheduled_begins_in_time(world: World) -> None:
    for tenant, account in world.accounts:
        tag = f"on time by {account.id}"
        world.ledger.sent[tag] = tenant.promise(account, tag, PUNCTUAL)
    await world.database.fetch(SCHEDULE, f"{PUNCTUAL.removeprefix('+')}@sandbox")
    await wait_until(lambda: all_read(world, PUNCTUAL), 120)
    assert await world.database.fetch(UNPUNCTUAL) == []


async def all_read(world: World, phone: str) -> bool:
    return bool((await world.database.fetch(UNREAD, phone))[0][0] == 0)


def wrong_times(write: Write) -> Iterator[str]:
    """The names of the times in the row that are not the database's."""
    if write.kind == "DELETE":
        return
    for name in WRITTEN if write.kind == "INSERT" else ("updated_at",):
        if (at := time_of(write, name)) and not is_near(at, write.at):
            yield name
    if write.kind == "INSERT" and write.table in MADE_BY_CLOCK and "id" in write.row:
        milliseconds = UUID(write.row["id"]).int >> 80
        if not is_near(datetime.fromtimestamp(milliseconds / 1000, UTC), write.at):
            yield "id"
    if write.kind == "INSERT" and write.table == "idempotency_keys":
        expiry = time_of(write, "expires_at")
        if expiry is None or not is_near(expiry - timedelta(hours=24), write.at):
            yield "expires_at"
    if write.row.get("status") in ("queued", "pending"):
        next_at = time_of(write, "next_attempt_at")
        if next_at is not None and not is_near(next_at, write.at + pause_of(write)):
            yield "next_attempt_at"


def pause_of(write: Write) -> timedelta:
    """How long after it the next attempt should be, within the minute that is allowed: a
    webhook's second pause is 5 minutes, give or take one; a message's first ones are seconds."""
    attempts = write.row.get("attempt_count", 0) if write.table == "deliveries" else 0
    assert isinstance(attempts, int)
    return timedelta(seconds=DELAYS[attempts - 1] if attempts else 0)


def time_of(write: Write, name: str) -> datetime | None:
    text = write.row.get(name)
    return datetime.fromisoformat(text) if isinstance(text, str) else None


def is_near(one: datetime, other: datetime) -> bool:
    return abs(one - other) < ALLOWED
