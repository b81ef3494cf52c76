"""A change is one transaction with its traces, and is told of when it is committed."""

import asyncio
from datetime import UTC, datetime
from functools import partial
from uuid import UUID, uuid4

import msgspec
import pytest
from msgspec.structs import replace

from core_scene import Scene
from core_scene import scene as scene
from heliograph.core import topics
from heliograph.core.audit.model import AuditAction
from heliograph.core.changes.keyed import NoWriteError, SecondWriteError
from heliograph.core.changes.model import Change, UndeclaredTraceError, Write
from heliograph.core.events.model import EventType
from heliograph.core.idempotency.service import IdempotencyKey, StoredResponse, encode_response
from heliograph.core.tenants.model import gateway
from heliograph.errors import (
    IdempotencyConflictError,
    InvalidInputError,
    MissingScopeError,
    NotFoundError,
    PlanLimitReachedError,
    UnavailableError,
)
from heliograph.platform.database.pool import Connection, RepeatTransactionError

RENAME = Write(
    scope="admin:write",
    audits=(AuditAction.ACCOUNT_CHANGED,),
    events=(EventType.DEVICE_PAIRING,),
    is_repeatable=True,
)
KEY = IdempotencyKey("repeat", b"fingerprint")


async def rename(change: Change, name: str) -> str:
    """A write with every kind of trace."""
    await change.connection.execute(
        "UPDATE accounts SET name = $3 WHERE shard = $1 AND organization_id = $2",
        *change.tenant,
        name,
    )
    change.audit(AuditAction.ACCOUNT_CHANGED, "phone", name=name)
    change.event(EventType.DEVICE_PAIRING, {"name": name})
    change.wake(topics.API_KEYS)
    return name


def answer(name: str) -> StoredResponse:
    return encode_response(200, {"name": name})


async def once(
    scene: Scene, name: str, key: IdempotencyKey | None = KEY, *, shows_secret: bool = False
) -> StoredResponse:
    write = partial(scene.changes.run, RENAME, scene.principal, rename, name)
    return await scene.changes.once(scene.principal, key, write, answer, shows_secret=shows_secret)


async def traces(scene: Scene) -> tuple[str, int, int]:
    """The account's name, and how many entries and events there are about it."""
    [row] = await scene.rows(
        "SELECT (SELECT name FROM accounts) AS name, (SELECT count(*) FROM audit_entries"
        " WHERE action = 'account_changed') AS entries, (SELECT count(*) FROM events) AS events"
    )
    return row["name"], row["entries"], row["events"]


def woken(scene: Scene, topic: str) -> list[str]:
    heard: list[str] = []
    scene.notifications.subscribe(topic, lambda: heard.append(topic))
    return heard


async def test_all_traces_are_left_together(scene: Scene) -> None:
    heard = woken(scene, topics.API_KEYS)
    assert await scene.changes.run(RENAME, scene.principal, rename, "Desk") == "Desk"
    assert await traces(scene) == ("Desk", 1, 1)
    assert heard == [topics.API_KEYS]


async def test_a_failure_leaves_no_trace(scene: Scene) -> None:
    heard = woken(scene, topics.API_KEYS)

    async def fail(change: Change) -> None:
        await rename(change, "Desk")
        raise ValueError

    with pytest.raises(ValueError):  # noqa: PT011 - it says nothing
        await scene.changes.run(RENAME, scene.principal, fail)
    assert await traces(scene) == ("Phone", 0, 0)
    assert heard == []


async def test_nobody_is_woken_before_it_is_committed(scene: Scene) -> None:
    seen: list[object] = []

    def look() -> None:
        seen.append(asyncio.ensure_future(traces(scene)))

    scene.notifications.subscribe(topics.API_KEYS, look)
    await scene.changes.run(RENAME, scene.principal, rename, "Desk")
    [found] = seen
    assert await found == ("Desk", 1, 1)  # type: ignore[misc]  # it is a future


async def test_a_repeated_transaction_leaves_its_traces_once(scene: Scene) -> None:
    tries: list[UUID] = []

    async def work(change: Change) -> None:
        await rename(change, "Desk")
        tries.append(change.entries[0].id)
        if len(tries) < 3:
            raise RepeatTransactionError("somebody was faster")

    await scene.changes.run(RENAME, scene.principal, work)
    assert len(tries) == 3
    assert len(set(tries)) == 1, "an entry that was committed already is found by its id"
    assert await traces(scene) == ("Desk", 1, 1)


async def test_what_was_committed_is_told_though_a_later_try_had_nothing_to_do(
    scene: Scene,
) -> None:
    """Two answers of the database are lost, and what the third try finds is refused."""
    tries: list[str] = []

    async def work(change: Change) -> str:
        tries.append(f"try {len(tries) + 1}")
        if len(tries) == 1:
            await rename(change, "Desk")
        elif len(tries) == 3:
            raise NotFoundError
        return tries[-1]

    scene.database.forgets = 2
    assert await scene.changes.run(RENAME, scene.principal, work) == "try 1"
    assert len(tries) == 3
    assert await traces(scene) == ("Desk", 1, 1)


async def test_what_is_last_comes_behind_the_events(scene: Scene) -> None:
    counts: list[int] = []

    async def count(connection: Connection) -> None:
        counts.append(await connection.fetchval("SELECT count(*) FROM events"))

    async def work(change: Change) -> None:
        change.last(count)
        await rename(change, "Desk")

    await scene.changes.run(RENAME, scene.principal, work)
    assert counts == [1]


