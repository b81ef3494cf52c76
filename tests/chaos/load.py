"""Load: clients that send until they are answered 2xx, and phones that write."""

import asyncio
import random
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import partial

import asyncpg
import httpx

from chaos.balancer import Balancer
from chaos.ledger import Promise
from chaos.machine import Machine
from chaos.world import World
from heliograph.core.services import Services
from heliograph.errors import GatewayError
from heliograph.networks.errors import NetworkError
from heliograph.networks.phone_actions import Say

BUTTONS = "/api/v1/messages/send/interactive/buttons"
HANG = 35.0  # seconds after which a client calls it a hang; an answer takes 10 at most
GIVE_UP = 180.0  # seconds in which one message must have been accepted


@dataclass(slots=True)
class Outcomes:
    """What clients met: answers by status and by machine, connections that broke (of them those
    that were refused), when each message was accepted and how long that request took, and answers
    that make no sense to a client that did nothing wrong."""

    statuses: dict[int, int] = field(default_factory=dict)
    machines: Counter[Machine] = field(default_factory=Counter)
    broken: int = 0
    refused: int = 0
    slowest: float = 0.0
    accepted: list[tuple[float, float]] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    def note(self, answer: httpx.Response, seconds: float) -> None:
        self.statuses[answer.status_code] = self.statuses.get(answer.status_code, 0) + 1
        self.slowest = max(self.slowest, seconds)
        if answer.status_code == 200:
            self.accepted.append((time.monotonic(), seconds))
        if answer.status_code == 503 and "retry-after" not in answer.headers:
            self.wrong.append(f"503 without Retry-After: {answer.text}")
        elif answer.status_code not in (200, 409, 503):
            self.wrong.append(f"{answer.status_code}: {answer.text}")


async def send_once(
    client: httpx.AsyncClient, machine: Machine, world: World, promise: Promise, outcomes: Outcomes
) -> bool:
    """Send it to this machine once; whether it was accepted."""
    key = world.tenant(promise.tenant).api_key
    headers = {"Authorization": f"Bearer {key}", "Idempotency-Key": promise.tag}
    body = {
        "phone_number": promise.phone,
        "chat_account_id": promise.account_id,
        "body": promise.tag,
        "buttons": [{"id": "yes", "title": "Yes"}],
    }
    began = time.monotonic()
    try:
        answer = await client.post(machine.base_url + BUTTONS, json=body, headers=headers)
    except httpx.TimeoutException:
        outcomes.wrong.append(f"no answer within {HANG} s")
        return False
    except httpx.TransportError as error:
        outcomes.broken += 1
        outcomes.refused += isinstance(error, httpx.ConnectError)
        return False
    outcomes.note(answer, time.monotonic() - began)
    outcomes.machines[machine] += 1
    if answer.status_code == 200:
        world.ledger.answers[promise.tag].append(answer.json()["message_id"])
    return answer.status_code == 200


async def until_accepted(attempt: Callable[[], Awaitable[bool]], what: object) -> None:
    """Try it again and again."""
    deadline = time.monotonic() + GIVE_UP
    while not await attempt():
        assert time.monotonic() < deadline, f"{what} was never accepted"
        await asyncio.sleep(0.2)


class Load:
    """`clients` clients at a time, each with a phone of its own to write to in turn, at
    `per_second` messages in all, through `balancer` or to any machine that runs. `first` is the
    number of the first of them: no two have the same in one world."""

    def __init__(
        self,
        world: World,
        *,
        clients: int = 12,
        per_second: float = 30,
        balancer: Balancer | None = None,
        first: int = 0,
    ) -> None:
        self.world = world
        self._first = first
        self._balancer = balancer
        self.outcomes = Outcomes()
        self._clients = clients
        self._pause = clients / per_second
        self._ended = asyncio.Event()

    @asynccontextmanager
    async def running(self) -> AsyncIterator["Load"]:
        """Load while the block runs; at its end each client gets its last message accepted."""
        async with asyncio.TaskGroup() as group:
            for number in range(self._first, self._first + self._clients):
                group.create_task(self._write_to(number))
            try:
                yield self
            finally:
                self._ended.set()

    async def _write_to(self, number: int) -> None:
        accounts = self.world.accounts
        tenant, account = accounts[number % len(accounts)]
        phone, place = f"+1555020{number:04}", 0
        machines = 1 if self._balancer is None else len(self.world.machines)
        limits = httpx.Limits(max_keepalive_connections=machines)
        async with httpx.AsyncClient(timeout=HANG, limits=limits) as client:
            while not self._ended.is_set():
                tag = f"{account.id} to {phone}: {place}"
                promise = tenant.promise(account, tag, phone, place)
                await self.send(client, promise)
                place += 1
                with suppress(TimeoutError):
                    pause = self._pause * random.uniform(0.5, 1.5)
                    await asyncio.wait_for(self._ended.wait(), pause)

    async def send(self, client: httpx.AsyncClient, promise: Promise) -> None:
        """Send it, again and again under the same key, until it is accepted."""
        self.world.ledger.sent[promise.tag] = promise
        await until_accepted(partial(self._try, client, promise), promise)

    async def _try(self, client: httpx.AsyncClient, promise: Promise) -> bool:
        return await send_once(client, self._choose(), self.world, promise, self.outcomes)

    def _choose(self) -> Machine:
        if self._balancer is not None:
            return self._balancer.choose()
        return random.choice([machine for machine in self.world.machines if machine.is_running])


class Phones:
    """Phones that write to the accounts, one message after another each."""

    def __init__(self, world: World, *, phones: int = 8, per_second: float = 10) -> None:
        self._world = world
        self._phones = phones
        self._pause = phones / per_second
        self._ended = asyncio.Event()

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        async with self._world.services() as services, asyncio.TaskGroup() as group:
            for number in range(self._phones):
                group.create_task(self._write(services, number))
            try:
                yield
            finally:
                self._ended.set()

    async def _write(self, services: Services, number: int) -> None:
        accounts = self._world.accounts
        tenant, account = accounts[number % len(accounts)]
        phone, place = f"+1555030{number:04}", 0
        while not self._ended.is_set():
            tag = f"{phone} to {account.id}: {place}"
            promise = tenant.promise(account, tag, phone, place)
            self._world.ledger.said[tag] = promise
            # whether it was heard is what the network's table says
            with suppress(NetworkError, GatewayError, asyncpg.PostgresError, OSError):
                await services.simulator.of(account).act(Say(phone, tag))
            place += 1
            await asyncio.sleep(self._pause)
