"""One address takes a part of a node's connections, and no more: over a real network."""

import json
import subprocess
import sys
from pathlib import Path

import crowded_server
from crowded_server import STRANGER
from debian_programs import need_program
from heliograph.settings import Settings
from namespaces import need_namespaces

PROGRAM = Path(crowded_server.__file__)
MOST = Settings().connection.limit_per_address
BEYOND = 3
ADDRESS = f'ip link set lo up && ip address add {STRANGER}/32 dev lo && exec "$@"'


def test_a_stranger_has_so_many_and_room_again_when_one_has_gone() -> None:
    need_program("ip", "iproute2")
    namespace = need_namespaces("net")
    done = subprocess.run(
        [*namespace, "sh", "-c", ADDRESS, "sh", sys.executable, str(PROGRAM), str(MOST + BEYOND)],
        check=True,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert json.loads(done.stdout.splitlines()[-1]) == [*[200] * MOST, *[503] * BEYOND, 200]
