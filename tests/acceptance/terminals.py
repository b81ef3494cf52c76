"""Runs commands on terminals of their own, one after the other, as a program of its own:

    echo '["keys", "list"]' | python -m acceptance.terminals   →   "what the terminal got"

It has loaded the command line once and forks for each command, which saves most of their time.
"""

import contextlib
import json
import os
import pty
import sys

from heliograph.faces import cli


def run(arguments: list[str]) -> str:
    child, master = pty.fork()
    if child == 0:
        sys.argv = ["heliograph", *arguments]
        cli.main()
    received = bytearray()
    with contextlib.suppress(OSError):  # which is how a terminal without programs ends
        while chunk := os.read(master, 65536):
            received += chunk
    os.close(master)
    os.waitpid(child, 0)
    return received.decode("utf-8", "replace")


if __name__ == "__main__":
    for line in sys.stdin:
        sys.stdout.write(json.dumps(run(json.loads(line))) + "\n")
        sys.stdout.flush()
