"""A real PgBouncer of a test's own, in front of the tests' PostgreSQL."""

import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

from debian_programs import need_program
from free_ports import free_port, takes_connections
from heliograph.platform.embedded.server_user import find_server_user
from processes import running
from waiting import wait_until

CONFIGURATION = """
[databases]
* = host={host} port={port} user={user}{password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {own_port}
unix_socket_dir =
auth_type = any
pool_mode = {mode}
default_pool_size = {size}
max_client_conn = 200
server_idle_timeout = 1
{more}
"""


@contextlib.contextmanager
def running_pgbouncer(
    database_url: str, mode: str, *, size: int = 40, more: str = ""
) -> Iterator[str]:
    """The URL by which the database is reached through it; `more` are lines of its configuration.
    A server's connection that nobody uses ends after a second, so that a database can be dropped.
    """
    need_program("pgbouncer", "pgbouncer")
    parts = urlsplit(database_url)
    where, own_port = parse_qs(parts.query), free_port()
    user = find_server_user(None, None)  # it refuses to run as root
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        file = Path(folder) / "pgbouncer.ini"
        file.write_text(
            CONFIGURATION.format(
                host=parts.hostname or where["host"][0],
                port=parts.port or where.get("port", ["5432"])[0],
                user=unquote(parts.username or ""),
                # none is not the same as an empty one, which PgBouncer can't read
                password=f" password={unquote(parts.password)}" if parts.password else "",
                own_port=own_port,
                mode=mode,
                size=size,
                more=more,
            )
        )
        with running(["pgbouncer", "-q", str(file)], cwd=folder, **user.credentials):
            wait_until(lambda: takes_connections(own_port))
            yield f"postgresql://{parts.username}@127.0.0.1:{own_port}{parts.path}"
