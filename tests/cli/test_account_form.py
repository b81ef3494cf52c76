"""The values of a network's form, typed on a terminal."""

import io
import json
import os
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest
import typer

from heliograph.faces.cli.account_form import read_form

PROGRAM = """
import json, pathlib, sys
from heliograph.faces.cli.account_form import read_form
pathlib.Path(sys.argv[1]).write_text(json.dumps(read_form("xmpp", ())))
"""


LOCAL_MODES = 3  # where termios.tcgetattr has them


class Person:
    """Types answers, each once it is asked for."""

    def __init__(self, master: int) -> None:
        self._master = master
        self.seen = ""

    def answer(self, question: str, text: str) -> None:
        self._read_until(question)
        os.write(self._master, f"{text}\n".encode())

    def answer_unseen(self, question: str, text: str) -> None:
        """As a person does: a moment after the question, when the terminal shows nothing any more.
        What is typed before that is thrown away with the echo."""
        self._read_until(question)
        while termios.tcgetattr(self._master)[LOCAL_MODES] & termios.ECHO:
            time.sleep(0.01)
        os.write(self._master, f"{text}\n".encode())

    def _read_until(self, question: str) -> None:
        while not self.seen.rstrip().endswith(question):
            self.seen += os.read(self._master, 1024).decode()


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
        person.answer_unseen("Password:", "hunter2")
    os.close(master)
    assert program.returncode == 0
    assert json.loads(result.read_text()) == {"jid": "desk@example.org", "password": "hunter2"}
    assert "hunter2" not in person.seen


PEM = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"


def test_any_value_can_come_from_a_file(tmp_path: Path) -> None:
    authority, password = tmp_path / "ca.pem", tmp_path / "password"
    authority.write_text(PEM)
    password.write_text("hunter2\n")
    given = ["jid=desk@example.org", f"ca=@{authority}", f"password=@{password}"]
    assert read_form("xmpp", given) == {
        "jid": "desk@example.org",
        "ca": PEM.removesuffix("\n"),
        "password": "hunter2",
    }


def test_any_value_can_come_from_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(PEM))
    given = ["jid=desk@example.org", "ca=-"]
    assert read_form("xmpp", given)["ca"] == PEM.removesuffix("\n")


def test_standard_input_is_one_value() -> None:
    with pytest.raises(typer.BadParameter, match="one value"):
        read_form("xmpp", ["ca=-", "password=-"])


@pytest.mark.parametrize("network", ["xmpp", "no such network"])
def test_a_file_that_is_not_there_is_named(network: str) -> None:
    with pytest.raises(typer.BadParameter, match="'ca' can't be read from /no/such/file"):
        read_form(network, ["ca=@/no/such/file"])
