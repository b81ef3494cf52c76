"""The values of a network's form, typed on a terminal."""

import json
import os
import subprocess
import sys
from pathlib import Path

PROGRAM = """
import json, pathlib, sys
from heliograph.cli.account_form import read_form
pathlib.Path(sys.argv[1]).write_text(json.dumps(read_form("xmpp", ())))
"""


class Person:
    """Types answers, each once it is asked for."""

    def __init__(self, master: int) -> None:
        self._master = master
        self.seen = ""

    def answer(self, question: str, text: str) -> None:
        while not self.seen.rstrip().endswith(question):
            self.seen += os.read(self._master, 1024).decode()
        os.write(self._master, f"{text}\n".encode())


def test_on_a_terminal_what_is_required_is_asked_for_and_secrets_last(tmp_path: Path) -> None:
    master, slave = os.openpty()
    result = tmp_path / "form"
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(result)],
        stdin=slave,
        stdout=slave,
        stderr=slave,
        start_new_session=True,
    ) as program:
        os.close(slave)
        person = Person(master)
        person.answer("Address (JID):", "desk@example.org")
        person.answer("Password:", "hunter2")
    os.close(master)
    assert program.returncode == 0
    assert json.loads(result.read_text()) == {"jid": "desk@example.org", "password": "hunter2"}
    assert "hunter2" not in person.seen
