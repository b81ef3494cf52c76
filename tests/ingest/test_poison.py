"""A batch with one poisonous member: that member fails, with a clear answer, and no other."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from uuid import uuid4

import asyncpg
import httpx
import msgspec
import pytest

from api_scene import BUTTONS, Customer, Scene, buttons, open_scene
from heliograph.core.messages.accepting.recipients import SendTo
from heliograph.core.messages.accepting.service import SendMessage
from heliograph.core.tenants.plans import Plan
from heliograph.networks.content import Text
from waiting import until

ORGANIZATIONS_LIMIT = 20
GOOD = msgspec.json.encode(buttons())
PATIENCE = 60.0


@dataclass(frozen=True)
class Poison:
    """A request that must fail, or that must store nothing, and what it is to be answered."""

    status: int
    body: bytes = GOOD
    headers: tuple[tuple[str, str], ...] = ()


def with_text(field: str, text: str) -> bytes:
    """A body with this raw JSON text in the field."""
    button = {"id": "a", "title": "A"}
    changes = {"buttons": [button | {field: "MARK"}]} if field in button else {field: "MARK"}
    body = buttons(**changes)
    return msgspec.json.encode(body).replace(b'"MARK"', text.encode())


FIELDS = ("phone_number", "body", "footer", "id", "title", "chat_account_id", "unknown")
UNSTORABLE = (r'"a\u0000b"', r'"\u0000"', r'"x\ud800"', r'"\udc00x"', "1e999")
WRONG = {
    "phone_number": (
        '"1234"',
        f'"{"1" * 51}"',
        "5511999990000",
        '""',
        "null",
        "18446744073709551616",
    ),
    "body": (f'"{"x" * 1025}"', '""', "12", "null", "-9223372036854775809"),
    "footer": (f'"{"x" * 61}"', "1"),
    "id": (f'"{"x" * 257}"', '""', '" a"', "1"),
    "title": (f'"{"x" * 21}"', '""', "1"),
    "chat_account_id": ('"x"', "1", '"00000000-0000-0000-0000-00000000000g"'),
}


def poisons(scene: Scene) -> list[Poison]:
    """Everything that a request can have wrong with it by itself."""
    unknown, others = str(uuid4()), str(scene.acme.account.id)
    found = [Poison(422, with_text(field, text)) for field in FIELDS for text in UNSTORABLE]
    found += [Poison(422, with_text(field, text)) for field in WRONG for text in WRONG[field]]
    found += [
        Poison(422, b"{"),
        Poison(422, b'{"body": "\x00"}'),
        Poison(422, b"\xff"),
        Poison(422, msgspec.json.encode(buttons(buttons=[]))),
        Poison(422, msgspec.json.encode(buttons(buttons=[{"id": "a", "title": "A"}] * 2))),
        Poison(422, GOOD, (("Idempotency-Key", "x" * 256),)),
        Poison(413, b'{"body": "' + b"x" * 2_000_000 + b'"}'),
        Poison(415, GOOD, (("Content-Type", "text/plain"),)),
        Poison(401, GOOD, (("Authorization", "Bearer nothing"),)),
        Poison(404, msgspec.json.encode(buttons(chat_account_id=unknown))),
        Poison(403, msgspec.json.encode(buttons(chat_account_id=others))),
    ]
    return found


@pytest.fixture
async def scene(database_url: str, tmp_path: Path) -> AsyncIterator[Scene]:
    async with open_scene(
        database_url, tmp_path, plan=Plan("acme", messages_per_day=ORGANIZATIONS_LIMIT)
    ) as scene:
        yield scene


async def post(
    scene: Scene, customer: Customer, body: bytes = GOOD, **headers: str
) -> httpx.Response:
    sent = {"Authorization": f"Bearer {customer.key}", "Content-Type": "application/json"}
    sent |= {name.replace("_", "-"): value for name, value in headers.items()}
    return await scene.client.post(BUTTONS, content=body, headers=sent)


def named(name: str) -> bytes:
    return msgspec.json.encode(buttons(body=name))


@asynccontextmanager
async def held_up(scene: Scene, members: int) -> AsyncIterator[None]:
    """Nothing can be written until the block ends and `members` wait for the same transaction."""
    commits = scene.services.messages._accept
    async with scene.database.pool.acquire() as connection, connection.transaction():
        await connection.execute("LOCK TABLE messages IN SHARE ROW EXCLUSIVE MODE")
        plugs = [asyncio.create_task(post(scene, scene.globex, named("plug")))]
        await until(lambda: _waits_apart(scene, scene.globex))
        await until(lambda: _waiting_for_lock(scene, 1))
        yield

        async def all_wait() -> bool:
            return commits.waiting >= members

        await until(all_wait)
    for plug in await asyncio.gather(*plugs):
        assert plug.status_code == 200


async def _waits_apart(scene: Scene, customer: Customer) -> bool:
    """Whether what this customer sends is not written together with that of others any more."""
    return customer.principal.tenant in scene.services.messages._accept._commits._keys_apart


async def _waiting_for_lock(scene: Scene, count: int) -> bool:
    waiting = await scene.database.pool.fetchval(
        "SELECT count(*) FROM pg_locks WHERE NOT granted AND database = "
        "(SELECT oid FROM pg_database WHERE datname = current_database())"
    )
    return bool(waiting == count)


async def transactions(scene: Scene, *names: str) -> dict[str, str]:
    """By which transaction the message of each name was written."""
    rows = await scene.database.pool.fetch(
        "SELECT content ->> 'body' AS name, xmin::text AS xmin FROM messages "
        "WHERE content ->> 'body' = ANY($1)",
        names,
    )
    assert sorted(row["name"] for row in rows) == sorted(names), "each is there, and once"
    return {row["name"]: row["xmin"] for row in rows}


async def counts_are_right(scene: Scene) -> bool:
    counted = await scene.database.pool.fetchval("SELECT sum(n) FROM message_counts")
    return bool(counted == await scene.database.pool.fetchval("SELECT count(*) FROM messages"))


async def test_bad_requests_fail_alone_among_good_ones_that_share_a_transaction(
    scene: Scene,
) -> None:
    bad = poisons(scene)
    good = [f"good {number}" for number in range(len(bad))]
    asking: list[asyncio.Task[httpx.Response]] = []
    async with held_up(scene, members=len(good)):
        for name, poison in zip(good, bad, strict=True):
            for body, headers in ((named(name), {}), (poison.body, dict(poison.headers))):
                asking.append(asyncio.create_task(post(scene, scene.globex, body, **headers)))
    answers = await asyncio.gather(*asking)
    assert [answer.status_code for answer in answers[::2]] == [200] * len(good)
    for poison, answer in zip(bad, answers[1::2], strict=True):
        assert answer.status_code == poison.status, (poison, answer.text)
        assert answer.json()["detail"]
    assert len(set((await transactions(scene, *good)).values())) == 1
    assert (await scene.count_rows())["messages"] == len(good) + 1
    assert await counts_are_right(scene)


async def test_repeated_keys_fail_or_are_replayed_alone_within_one_transaction(
    scene: Scene,
) -> None:
    good = [f"good {number}" for number in range(10)]
    async with held_up(scene, members=len(good) + 4):
        neighbours = [asyncio.create_task(post(scene, scene.globex, named(n))) for n in good]
        first = asyncio.create_task(
            post(scene, scene.globex, named("keyed"), Idempotency_Key="same")
        )
        await asyncio.sleep(0)
        same = [
            asyncio.create_task(post(scene, scene.globex, named("keyed"), Idempotency_Key="same"))
            for _ in range(2)
        ]
        other = asyncio.create_task(
            post(scene, scene.globex, named("other"), Idempotency_Key="same")
        )
    assert {answer.status_code for answer in await asyncio.gather(*neighbours)} == {200}
    ids = {answer.json()["message_id"] for answer in await asyncio.gather(first, *same)}
    assert len(ids) == 1
    refused = await other
    assert refused.status_code == 422
    assert refused.json()["detail"][0]["loc"] == ["header", "Idempotency-Key"]
    assert len(set((await transactions(scene, *good, "keyed")).values())) == 1
    assert (
        await scene.database.pool.fetch("SELECT 1 FROM messages WHERE content->>'body'='other'")
        == []
    )
    assert await counts_are_right(scene)


async def test_racers_share_exactly_what_is_left_of_a_quota_and_others_notice_nothing(
    scene: Scene,
) -> None:
    racers, neighbours = ORGANIZATIONS_LIMIT + 15, 20
    async with held_up(scene, members=neighbours):
        racing = [
            asyncio.create_task(post(scene, scene.acme, named(f"racer {n}"))) for n in range(racers)
        ]
        beside = [
            asyncio.create_task(post(scene, scene.globex, named(f"beside {n}")))
            for n in range(neighbours)
        ]
    codes = [answer.status_code for answer in await asyncio.gather(*racing)]
    assert sorted(codes) == [200] * ORGANIZATIONS_LIMIT + [429] * 15
    assert {answer.status_code for answer in await asyncio.gather(*beside)} == {200}
    stored = await scene.database.pool.fetchval(
        "SELECT count(*) FROM messages WHERE organization_id = $1", scene.acme.organization.id
    )
    assert stored == ORGANIZATIONS_LIMIT
    assert await counts_are_right(scene)


async def test_keys_that_may_not_send_fail_alone(scene: Scene) -> None:
    reader = await scene.mint(scene.globex, scopes=["messages:read"])
    soon = scene.database.clock.now() + timedelta(seconds=1)
    expired = await scene.mint(scene.globex, expires_at=soon)
    await asyncio.sleep(1.1)
    good = [f"good {number}" for number in range(6)]
    async with held_up(scene, members=len(good)):
        asking = [asyncio.create_task(post(scene, scene.globex, named(name))) for name in good]
        refused = [
            asyncio.create_task(post(scene, scene.globex, Authorization=f"Bearer {key}"))
            for key in (reader, expired)
        ]
    assert [answer.status_code for answer in await asyncio.gather(*refused)] == [403, 401]
    assert {answer.status_code for answer in await asyncio.gather(*asking)} == {200}
    assert len(set((await transactions(scene, *good)).values())) == 1


async def test_what_only_the_database_refuses_fails_alone_too(scene: Scene) -> None:
    """Past the API's own checks: the whole INSERT fails, and the batch is split."""
    good = [f"good {number}" for number in range(20)]
    principal, send = scene.globex.principal, scene.services.messages.send
    to = SendTo("+15550100001")
    async with held_up(scene, members=len(good) + 2):
        asking = [
            asyncio.create_task(send(principal, SendMessage(to, Text(text), "r"), None))
            for text in (*good[:7], "NUL \x00", *good[7:], "surrogate \ud800")
        ]
    outcomes = await asyncio.gather(*asking, return_exceptions=True)
    poisoned = [outcome for outcome in outcomes if isinstance(outcome, BaseException)]
    assert outcomes.index(poisoned[0]) == 7
    assert isinstance(poisoned[0], asyncpg.DataError)
    assert isinstance(outcomes[-1], ValueError)
    assert len(poisoned) == 2
    await transactions(scene, *good)
    assert await counts_are_right(scene)
