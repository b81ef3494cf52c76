"""A command's process ends with its exit code and its output, and without Python's own ending."""

import subprocess
import sys

from each_case import for_each

COMMAND = """
import atexit, sys
from heliograph.faces.cli import main

atexit.register(print, "the interpreter was taken down", file=sys.stderr)
sys.argv = ["heliograph", *sys.argv[1:]]
main()
"""


@for_each(
    ("arguments", "code", "printed"),
    [
        (["plans", "--help"], 0, "Plans: what organizations may use."),
        (["nonsense"], 2, "No such command"),
        (["openapi"], 0, '"openapi"'),
        (["keys", "list", "--organization", "\udcff"], 1, "is not UTF-8"),
    ],
)
def test_a_command_ends_at_once(arguments: list[str], code: int, printed: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", COMMAND, *arguments], check=False, capture_output=True, text=True
    )
    assert done.returncode == code
    assert printed in done.stdout + done.stderr
    assert "taken down" not in done.stderr


def test_output_that_nobody_reads_any_more_is_no_error() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", COMMAND, "openapi"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        process.stdout.close()
        assert process.stderr is not None
        errors = process.stderr.read()
    assert b"Traceback" not in errors
