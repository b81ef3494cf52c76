"""A command whose database takes no connections ends in a sentence."""

import os
import subprocess
import sys
from uuid import uuid4

import pytest

from databases import name_database
from heliograph.platform.crypto import generate_secret_key

COMMANDS = pytest.mark.parametrize("command", ["keys list", "database status"])


def fail(command: str, database_url: str) -> str:
    """What the command says, in one line."""
    done = subprocess.run(
        [sys.executable, "-m", "heliograph", *command.split()],
        env=os.environ
        | {
            "HELIOGRAPH_DATABASE_URL": database_url,
            "HELIOGRAPH_SECRET_KEYS": generate_secret_key(),
        },
        check=False,
        capture_output=True,
        text=True,
        timeout=90,
    )
    printed = done.stdout + done.stderr
    assert done.returncode == 1, printed
    assert "Traceback" not in printed
    return " ".join(printed.split())


@COMMANDS
def test_a_database_that_refuses_is_a_sentence_without_its_password(command: str) -> None:
    printed = fail(command, "postgresql://heliograph:hunter2@127.0.0.1:1/x")
    assert "The database can't be reached" in printed
    assert "hunter2" not in printed


@COMMANDS
def test_a_database_that_is_not_there_is_to_be_made(command: str, database_url: str) -> None:
    printed = fail(command, name_database(database_url, f"not_{uuid4().hex}"))
    assert "Create it" in printed


def test_a_database_without_tables_is_to_be_migrated(empty_database_url: str) -> None:
    assert "`heliograph migrate` adds it" in fail("keys list", empty_database_url)
