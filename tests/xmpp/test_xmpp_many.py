"""Many accounts on one node."""

import json
import os
import subprocess
import sys

import pytest

from prosody_server import ProsodyServer
from repository import IMPORT_PATH, SUPPORT
from xmpp_server import PASSWORD

pytest_plugins = ("xmpp_fixtures",)

MOST_KIB = 400


@pytest.mark.timeout(300)
def test_two_hundred_accounts_take_little_memory(prosody: ProsodyServer) -> None:
    names = [f"many{n}" for n in range(201)]
    for name in names:
        prosody.add_person(name)
    call = [sys.executable, str(SUPPORT / "many_xmpp_accounts.py"), str(prosody.port)]
    done = subprocess.run(
        [*call, prosody.ca, PASSWORD, *names],
        env={**os.environ, "PYTHONPATH": IMPORT_PATH},
        check=False,
        capture_output=True,
        text=True,
        timeout=250,
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["accounts"] == len(names)
    assert told["kib_each"] <= MOST_KIB
