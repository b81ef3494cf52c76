"""An object storage that is away, overloaded, refuses its key, hangs or is slow, while files come
and go beside messages without any."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import SplitResult, urlsplit

import asyncpg
import httpx
import pytest

from chaos.conftest import Form
from chaos.counters import miscounted
from chaos.files import MEDIA, Files, any_of, bytes_of
from chaos.ledger import Promise
from chaos.load import Load, Phones
from chaos.machine import Machine
from chaos.postgres import Queried
from chaos.verdict import judge
from chaos.world import World, made_world, wait_until
from failing_s3 import failing_s3
from heliograph.networks.content import Document
from heliograph.networks.phone_actions import Send
from heliograph.platform.objects import Objects, ObjectStorageError
from s3_server import S3Server, running_s3
from tcp_proxy import TcpProxy, tcp_proxy

pytestmark = pytest.mark.extra_fault

FOLDER = "chaos"
ANSWERED = 120.0  # seconds for an upload; while the storage hangs it takes a minute and more
NOTICED_WITHIN = 120.0  # seconds; a node tries its storage every half minute
SWEPT_WITHIN = 240.0  # seconds: what has just begun is left alone for one minute
UNANSWERED = {"upload": 503, "link": 503, "kept": False, "check": "warning"}
SLOW = {"upload": 201, "link": 200, "kept": True, "check": "not asked"}

ARRIVED = """
SELECT media_url FROM messages WHERE direction = 'inbound' AND content->>'caption' = $1
"""


@dataclass
class Storage:
    """An S3, and the way to it, which leads elsewhere while the S3 is overloaded."""

    s3: S3Server
    proxy: TcpProxy
    overloaded_port: int

    def close(self) -> None:
        self.proxy.is_closed = True
        self.proxy.cut()

    def overload(self) -> None:
        self.proxy.target_port = self.overloaded_port
        self.proxy.cut()

    def hang(self) -> None:
        self.proxy.hold_answers()

    def revoke_key(self) -> None:
        self.s3.refuse_keys()

    def slow_down(self) -> None:
        self.proxy.delay = 0.5

    def restore(self) -> None:
        self.proxy.is_closed, self.proxy.delay = False, 0.0
        self.proxy.target_port = self.s3.port
        self.proxy.cut()
        self.proxy.let_answers_through()
        self.s3.take_any_key()

    def uploads(self) -> dict[str, bytes]:
        prefix = f"{FOLDER}/"
        found = {key.removeprefix(prefix): data for key, data in self.s3.objects().items()}
        return {key: data for key, data in found.items() if key.startswith("uploads/")}


@asynccontextmanager
async def running_storage() -> AsyncIterator[Storage]:
    """Machines that are started in this block are led there."""
    with running_s3() as s3, pytest.MonkeyPatch.context() as patch:
        async with tcp_proxy(s3.port) as proxy, failing_s3() as overloaded:
            patch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{proxy.port}")
            yield Storage(s3, proxy, overloaded)


@dataclass
class Trial:
    """`seen` has what each fault came to while it lasted."""

    world: World
    files: Files
    storage: Storage
    seen: dict[str, list[dict[str, object]]] = field(default_factory=dict)
    _made: int = 0

    async def undergo(self, fault: Callable[[Storage], None], *, is_warned_of: bool) -> None:
        before, meanwhile = self._promise(), self._promise()
        machine = any_of(self.world.machines)
        await self.files.upload_until_accepted(machine, before)
        link = await self._link_to(machine, before)
        fault(self.storage)
        try:
            came = asyncio.gather(
                self.files.send(machine, before),
                self._upload(machine, meanwhile),
                self._follow(machine, link),
                self._is_kept_of_what_arrives(),
                self._check_is("warning") if is_warned_of else asyncio.sleep(0, "not asked"),
            )
            accepted, upload, followed, kept, check = await came
        finally:
            self.storage.restore()
        assert accepted, "a message needs no storage to be accepted"
        found = {"upload": upload, "link": followed, "kept": kept, "check": check}
        self.seen.setdefault(fault.__name__, []).append(found)
        await self._goes_on(machine, meanwhile)

    async def _goes_on(self, machine: Machine, meanwhile: Promise) -> None:
        await self.files.upload_until_accepted(machine, meanwhile)
        await self.files.send_until_accepted(machine, meanwhile)
        await self._check_is("ok")
        assert await self._is_kept_of_what_arrives()

    async def _upload(self, machine: Machine, promise: Promise) -> int:
        """The status."""
        return 201 if await self.files.upload(machine, promise) else 503

    async def _follow(self, machine: Machine, link: str) -> int:
        answer = await self.files.client.get(machine.base_url + link)
        if answer.status_code == 503:
            assert "object storage" in answer.json()["detail"]
            assert answer.headers["retry-after"]
        return answer.status_code

    async def _link_to(self, machine: Machine, promise: Promise) -> str:
        """Without the machine."""
        path = f"{MEDIA}/{min(self.files.uploaded[promise.tag])}"
        answer = await self._get(machine, path, promise)
        address = urlsplit(answer.json()["url"])
        return f"{address.path}?{address.query}"

    async def _get(self, machine: Machine, path: str, promise: Promise) -> httpx.Response:
        headers = {"Authorization": f"Bearer {self.world.tenant(promise.tenant).api_key}"}
        return await self.files.client.get(machine.base_url + path, headers=headers)

    async def _is_kept_of_what_arrives(self) -> bool:
        """Let a phone send a file; whether that is kept of its message, which arrives whatever
        becomes of it."""
        promise = self._promise()
        account = next(
            each for _, each in self.world.accounts if str(each.id) == promise.account_id
        )
        self.world.ledger.said[promise.tag] = promise
        content = Document(media_type="text/plain", caption=promise.tag, file_name="a.txt")
        async with self.world.services() as services:
            phone = services.simulator.of(account)
            await phone.act(Send(promise.phone, content, file=bytes_of(promise.tag)))
        rows: list[asyncpg.Record] = []

        async def arrives() -> bool:
            rows[:] = await self.world.database.fetch(ARRIVED, promise.tag)
            return bool(rows)

        await wait_until(arrives, NOTICED_WITHIN)
        if rows[0]["media_url"] is None:
            return False
        return await self._is_whole(urlsplit(rows[0]["media_url"]), promise)

    async def _is_whole(self, address: SplitResult, promise: Promise) -> bool:
        machine = any_of(self.world.machines)
        answer = await self.files.client.get(f"{machine.base_url}{address.path}?{address.query}")
        return answer.content == bytes_of(promise.tag)

    async def _check_is(self, status: str) -> str:
        """Wait until every node says so of its object storage, and is ready all the same."""

        async def holds() -> bool:
            return {await self._check(machine) for machine in self.world.machines} == {status}

        await wait_until(holds, NOTICED_WITHIN)
        return status

    async def _check(self, machine: Machine) -> str:
        answer = await self.files.client.get(machine.base_url + "/readyz")
        assert answer.status_code == 200
        return str(answer.json()["checks"]["object storage"]["status"])

    def _promise(self) -> Promise:
        self._made += 1
        tenant, account = self.world.accounts[self._made % len(self.world.accounts)]
        return tenant.promise(account, f"file {self._made}", f"+1555060{self._made:04}")


FAULTS = (Storage.close, Storage.overload, Storage.revoke_key, Storage.hang)


@pytest.mark.chaos_alone
@pytest.mark.timeout(3600)
async def test_while_the_object_storage_fails_texts_go_on_and_files_wait(
    folder: Path, given: Queried | None, form: Form
) -> None:
    times = form.pick(1, 5)
    async with made_trial(folder, given) as trial:
        world, files = trial.world, trial.files
        nodes, load = world.nodes(), Load(world, per_second=20)
        async with load.running(), Phones(world).running():
            for _ in range(times):
                for fault in FAULTS:
                    await trial.undergo(fault, is_warned_of=True)
                await trial.undergo(Storage.slow_down, is_warned_of=False)
        await wait_until(files.is_swept, SWEPT_WITHIN)
        await world.settle()
        wrong = await files.faults()
        await judge(
            form,
            world,
            "Object storage away, overloaded, without its key, hanging, slow",
            load.outcomes,
            times=times * (len(FAULTS) + 1),
            nodes=nodes,
            slowest_file_s=files.outcomes.slowest,
            files=len(files.uploaded),
            files_wrong=len(wrong),
            uploads_503=files.outcomes.statuses.get(503, 0),
        )
        assert files.outcomes.wrong == []
        assert load.outcomes.statuses.keys() == {200}
        assert files.outcomes.broken == 0
        assert trial.seen == {fault.__name__: [UNANSWERED] * times for fault in FAULTS} | {
            "slow_down": [SLOW] * times
        }
        assert wrong == []
        assert await miscounted(world) == []


@asynccontextmanager
async def made_trial(folder: Path, given: Queried | None) -> AsyncIterator[Trial]:
    async with (
        running_storage() as storage,
        httpx.AsyncClient(timeout=ANSWERED) as client,
        made_world(
            folder,
            database=given,
            machines=2,
            nodes=1,
            set_to={"objects_url": storage.s3.url(FOLDER), "sweep_interval": "1"},
        ) as world,
    ):
        yield Trial(world, Files(world, client, storage.uploads), storage)


async def test_a_storage_that_hangs_is_not_waited_for_again() -> None:
    async with running_storage() as storage:
        objects = Objects(storage.s3.url(FOLDER))
        storage.hang()
        tries = (objects.put("a.jpg", b"a"), objects.get("a.jpg"), objects.delete(["a.jpg"]))
        for outcome in await asyncio.gather(*tries, return_exceptions=True):
            assert isinstance(outcome, ObjectStorageError)
        assert storage.proxy.connections == len(tries)
