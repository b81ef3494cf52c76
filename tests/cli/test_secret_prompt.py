"""A secret that is left out is asked for on a terminal, which shows nothing of it."""

import hashlib
import os
import subprocess
import sys
import time

PROGRAM = """
import hashlib
from heliograph.faces.cli.account_form import read_form
values = read_form("xmpp", ["jid=desk@example.org"])
print("got", hashlib.sha256(values["password"].encode()).hexdigest())
"""
PASSWORD = "correct horse"


def read_until(terminal: int, words: bytes) -> bytes:
    shown, deadline = b"", time.monotonic() + 60
    while words not in shown:
        assert time.monotonic() < deadline, shown
        shown += os.read(terminal, 4096)
    return shown


def test_a_password_is_asked_for_and_not_shown() -> None:
    ours, theirs = os.openpty()
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,  # without the terminal that the tests may have
    ) as process:
        os.close(theirs)
        shown = read_until(ours, b"Password: ")
        os.write(ours, PASSWORD.encode() + b"\n")
        shown += read_until(ours, b"got " + hashlib.sha256(PASSWORD.encode()).hexdigest().encode())
        assert process.wait(60) == 0
    os.close(ours)
    assert PASSWORD.encode() not in shown
