"""A PostgreSQL of a version that is asked for, on a socket, for as long as it is needed."""

import json
import os
import secrets
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from heliograph.platform.embedded.server_user import find_server_user
from node_packages import need_packages

VERSIONS = ("15", "16", "17", "18")


@contextmanager
def running_postgresql(version: str) -> Iterator[str]:
    """The URL of its superuser."""
    user = find_server_user(None, None)
    folder = Path(tempfile.mkdtemp(prefix=f"heliograph-postgresql-{version}-", dir="/tmp"))
    folder.chmod(0o755)
    try:
        programs = copy_programs(version, folder)
        cluster, password = folder / "cluster", secrets.token_hex(12)
        user.make_folder(cluster)
        (folder / "password").write_text(password)
        subprocess.run(
            [
                programs / "initdb",
                *("--encoding=UTF8", "--locale=C.UTF-8", "--auth=scram-sha-256"),
                *("--username=postgres", f"--pwfile={folder / 'password'}"),
                f"--pgdata={cluster}",
            ],
            check=True,
            capture_output=True,
            cwd="/",
            **user.credentials,
        )
        socket = folder / "socket"
        user.make_folder(socket)
        settings = {
            "listen_addresses": "",
            "unix_socket_directories": str(socket),
            "max_connections": 300,
            "fsync": "off",
            "random_page_cost": "1.1",
            "jit": "off",
        }
        arguments = [f"--{name}={value}" for name, value in settings.items()]
        with (folder / "log").open("wb") as log:
            server = subprocess.Popen(
                [programs / "postgres", "-D", cluster, *arguments],
                stdout=log,
                stderr=log,
                cwd="/",
                **user.credentials,
            )
        try:
            # tests that put the gateway into a network of its own reach no port of this one
            yield f"postgresql://postgres:{password}@/postgres?host={socket}"
        finally:
            server.terminate()
            server.wait(60)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def copy_programs(version: str, folder: Path) -> Path:
    """Put the programs where an unprivileged user can reach them. The package has no symbolic
    links: it lists them in a file."""
    package = need_packages("postgresql") / "node_modules" / f"postgresql-{version}"
    installed = folder / "native"
    shutil.copytree(package / "native", installed)
    links = installed / "pg-symlinks.json"
    for link in json.loads(links.read_text()) if links.exists() else ():
        target = folder / link["target"]
        if not target.exists():
            target.symlink_to(os.path.relpath(folder / link["source"], target.parent))
    for program in (installed / "bin").iterdir():
        program.chmod(0o755)
    return installed / "bin"
