"""One address takes a part of a node's connections and time, and no more: over a real network."""

import json
import subprocess
import sys
from typing import Any

import crowded_server
import unequal_clients
from crowded_server import STRANGER
from debian_programs import need_program
from heliograph.settings import Settings
from namespaces import need_namespaces
from unequal_clients import NEIGHBOR, REQUESTS

MOST = Settings().connection.limit_per_address
BEYOND = 3
ADDRESSES = " && ".join(
    ("ip link set lo up", *(f"ip address add {each}/32 dev lo" for each in (STRANGER, NEIGHBOR)))
)


def test_a_stranger_has_so_many_and_room_again_when_one_has_gone() -> None:
    found = run(crowded_server.__file__, MOST + BEYOND)
    assert found == [*[200] * MOST, *[503] * BEYOND, 200]


def test_who_opens_many_connections_has_no_more_turns_than_who_has_one() -> None:
    assert run(unequal_clients.__file__, 60) < 4 * REQUESTS


def run(program: str, connections: int) -> Any:
    """What the program tells in its last line, where both addresses are the machine's."""
    need_program("ip", "iproute2")
    namespace = need_namespaces("net")
    script = f'{ADDRESSES} && exec "$@"'
    done = subprocess.run(
        [*namespace, "sh", "-c", script, "sh", sys.executable, program, str(connections)],
        check=True,
        capture_output=True,
        text=True,
        timeout=60,
    )
    return json.loads(done.stdout.splitlines()[-1])
