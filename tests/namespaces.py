"""Programs with a network, or a view of the files, of their own."""

import os
import subprocess

import pytest

from debian_programs import need_program


def need_namespaces(*kinds: str) -> list[str]:
    """The command that gives a program namespaces of its own, such as `net` and `mount`; or skip
    and say why in one line, which in CI is a failure."""
    need_program("unshare", "util-linux")
    options = [f"--{kind}" for kind in kinds]
    for command in (["unshare", *options], ["unshare", "-r", *options]):
        if subprocess.run([*command, "true"], check=False, capture_output=True).returncode == 0:
            return command
    reason = "needs namespaces: root, or user namespaces that are allowed to everybody"
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)
