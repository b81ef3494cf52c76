"""A database of two hosts fails over under a running gateway: it is followed without a restart."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from acceptance.hook_receiver import Hook, HookReceiver, receiving_hooks
from acceptance.running_program import BUTTONS, Program, buttons, running, wait_for
from chaos.postgres_pair import PostgresPair, Server, postgres_pair
from chaos.stalls import Stalls
from chaos.trickle import PATIENCE, WORKS_AGAIN, Trickle, trickling
from heliograph.platform.crypto import generate_secret_key

pytestmark = [
    pytest.mark.skipif(not Path("/proc/self").exists(), reason="servers are known by /proc"),
    pytest.mark.timeout(900),
    pytest.mark.extra_fault,
    pytest.mark.own_postgres("has a standby take its place"),
]


@dataclass
class Scene:
    pair: PostgresPair
    program: Program
    receiver: HookReceiver
    trickle: Trickle
    nodes: list[int]
    stalls: Stalls

    def is_at_work(self) -> bool:
        """Whether a node has a connection to the primary again."""
        return bool(gateway_connections(self.pair.first))

    def until_read(self) -> None:
        """Until all that was accepted has been read on the phones, and a webhook has said so."""

        def all_are() -> bool:
            told = {hook.data["id"] for hook in self.receiver.hooks if hook.type == "message.read"}
            return set(self.trickle.accepted.values()) <= told

        wait_for(all_are, WORKS_AGAIN)


@pytest.fixture
def scene(folder: Path, stalls: Stalls) -> Iterator[Scene]:
    settings = {
        "nodes": "2",
        "secret_keys": generate_secret_key(),
        "webhook_allow_private": "loopback",
    }
    with postgres_pair(folder / "servers") as pair, receiving_hooks() as receiver:
        settings["database_url"] = pair.url
        with running(folder / "data", **settings) as program:
            program.receipts_at_once()
            program.cli("webhooks", "create", "--url", receiver.url, "--json")
            with trickling(program) as trickle:
                nodes = program.working_nodes(2, pair.first.rows)
                yield Scene(pair, program, receiver, trickle, nodes, stalls)


@pytest.mark.parametrize("end", [Server.kill, Server.freeze])
def test_a_primary_that_is_lost_costs_nothing(scene: Scene, end: Callable[[Server], None]) -> None:
    scene.trickle.until_accepted(20)
    end(scene.pair.first)
    scene.pair.second.promote()
    scene.trickle.until_accepted(20)
    scene.trickle.end()
    scene.until_read()
    assert scene.program.nodes() == scene.nodes
    judge(scene, scene.pair.second)


def test_a_server_that_comes_back_as_a_standby_is_not_used(scene: Scene) -> None:
    scene.trickle.until_accepted(5)
    scene.pair.first.kill()
    scene.pair.second.promote()
    scene.trickle.until_accepted(5)
    scene.pair.first.copy_from(scene.pair.second)
    scene.pair.first.start()
    cut_connections(scene.pair.second)
    scene.trickle.until_accepted(20)
    # a new connection asks each server for its part, and leaves the standby at once
    wait_for(lambda: not gateway_connections(scene.pair.first), WORKS_AGAIN)
    wait_for(lambda: gateway_connections(scene.pair.second), WORKS_AGAIN)
    scene.trickle.end()
    scene.until_read()
    judge(scene, scene.pair.second)


def test_without_its_standby_what_is_in_doubt_is_said_to_be_and_a_repeat_settles_it(
    scene: Scene,
) -> None:
    first, second = scene.pair.first, scene.pair.second
    scene.trickle.until_accepted(5)
    second.kill()
    assert [ask(scene).json()["maybe_stored"] for _ in range(2)] == [True, True]
    first.kill()
    first.start()
    # now others see what was not on the standby; an answer given again must not promise more
    first.until(IN_DOUBT)
    wait_for(scene.is_at_work, WORKS_AGAIN)
    again = ask(scene)
    assert (again.status_code, again.json()["maybe_stored"]) == (503, True)
    second.start()
    wait_for(lambda: ask(scene).status_code == 200, WORKS_AGAIN)
    settled = ask(scene)
    assert settled.headers["idempotent-replayed"] == "true"
    assert [str(row["id"]) for row in first.rows(IN_DOUBT)] == [settled.json()["message_id"]]
    scene.trickle.end()
    scene.until_read()
    assert scene.program.nodes() == scene.nodes
    judge(scene, first)


def ask(scene: Scene) -> httpx.Response:
    """Send the message in doubt, always under the same key."""
    demo = scene.program.demo
    headers = {"Authorization": f"Bearer {demo['api_key']}", "Idempotency-Key": "in doubt"}
    body = buttons("+15550109999", "in doubt")
    return httpx.post(demo["base_url"] + BUTTONS, json=body, headers=headers, timeout=2 * PATIENCE)


def judge(scene: Scene, server: Server) -> None:
    """Whatever the server has, and each webhook under one id."""
    scene.trickle.judge(server.rows, scene.stalls)
    told = {(hook.data["id"], hook.type, hook.id) for hook in of_messages(scene.receiver)}
    assert set(Counter(key[:2] for key in told).values()) == {1}, "doubles share a webhook-id"


def of_messages(receiver: HookReceiver) -> list[Hook]:
    return [hook for hook in receiver.hooks if hook.type.startswith("message.")]


IN_DOUBT = "SELECT id FROM messages WHERE content ->> 'body' = 'in doubt'"
CONNECTIONS = """
SELECT pid FROM pg_stat_activity WHERE application_name LIKE 'heliograph%' AND state = 'idle'
"""


def gateway_connections(server: Server) -> int:
    return len(server.rows(CONNECTIONS))


def cut_connections(server: Server) -> None:
    server.rows(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
        "WHERE application_name LIKE 'heliograph%'"
    )
