"""Programs with a network, or a view of the files, of their own."""

import subprocess

from debian_programs import need_program
from missing import skip_or_fail


def need_namespaces(*kinds: str) -> list[str]:
    """The command that gives a program namespaces of its own, such as `net` and `mount`; or skip,
    which in CI is a failure."""
    need_program("unshare", "util-linux")
    options = [f"--{kind}" for kind in kinds]
    commands = (["unshare", *options], ["unshare", "-r", *options])
    command = next((each for each in commands if _works(each)), None)
    if command is None:
        skip_or_fail("needs namespaces: root, or user namespaces that are allowed to everybody")
    return command


def _works(command: list[str]) -> bool:
    return subprocess.run([*command, "true"], check=False, capture_output=True).returncode == 0
