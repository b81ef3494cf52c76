"""Ctrl-C ends a command without a word, whatever it is doing."""

import os
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from heliograph.platform.crypto import generate_secret_key

needs_proc = pytest.mark.skipif(
    not Path("/proc/self/stat").exists(), reason="what a process does is known by /proc"
)
PROGRAM = (sys.executable, "-m", "heliograph")
SLOW_TO_LOAD = """
import sys, time
from importlib.abc import MetaPathFinder

class Slow(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name == "typer":
            print("loading", flush=True)
            time.sleep(60)

sys.meta_path.insert(0, Slow())
from heliograph.__main__ import main
main()
"""


@pytest.fixture
def silent_database() -> Iterator[socket.socket]:
    """The listener of one that takes connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(60)
        yield listener


def url_of(listener: socket.socket) -> str:
    return f"postgresql://heliograph:x@127.0.0.1:{listener.getsockname()[1]}/x"


def start(*command: str, stdin: int, database_url: str = "") -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        command,
        env=os.environ
        | {"HELIOGRAPH_DATABASE_URL": database_url, "HELIOGRAPH_SECRET_KEYS": generate_secret_key()}
        | {"COLUMNS": "200"},
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def interrupt(process: "subprocess.Popen[bytes]") -> tuple[int, bytes]:
    """The exit code and what stands on standard error."""
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    return process.returncode, errors


def wait_for_question(process: "subprocess.Popen[bytes]", times: int = 1) -> bytes:
    """What it has shown, once it has asked so often and waits for an answer."""
    assert process.stdout is not None
    shown = b""
    while shown.count(b"for everything") < times:
        assert select.select([process.stdout], [], [], 60)[0], shown
        shown += os.read(process.stdout.fileno(), 4096)
    # Python sees an interrupt that comes just before it begins to read only when it has read
    deadline = time.monotonic() + 60
    while not is_asleep(process.pid):
        assert time.monotonic() < deadline, shown
        time.sleep(0.01)
    return shown


def is_asleep(process_id: int) -> bool:
    state = Path(f"/proc/{process_id}/stat").read_text().rpartition(") ")[2][0]
    return state == "S"


def test_while_it_is_loaded() -> None:
    with start(sys.executable, "-c", SLOW_TO_LOAD, stdin=subprocess.DEVNULL) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"loading\n"
        assert interrupt(process) == (130, b"")


@pytest.mark.parametrize("command", ["plans list", "migrate", "doctor", "backup /nowhere.tar"])
def test_while_it_waits(silent_database: socket.socket, command: str) -> None:
    words = (*PROGRAM, *command.split())
    with start(*words, stdin=subprocess.DEVNULL, database_url=url_of(silent_database)) as process:
        connection, _ = silent_database.accept()
        with connection:
            assert interrupt(process) == (130, b"")


@needs_proc
def test_while_it_asks() -> None:
    ours, theirs = os.openpty()
    with start(*PROGRAM, "keys", "create", "--name", "backend", stdin=theirs) as process:
        wait_for_question(process)
        assert interrupt(process) == (130, b"\n")
    os.close(theirs)
    os.close(ours)


@needs_proc
def test_a_mistaken_scope_is_asked_for_again(silent_database: socket.socket) -> None:
    ours, theirs = os.openpty()
    command = (*PROGRAM, "keys", "create", "--name", "backend")
    with start(*command, stdin=theirs, database_url=url_of(silent_database)) as process:
        os.write(ours, b"messages:wrte, contacts:read\n")
        shown = wait_for_question(process, times=2)
        assert b"Error: There is no scope 'messages:wrte': choose from those above." in shown
        assert interrupt(process)[0] == 130
    os.close(theirs)
    os.close(ours)