async def test_a_scope_is_asked_for_first(scene: Scene) -> None:
    with pytest.raises(MissingScopeError):
        await scene.changes.run(RENAME, gateway(scene.principal.tenant), rename, "Desk")
    assert await traces(scene) == ("Phone", 0, 0)


@pytest.mark.parametrize("lacks", [{"audits": ()}, {"events": ()}])
async def test_a_trace_that_is_not_declared_is_a_fault(
    scene: Scene, lacks: dict[str, tuple[()]]
) -> None:
    with pytest.raises(UndeclaredTraceError):
        await scene.changes.run(replace(RENAME, **lacks), scene.principal, rename, "Desk")
    assert await traces(scene) == ("Phone", 0, 0)


# --- under a key ---


@pytest.mark.parametrize("shows_secret", [False, True])
async def test_a_repeat_gets_the_first_answer(scene: Scene, shows_secret: bool) -> None:
    first = await once(scene, "Desk", shows_secret=shows_secret)
    repeat = await once(scene, "Hall", shows_secret=shows_secret)
    assert first.body == repeat.body == b'{"name":"Desk"}'
    assert (first.replayed, repeat.replayed) == (False, True)
    assert await traces(scene) == ("Desk", 1, 1)
    [kept] = await scene.rows("SELECT response_body FROM idempotency_keys")
    assert (b"Desk" in kept["response_body"]) is not shows_secret


async def test_without_a_key_it_is_done_each_time(scene: Scene) -> None:
    await once(scene, "Desk", None)
    await once(scene, "Hall", None)
    assert await traces(scene) == ("Hall", 2, 2)


async def test_another_request_under_the_key_is_refused(scene: Scene) -> None:
    await once(scene, "Desk")
    with pytest.raises(InvalidInputError, match="another request"):
        await once(scene, "Hall", replace(KEY, fingerprint=b"another"))
    assert await traces(scene) == ("Desk", 1, 1)


async def test_of_many_at_once_one_is_done(scene: Scene) -> None:
    answers = await asyncio.gather(*[once(scene, f"Desk {n}") for n in range(8)])
    name, *counts = await traces(scene)
    assert {msgspec.json.decode(each.body)["name"] for each in answers} == {name}
    assert counts == [1, 1]


async def test_one_that_is_at_work_on_another_node_is_a_conflict(scene: Scene) -> None:
    tenant = scene.principal.tenant
    record = scene.idempotency.record(tenant, KEY, resource_id=uuid4())
    await scene.database.transact(scene.idempotency.take, tenant, record)
    with pytest.raises(IdempotencyConflictError):
        await once(scene, "Desk")


async def refused(scene: Scene, error: Exception) -> None:
    async def refuse(_: Change) -> str:
        raise error

    write = partial(scene.changes.run, RENAME, scene.principal, refuse)
    with pytest.raises(type(error)):
        await scene.changes.once(scene.principal, KEY, write, answer, shows_secret=True)


async def test_a_final_error_is_the_answer_from_then_on(scene: Scene) -> None:
    await refused(scene, NotFoundError())
    repeat = await once(scene, "Desk", shows_secret=True)
    assert (repeat.status, repeat.replayed) == (404, True)
    assert await traces(scene) == ("Phone", 0, 0)


async def test_an_error_that_can_pass_is_not_kept(scene: Scene) -> None:
    await refused(scene, PlanLimitReachedError("free", "accounts", 1, now=datetime.now(UTC)))
    await refused(scene, InvalidInputError.at(("body",), "no"))
    assert (await once(scene, "Desk", shows_secret=True)).status == 200


@pytest.mark.parametrize("shows_secret", [False, True])
@pytest.mark.parametrize("refusal", [NotFoundError(), InvalidInputError.at(("name",), "taken")])
async def test_a_request_that_fails_behind_its_twin_gets_the_twins_answer(
    scene: Scene, refusal: Exception, shows_secret: bool
) -> None:
    async def fail(_: Change) -> str:
        await once(scene, "Desk", shows_secret=shows_secret)
        raise refusal

    write = partial(scene.changes.run, RENAME, scene.principal, fail)
    late = await scene.changes.once(scene.principal, KEY, write, answer, shows_secret=shows_secret)
    assert late.body == b'{"name":"Desk"}'


async def test_an_outage_is_told_whatever_the_key_says(scene: Scene) -> None:
    async def write() -> str:
        await once(scene, "Desk")
        raise UnavailableError

    with pytest.raises(UnavailableError):
        await scene.changes.once(scene.principal, KEY, write, answer)


async def test_two_transactions_under_one_key_are_a_fault(scene: Scene) -> None:
    async def write() -> str:
        await scene.changes.run(RENAME, scene.principal, rename, "Desk")
        return await scene.changes.run(RENAME, scene.principal, rename, "Hall")

    with pytest.raises(SecondWriteError):
        await scene.changes.once(scene.principal, KEY, write, answer)


async def test_a_key_for_what_can_not_be_repeated_is_a_fault(scene: Scene) -> None:
    write = partial(
        scene.changes.run, replace(RENAME, is_repeatable=False), scene.principal, rename, "Desk"
    )
    with pytest.raises(NoWriteError):
        await scene.changes.once(scene.principal, KEY, write, answer)
