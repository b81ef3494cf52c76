"""kill -9 between an upload's steps, between upload and send, and while a driver sends a file."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

import httpx
import pytest

from chaos.commit_gate import CommitGate, Moment
from chaos.conftest import Form
from chaos.counters import miscounted
from chaos.files import MEDIA, SIZE, Files, any_of, cut_off
from chaos.kills import Kills, succeeded
from chaos.ledger import Promise
from chaos.load import HANG
from chaos.machine import Machine
from chaos.postgres import Queried
from chaos.verdict import judge
from chaos.world import World, made_world, wait_until
from heliograph.core.media import sql
from heliograph.networks.sandbox import files as sandbox_files
from heliograph.networks.sandbox import outbox

pytestmark = pytest.mark.extra_fault

PLAN = "files"
QUOTA = 64 * 1024 * 1024
SWEPT_AFTER = 240.0
"""Seconds: what has just begun is left alone for a minute, in case that its node is new."""
EVERY_SECOND = {"sweep_interval": "1"}

UPLOADING = [
    (sql.INSERT, Moment.BEFORE_COMMIT),
    (sql.INSERT, Moment.BEFORE_ANSWER),
    (sql.FINISH, Moment.BEFORE_COMMIT),
    (sql.FINISH, Moment.BEFORE_ANSWER),
]
SENDING = [
    (sandbox_files.BEGIN_FILE, Moment.BEFORE_ANSWER),
    (sandbox_files.PUT_PIECE, Moment.BEFORE_ANSWER),
    (sandbox_files.END_FILE, Moment.BEFORE_COMMIT),
    (sandbox_files.END_FILE, Moment.BEFORE_ANSWER),
    (outbox.INSERT, Moment.BEFORE_COMMIT),
    (outbox.INSERT, Moment.BEFORE_ANSWER),
]

ARRIVING = "SELECT id FROM media WHERE stored_at IS NULL"


@dataclass
class Trial:
    """Two machines of one node each; one node dies, and clients repeat what got no answer."""

    world: World
    gate: CommitGate
    files: Files
    kills: Kills
    number: int = 0

    def promise(self) -> Promise:
        tenant, account = self.world.accounts[self.number % len(self.world.accounts)]
        self.number += 1
        tag = f"file {self.number}"
        return tenant.promise(account, tag, f"+1555060{self.number:04}")

    async def kill_uploading(self, statement: str, moment: Moment) -> None:
        """Kill the node that takes an upload, which the client repeats at both; then send it."""
        promise, machine = self.promise(), self.world.machines[self.number % 2]
        [node] = machine.nodes()
        async with self.gate.trap(statement, {node: moment}) as trap:
            upload = asyncio.create_task(self.files.upload(machine, promise))
            await trap.full()
            await self.kills.kill([node])
        assert not await upload
        await self._upload_to_all(promise)
        await succeeded(machine)
        await self._send_to_all(promise)

    async def kill_between(self) -> None:
        """Kill the node that has answered an upload, before the file is sent."""
        promise, machine = self.promise(), self.world.machines[self.number % 2]
        await self.files.upload_until_accepted(machine, promise)
        await self.kills.kill(machine.nodes())
        await self._send_to_all(promise)
        await succeeded(machine)

    async def kill_arriving(self) -> None:
        """Kill the node that has half of a file."""
        promise, machine = self.promise(), self.world.machines[self.number % 2]
        writer = await self.cut_off(machine, promise)
        await self.kills.kill(machine.nodes())
        writer.close()
        await succeeded(machine)

    async def hang_up(self) -> None:
        """As a client does that has sent half of a file."""
        promise, machine = self.promise(), self.world.machines[self.number % 2]
        (await self.cut_off(machine, promise)).close()

    async def cut_off(self, machine: Machine, promise: Promise) -> asyncio.StreamWriter:
        before = await self._arriving()
        key = self.world.tenant(promise.tenant).api_key
        writer = await cut_off(machine, key, f"never whole: {promise.tag}", SIZE // 2)

        async def arrives() -> bool:
            return bool(await self._arriving() - before)

        await wait_until(arrives, 30)
        return writer

    async def _arriving(self) -> set[UUID]:
        """The files that are not whole. Earlier ones among them may be swept at any time."""
        return {row["id"] for row in await self.world.database.fetch(ARRIVING)}

    async def kill_sending(self, statement: str, moment: Moment) -> None:
        """Kill the node whose session hands the file to the network, whichever that is."""
        promise, machine = self.promise(), any_of(self.world.machines)
        await self.world.connected()
        await self.files.upload_until_accepted(machine, promise)
        nodes = dict(node[::-1] for node in self.world.nodes())
        async with self.gate.trap(statement, dict.fromkeys(nodes, moment)) as trap:
            sending = asyncio.create_task(self.files.send_until_accepted(machine, promise))
            held = await trap.first()
            await self.kills.kill([held.process])
        await sending
        await succeeded(nodes[held.process])

    async def _upload_to_all(self, promise: Promise) -> None:
        uploads = [self.files.upload_until_accepted(to, promise) for to in self.world.machines]
        await asyncio.gather(*uploads)

    async def _send_to_all(self, promise: Promise) -> None:
        sends = [self.files.send_until_accepted(to, promise) for to in self.world.machines]
        await asyncio.gather(*sends)

    async def miscounted_bytes(self) -> list[str]:
        """What the plan says of a file that just fits, and of one that is a byte too large."""
        wrong = []
        for tenant in self.world.tenants:
            promise = Promise("", tenant.id, "", "", 0)
            rows = await self.world.database.fetch(USED, tenant.organization.id)
            room = QUOTA - rows[0]["used"]
            for size, wanted in ((room + 1, 429), (room, 201)):
                headers, body = {"Content-Type": "text/plain"}, b"x" * size
                to = any_of(self.world.machines)
                answer = await self.files.post(to, MEDIA, promise, headers, content=body)
                if answer is None or answer.status_code != wanted:
                    wrong.append(f"{size} of {room} bytes: {answer}")
        return wrong


USED = """
SELECT coalesce(sum(size), 0)::bigint AS used FROM media
WHERE organization_id = $1 AND stored_at IS NOT NULL
"""


@asynccontextmanager
async def made_trial(folder: Path, given: Queried | None) -> AsyncIterator[Trial]:
    one_request_each = httpx.Limits(max_keepalive_connections=0)
    async with (
        httpx.AsyncClient(timeout=HANG, limits=one_request_each) as client,
        made_world(
            folder, database=given, machines=2, nodes=1, gated=True, set_to=EVERY_SECOND
        ) as world,
    ):
        assert world.gate is not None
        async with world.services() as services:
            await services.plans.put(PLAN, {"media_bytes": QUOTA, "max_file_bytes": QUOTA})
            for tenant in world.tenants:
                await services.organizations.change_plan(tenant.id, PLAN)
        yield Trial(world, world.gate, Files(world, client), Kills(world))


@pytest.mark.timeout(3600)
async def test_uploads_whose_nodes_are_killed_are_whole_or_leave_nothing(
    folder: Path, given: Queried | None, form: Form
) -> None:
    async with made_trial(folder, given) as trial:
        for _ in range(form.pick(1, 10)):
            for statement, moment in UPLOADING:
                await trial.kill_uploading(statement, moment)
            await trial.kill_between()
            await trial.kill_arriving()
            await trial.hang_up()
        await judge_files(trial, form, "kill -9 between an upload's steps, and before its message")


@pytest.mark.timeout(3600)
async def test_a_file_whose_sender_is_killed_reaches_the_phone_once_and_whole(
    folder: Path, given: Queried | None, form: Form
) -> None:
    async with made_trial(folder, given) as trial:
        for _ in range(form.pick(1, 10)):
            for statement, moment in SENDING:
                await trial.kill_sending(statement, moment)
        await judge_files(trial, form, "kill -9 while a driver sends a file")


async def judge_files(trial: Trial, form: Form, fault: str) -> None:
    world, files, kills = trial.world, trial.files, trial.kills
    await wait_until(files.is_swept, SWEPT_AFTER)
    await world.settle()
    wrong = await files.faults()
    await judge(
        form,
        world,
        fault,
        files.outcomes,
        times=trial.number,
        repeats=kills.allowed,
        nodes_killed=kills.nodes,
        files=len(files.uploaded),
        files_wrong=len(wrong),
        webhooks_in_doubt=kills.in_doubt.total(),
        uncounted=kills.uncounted,
    )
    assert wrong == []
    assert not kills.unexplained
    assert await trial.miscounted_bytes() == []
    assert await miscounted(world) == []
