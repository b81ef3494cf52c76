"""What counting requests costs: a customer whose plan has limits beside one whose plan has none."""

from collections.abc import Callable
from dataclasses import dataclass
from uuid import UUID

from bench.client import Client
from bench.figures import Comparison, Figure, Finding, Pair, compare_rounds, rate_figure
from bench.gateway import private_gateway
from bench.programs import redis
from bench.reading import message_path
from bench.stage import ROUNDS, Stage, ask_over, buttons, message_ids
from heliograph.core.services import Services
from heliograph.core.tenants.model import UNLIMITED, operator

_PLAN = "counted"
_NEVER_REACHED = 1_000_000_000
_COUNT = 5_000
_LIMITS = {"key_requests_per_minute": _NEVER_REACHED, "requests_per_minute": _NEVER_REACHED}


@dataclass(frozen=True, slots=True)
class _Customer:
    """Has a message, and an account that is never connected."""

    client: Client
    account_id: UUID
    message_id: str


async def rates(stage: Stage) -> list[Finding]:
    """A gateway of one node that counts in its memory, and one that counts in Redis."""
    found = await _compare(stage, "in memory")
    async with redis() as url:
        if url is None:
            note = "not measured: there is no redis-server here"
            return [*found, Figure(name="counted in Redis", count=0, seconds=0, note=note)]
        return [*found, *await _compare(stage, "in Redis", RATE_LIMIT_URL=url)]


async def _compare(stage: Stage, where: str, **settings: str) -> list[Finding]:
    async with private_gateway(1, **settings) as gateway:
        async with gateway.services() as services:
            await services.plans.put(_PLAN, _LIMITS)
            counted = await _customer(services, gateway.base_url, _PLAN)
            free = await _customer(services, gateway.base_url, UNLIMITED)
        count = stage.count(_COUNT)
        return [
            await _in_turns(stage, f"accept, counted {where}", counted, free, count, _accept),
            await _in_turns(
                stage, f"get message (7), counted {where}", counted, free, count, _read
            ),
        ]


async def _customer(services: Services, base_url: str, plan: str) -> _Customer:
    organization = await services.organizations.create(f"Bench {plan}", plan=plan)
    principal = operator(organization.tenant)
    minted = await services.keys.mint(principal, "bench", scopes=["admin:write"])
    account = await services.accounts.create(principal, "sandbox", "Asleep", "asleep", {})
    client = Client(base_url, minted.text)
    answers, _ = await ask_over(client, buttons(client, account.id, 1))
    return _Customer(client, account.id, message_ids(answers)[0])


def _accept(customer: _Customer, count: int) -> list[bytes]:
    return buttons(customer.client, customer.account_id, count)


def _read(customer: _Customer, count: int) -> list[bytes]:
    return [customer.client.get(message_path(customer.message_id))] * count


async def _in_turns(
    stage: Stage,
    name: str,
    counted: _Customer,
    free: _Customer,
    count: int,
    requests: Callable[[_Customer, int], list[bytes]],
) -> Comparison:
    move = stage.track(name, 2 * ROUNDS * count)
    rounds, latest = [], None
    for customer in (counted, free):  # plans, caches and connections are there after it
        await ask_over(customer.client, requests(customer, count // 10))
    for _ in range(ROUNDS):
        reached = []
        for customer in (counted, free):
            answers, took = await ask_over(customer.client, requests(customer, count), move)
            reached.append(rate_figure(name, [answer.seconds for answer in answers], took))
        latest = reached[0]
        rounds.append(Pair(reached[0].rate or 0.0, reached[1].rate or 0.0))
    assert latest is not None
    note = f"{ROUNDS} rounds of {count:,} in turns; p50 {latest.p50} ms, p99 {latest.p99} ms"
    return compare_rounds(name, rounds, baseline_name="a plan without limits", note=note)
