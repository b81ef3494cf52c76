"""Two nodes that count requests together in Redis, and go on when it is gone."""

from collections.abc import Iterator

import httpx
import pytest

from acceptance.machines import PROBE, Customer, Installation, Machine, installation
from acceptance.running_program import wait_for
from redis_server import RedisServer, running_redis

PLAN, QUOTA = "small", 10


@pytest.fixture(scope="module")
def redis() -> Iterator[RedisServer]:
    with running_redis() as server:
        yield server


@pytest.fixture(scope="module")
def made(
    postgres_url: str,
    template_database: str,
    tmp_path_factory: pytest.TempPathFactory,
    redis: RedisServer,
) -> Iterator[Installation]:
    folder = tmp_path_factory.mktemp("rates")
    with installation(postgres_url, template_database, folder, RATE_LIMIT_URL=redis.url) as made:
        made.with_services(
            lambda gateway: gateway.plans.put(PLAN, {"key_requests_per_minute": QUOTA})
        )
        yield made


@pytest.fixture(scope="module")
def machine(made: Installation) -> Iterator[Machine]:
    with made.machine("--nodes", "2") as started:
        yield started


@pytest.fixture(scope="module")
def clients(made: Installation, machine: Machine) -> Iterator[list[httpx.Client]]:
    """A client of each of the two nodes, found with a key that is never counted."""
    with machine.client_of_each_node(made.customer("Unlimited")) as found:
        yield list(found.values())


def statuses(customer: Customer, clients: list[httpx.Client], times: int) -> list[int]:
    """The statuses of so many requests to each node, in turns."""
    return [
        client.get(PROBE, headers=customer.headers).status_code
        for _ in range(times)
        for client in clients
    ]


def rates_check(client: httpx.Client) -> str:
    answer = client.get("/readyz")
    assert answer.status_code == 200
    return str(answer.json()["checks"]["rates"]["status"])


def test_two_nodes_allow_the_full_rate_once(
    made: Installation, clients: list[httpx.Client]
) -> None:
    customer = made.customer("Acme", plan=PLAN)
    assert statuses(customer, clients, QUOTA) == [200] * QUOTA + [429] * QUOTA
    assert [rates_check(client) for client in clients] == ["ok", "ok"]


def test_without_redis_each_node_allows_the_full_rate_and_says_so(
    made: Installation, machine: Machine, redis: RedisServer, clients: list[httpx.Client]
) -> None:
    customer = made.customer("Globex", plan=PLAN)
    redis.stop()

    found = statuses(customer, clients, QUOTA + 5)

    assert found == [200] * 2 * QUOTA + [429] * 2 * 5
    assert [rates_check(client) for client in clients] == ["warning", "warning"]
    events = [line["event"] for line in machine.lines() if line["level"] == "warning"]
    assert events.count("request rates are counted in this node's memory") == 2

    redis.start()

    wait_for(lambda: [rates_check(client) for client in clients] == ["ok", "ok"])
    assert statuses(customer, clients, QUOTA) == [200] * QUOTA + [429] * QUOTA


def test_a_wrong_secret_costs_nobody_anything(
    made: Installation, clients: list[httpx.Client]
) -> None:
    customer = made.customer("Hooli", plan=PLAN)
    wrong = {"Authorization": f"Bearer {customer.key[:-1]}"}
    refused = [client.get(PROBE, headers=wrong) for client in clients for _ in range(QUOTA)]
    assert {answer.status_code for answer in refused} == {401}
    answer = clients[0].get(PROBE, headers=customer.headers)
    assert answer.headers["ratelimit"].startswith(f'"default";r={QUOTA - 1};')
