"""Containers as podman runs them, also on a machine without systemd and with few privileges."""

import resource
import subprocess
from pathlib import Path

_UNIFIED = Path("/sys/fs/cgroup/unified")
_WITHOUT_IT = ("unshare", "--mount", "sh", "-c", f'umount {_UNIFIED}; exec "$@"', "sh")


def podman(*arguments: str) -> list[str]:
    """The command. crun refuses cgroups of both versions side by side, where neither limits
    anything: podman then sees one of them."""
    before = _WITHOUT_IT if _UNIFIED.exists() else ()
    return [*before, "podman", *arguments]


def run_command(image: str, name: str, *options: str) -> list[str]:
    """Run an image as a user without privileges who can write nowhere but where `options` say.

    The machine's network is the container's. Limits are this process's, which may be no right to
    raise them.
    """
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    limits = ("--ulimit", f"nofile={files}:{files}", "--ulimit", "nproc=4096:4096")
    groups = () if Path("/sys/fs/cgroup/cgroup.controllers").exists() else ("--cgroups=disabled",)
    contained = ("--read-only", "--tmpfs", "/tmp", "--cap-drop", "all")
    fixed = ("--rm", "--name", name, "--network", "host", "--security-opt", "no-new-privileges")
    return podman("run", *fixed, *limits, *groups, *contained, *options, image)


def ask_podman(*arguments: str) -> str:
    """What it prints when it succeeds."""
    done = subprocess.run(podman(*arguments), check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()
