"""A command whose database takes no connections ends in a sentence."""

import os
import subprocess
import sys

from heliograph.platform.crypto import generate_secret_key


def test_a_database_that_refuses_is_a_sentence_without_its_password() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "heliograph", "keys", "list"],
        env=os.environ
        | {
            "HELIOGRAPH_DATABASE_URL": "postgresql://heliograph:hunter2@127.0.0.1:1/x",
            "HELIOGRAPH_SECRET_KEYS": generate_secret_key(),
        },
        check=False,
        capture_output=True,
        text=True,
        timeout=90,
    )
    printed = done.stdout + done.stderr
    assert done.returncode == 1, printed
    assert "The database can't be reached" in " ".join(printed.split())
    assert "Traceback" not in printed
    assert "hunter2" not in printed
