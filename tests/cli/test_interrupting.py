"""Ctrl-C ends a command without a word, whatever it is doing."""

import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator

import pytest

from heliograph.platform.crypto import generate_secret_key

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


def test_while_it_asks() -> None:
    ours, theirs = os.openpty()
    with start(*PROGRAM, "keys", "create", "--name", "backend", stdin=theirs) as process:
        assert process.stdout is not None
        shown = b""
        while b"for everything" not in shown:
            assert select.select([process.stdout], [], [], 60)[0], shown
            shown += os.read(process.stdout.fileno(), 4096)
        assert interrupt(process) == (130, b"\n")
    os.close(theirs)
    os.close(ours)


def test_a_mistaken_scope_is_asked_for_again(silent_database: socket.socket) -> None:
    ours, theirs = os.openpty()
    command = (*PROGRAM, "keys", "create", "--name", "backend")
    with start(*command, stdin=theirs, database_url=url_of(silent_database)) as process:
        assert process.stdout is not None
        os.write(ours, b"messages:wrte, contacts:read\n")
        shown = b""
        while shown.count(b"for everything") < 2:
            assert select.select([process.stdout], [], [], 60)[0], shown
            shown += os.read(process.stdout.fileno(), 4096)
        assert b"Error: There is no scope 'messages:wrte': choose from those above." in shown
        assert interrupt(process)[0] == 130
    os.close(theirs)
    os.close(ours)
