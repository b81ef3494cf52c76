"""The private PostgreSQL's life: who may use it, and what is left after each way to die."""

import asyncio
import contextlib
import os
import signal
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import asyncpg
import pytest

from connections import connected
from each_case import for_each
from heliograph.app.startup import migrate_private_database
from heliograph.platform.embedded.postmaster import EmbeddedPostgresError
from heliograph.platform.embedded.programs import PACKAGE, find_binaries, provide_binaries
from heliograph.platform.embedded.record import find_record
from heliograph.platform.embedded.server import (
    EmbeddedPostgres,
    connect_url,
    find_owner_url,
    resolve_settings,
)
from heliograph.platform.embedded.server_user import ServerUserError, find_server_user
from heliograph.platform.files.private import DataDirError
from heliograph.settings import AllowPrivate, DataSettings, EmbeddedSettings, Settings
from processes import is_alive
from waiting import wait_until

pytestmark = pytest.mark.extra_fault

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="what root does differently")

GATEWAY = """
import sys, time
from pathlib import Path
from heliograph.settings import DataSettings, Settings
from heliograph.platform.embedded.server import EmbeddedPostgres

server = EmbeddedPostgres(Settings(data=DataSettings(dir=Path(sys.argv[1]))))
server.start()
print("started", flush=True)
time.sleep(600)
"""


@pytest.fixture
def folder(reachable_dir: Path) -> Path:
    made = Path(tempfile.mkdtemp(dir=reachable_dir))
    made.chmod(0o755)
    return made


@pytest.fixture
def data_dir(folder: Path) -> Path:
    return folder / "data"


@pytest.fixture
def closed(folder: Path) -> Path:
    """A folder that nobody else can enter."""
    made = folder / "closed"
    made.mkdir(mode=0o700)
    return made


@pytest.fixture(scope="module")
def running(reachable_dir: Path) -> Iterator[Settings]:
    """A running gateway's database, for tests that only look."""
    server = EmbeddedPostgres(settings_for(reachable_dir / "running"))
    yield server.start()
    server.stop()


@pytest.fixture(scope="module")
def migrated(running: Settings) -> str:
    """The URL by which nodes reach that database, in which are the gateway's tables."""
    migrate_private_database(find_owner_url(settings_for(running.data_dir)))
    return running.database_url


def settings_for(data_dir: Path, home: Path | None = None) -> Settings:
    return Settings(data=DataSettings(dir=data_dir), embedded=EmbeddedSettings(dir=home))


@contextlib.contextmanager
def gateway(data_dir: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that keeps the database of `data_dir`, to be killed."""
    call = [sys.executable, "-c", GATEWAY, str(data_dir)]
    with subprocess.Popen(call, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "started\n"
            yield process
        finally:
            process.kill()


@contextlib.contextmanager
def started(settings: Settings) -> Iterator[Settings]:
    server = EmbeddedPostgres(settings)
    try:
        yield server.start()
    finally:
        server.stop(timeout=60)  # in order, however slow the disk is


def postmaster(data_dir: Path) -> int:
    return int((data_dir / "postgres/data/postmaster.pid").read_text().split()[0])


def await_end(process: int) -> None:
    wait_until(lambda: not is_alive(process))


def fetch(url: str, query: str) -> object:
    async def ask() -> object:
        async with connected(url) as connection:
            return await connection.fetchval(query)

    with asyncio.Runner(loop_factory=asyncio.new_event_loop) as runner:
        return runner.run(ask())


def superuser_url(data_dir: Path) -> str:
    record = find_record(data_dir)
    assert record is not None
    return record.superuser_url()


def keep(data_dir: Path) -> None:
    """A table that must still be there later."""
    owner = find_owner_url(settings_for(data_dir))
    fetch(owner, "CREATE TABLE kept AS SELECT 42 AS answer")


def is_kept(data_dir: Path) -> bool:
    return fetch(find_owner_url(settings_for(data_dir)), "SELECT answer FROM kept") == 42


@for_each(
    "command",
    [
        "CREATE TABLE public.mine (a int)",
        "COPY (SELECT 1) TO PROGRAM 'cat'",
        "SELECT pg_read_file('postgresql.conf')",
        "ALTER ROLE heliograph_node SUPERUSER",
        "SET ROLE heliograph",
        "SET ROLE heliograph_owner",
        "CREATE DATABASE mine",
        "DROP TABLE messages",
        "UPDATE alembic_version SET version_num = ''",
        "DELETE FROM audit_entries",
    ],
)
def test_nodes_have_a_role_that_rules_nothing(migrated: str, command: str) -> None:
    assert fetch(migrated, "SELECT rolsuper FROM pg_roles WHERE rolname = current_user") is False
    assert fetch(migrated, "SELECT count(*) FROM messages") == 0
    fetch(migrated, "UPDATE nodes SET name = ''")
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        fetch(migrated, command)


@for_each(
    "command",
    [
        "COPY (SELECT 1) TO PROGRAM 'cat'",
        "COPY nodes TO '/tmp/nodes'",
        "SELECT pg_read_file('postgresql.conf')",
        "SELECT lo_export(lo_creat(-1), '/tmp/exported')",
        "CREATE EXTENSION dblink",
        "CREATE FUNCTION f() RETURNS int LANGUAGE c AS 'libc', 'getpid'",
        "ALTER SYSTEM SET archive_command = 'touch /tmp/archived'",
        "ALTER ROLE heliograph_owner SUPERUSER",
        "SET ROLE heliograph",
        "CREATE ROLE mine SUPERUSER",
    ],
)
def test_who_migrates_and_restores_can_do_nothing_outside_of_the_database(
    migrated: str, running: Settings, command: str
) -> None:
    owner = find_owner_url(settings_for(running.data_dir))
    assert fetch(owner, "SELECT rolsuper FROM pg_roles WHERE rolname = current_user") is False
    with pytest.raises((asyncpg.InsufficientPrivilegeError, asyncpg.FeatureNotSupportedError)):
        fetch(owner, command)


def list_owners(url: str) -> object:
    return fetch(
        url,
        """
        SELECT array_agg(DISTINCT pg_get_userbyid(owner)) FROM (
            SELECT relowner, relnamespace FROM pg_class
            UNION ALL SELECT proowner, pronamespace FROM pg_proc
            UNION ALL SELECT nspowner, oid FROM pg_namespace WHERE nspname <> 'public'
        ) AS made (owner, namespace) JOIN pg_namespace AS n ON n.oid = namespace
        WHERE nspname NOT LIKE 'pg\\_%' AND nspname <> 'information_schema'
        """,
    )


def test_what_is_in_the_database_is_the_owners_and_the_nodes(
    migrated: str, running: Settings
) -> None:
    assert list_owners(superuser_url(running.data_dir)) == ["heliograph_node", "heliograph_owner"]


def test_a_command_beside_the_gateway_finds_its_database(running: Settings) -> None:
    beside = resolve_settings(settings_for(running.data_dir))

    assert beside.database_url == running.database_url
    assert beside.secret.keys == running.secret.keys
    assert beside.allow_private is AllowPrivate.LOOPBACK
    assert str(fetch(beside.database_url, "SHOW server_version")).startswith("18")


def test_it_is_durable_and_has_no_tcp_port(running: Settings) -> None:
    assert fetch(running.database_url, "SHOW synchronous_commit") == "on"
    assert fetch(running.database_url, "SHOW fsync") == "on"
    assert fetch(running.database_url, "SHOW listen_addresses") == ""


def test_nobody_is_trusted(running: Settings) -> None:
    socket = running.database_url.partition("host=")[2]
    for credentials in ("heliograph", "heliograph:guess", "heliograph_owner", "heliograph_node:x"):
        with pytest.raises(asyncpg.InvalidPasswordError):
            fetch(f"postgresql://{credentials}@/heliograph?host={socket}", "SELECT 1")
    methods = fetch(
        superuser_url(running.data_dir),
        "SELECT array_agg(DISTINCT auth_method) FROM pg_hba_file_rules",
    )
    assert set(methods) == {"scram-sha-256", "reject"}  # type: ignore[call-overload]  # a text[]


def test_the_password_is_hashed_in_as_many_rounds_as_clients_ask_for(running: Settings) -> None:
    hashed = fetch(
        superuser_url(running.data_dir),
        "SELECT rolpassword FROM pg_authid WHERE rolname = current_user",
    )
    assert str(hashed).startswith("SCRAM-SHA-256$1000:")


def test_what_it_writes_is_private(running: Settings) -> None:
    folder = running.data_dir
    assert stat.S_IMODE(folder.stat().st_mode) & 0o007 == 0
    passwords = ("postgres.json", "postgres-owner.password", "postgres-node.password")
    for name in ("secret.key", "gateway.lock", *passwords):
        assert stat.S_IMODE((folder / name).stat().st_mode) == 0o600, name
    for name in ("postgres", "postgres/data", "postgres/socket"):
        assert stat.S_IMODE((folder / name).stat().st_mode) == 0o700, name


def test_a_second_gateway_is_refused_and_told_who_has_it(data_dir: Path) -> None:
    with gateway(data_dir) as first:
        with pytest.raises(DataDirError, match=rf"process {first.pid}\b"):
            EmbeddedPostgres(settings_for(data_dir)).start()

        assert is_alive(postmaster(data_dir))


def test_without_a_gateway_a_command_says_so(data_dir: Path) -> None:
    with pytest.raises(EmbeddedPostgresError, match="No gateway is running"):
        connect_url(data_dir)


def test_a_command_tells_a_database_that_is_down_from_a_gateway_that_is(data_dir: Path) -> None:
    with gateway(data_dir):
        process = postmaster(data_dir)
        os.kill(process, signal.SIGINT)
        await_end(process)

        with pytest.raises(EmbeddedPostgresError, match="is running, but its private PostgreSQL"):
            connect_url(data_dir)


def test_a_stop_leaves_nothing_and_a_start_needs_no_recovery(data_dir: Path) -> None:
    with started(settings_for(data_dir)):
        process = postmaster(data_dir)
        keep(data_dir)

    assert not is_alive(process)
    assert not (data_dir / "postgres/data/postmaster.pid").exists()
    with pytest.raises(EmbeddedPostgresError):
        connect_url(data_dir)
    with started(settings_for(data_dir)):
        assert is_kept(data_dir)
    assert "not properly shut down" not in (data_dir / "postgres/postgres.log").read_text()


def test_killing_the_gateway_stops_the_server_and_the_next_start_works(data_dir: Path) -> None:
    with gateway(data_dir) as first:
        process = postmaster(data_dir)
        keep(data_dir)
        first.kill()
        first.wait()

        with started(settings_for(data_dir)):
            assert not is_alive(process)
            assert postmaster(data_dir) != process
            assert is_kept(data_dir)


def test_killing_everything_leaves_a_stale_pid_file_that_does_no_harm(data_dir: Path) -> None:
    with gateway(data_dir) as first:
        keep(data_dir)
        os.kill(first.pid, signal.SIGSTOP)  # so that it starts no other
        process = postmaster(data_dir)
        os.kill(process, signal.SIGKILL)
        first.kill()
        first.wait()
        await_end(process)
        assert (data_dir / "postgres/data/postmaster.pid").exists()

        with started(settings_for(data_dir)):
            assert is_kept(data_dir)


def test_a_stranger_with_the_stale_pid_is_left_alone(data_dir: Path) -> None:
    with started(settings_for(data_dir)):
        content = (data_dir / "postgres/data/postmaster.pid").read_text()
    with subprocess.Popen(["/bin/sleep", "60"]) as stranger:
        lines = [str(stranger.pid), *content.splitlines()[1:]]
        (data_dir / "postgres/data/postmaster.pid").write_text("\n".join(lines) + "\n")

        with started(settings_for(data_dir)):
            assert postmaster(data_dir) != stranger.pid
            assert stranger.poll() is None
        stranger.kill()


def test_a_start_that_was_cut_short_is_finished_by_the_next(data_dir: Path) -> None:
    with started(settings_for(data_dir)):
        pass
    (data_dir / "postgres/data").rename(data_dir / "postgres/data.new")

    with started(settings_for(data_dir)) as settings:
        assert fetch(settings.database_url, "SELECT 1") == 1


def test_a_lost_password_is_not_taken_for_an_empty_directory(data_dir: Path) -> None:
    with started(settings_for(data_dir)):
        pass
    (data_dir / "postgres.json").unlink()

    with pytest.raises(EmbeddedPostgresError, match=r"postgres\.json"):
        EmbeddedPostgres(settings_for(data_dir)).start()


@pytest.mark.parametrize("name", ["long" * 30, "one,two"])
def test_a_path_that_can_hold_no_socket_works(folder: Path, name: str) -> None:
    data_dir = folder / name
    with started(settings_for(data_dir)) as settings:
        socket = Path(settings.database_url.partition("host=")[2])
        assert stat.S_IMODE(socket.stat().st_mode) == 0o700
        assert fetch(connect_url(data_dir), "SELECT 1") == 1

    assert not socket.exists()


def test_a_path_with_odd_characters_works(folder: Path) -> None:
    data_dir = folder / "a b%20c#d?e=ü'$HOME\""
    with started(settings_for(data_dir)):
        assert fetch(connect_url(data_dir), "SELECT 1") == 1


@as_root
def test_root_runs_it_as_somebody_else(running: Settings) -> None:
    process = postmaster(running.data_dir)
    assert Path(f"/proc/{process}").stat().st_uid != 0


@pytest.mark.parametrize("link", ["socket", "postgres.log", "gateway.lock"])
def test_a_link_leads_to_nothing_of_others(folder: Path, link: str, data_dir: Path) -> None:
    """The user that runs the server owns the folder; root must not do there what it wants."""
    settings = settings_for(data_dir, home=folder / "outside")
    (folder / "outside").mkdir(mode=0o755)
    with started(settings):
        pass
    [home] = (folder / "outside").iterdir()
    others = folder / "others"
    others.mkdir(mode=0o755)
    target = others if link == "socket" else others / "file"
    if target != others:
        target.write_text("theirs", encoding="utf-8")
    before = others.stat()
    there = home / link
    there.rename(home / "aside")
    there.symlink_to(target)
    with pytest.raises((ServerUserError, DataDirError), match=rf"{link} is (not a|a symbolic)"):
        EmbeddedPostgres(settings).start()
    assert (others.stat().st_uid, others.stat().st_mode) == (before.st_uid, before.st_mode)
    assert all(file.read_text(encoding="utf-8") == "theirs" for file in others.iterdir())
    there.unlink()
    with started(settings):
        pass


@as_root
def test_root_changes_no_folder_that_was_there(folder: Path) -> None:
    parent = folder / "parent"
    parent.mkdir(mode=0o700)
    existing = parent / "data"
    existing.mkdir(mode=0o700)
    watched = (folder, parent, existing)
    before = [(path.stat().st_mode, path.stat().st_uid, path.stat().st_gid) for path in watched]

    with started(settings_for(existing, folder / "homes")) as settings:
        assert fetch(settings.database_url, "SELECT 1") == 1

    after = [(path.stat().st_mode, path.stat().st_uid, path.stat().st_gid) for path in watched]
    assert after == before
    (home,) = (folder / "homes").iterdir()
    assert (home / "data/PG_VERSION").exists()


@as_root
def test_a_data_directory_made_anew_does_not_meet_its_predecessor(
    folder: Path, closed: Path
) -> None:
    for _ in range(2):
        with started(settings_for(closed / "data", folder / "homes")):
            keep(closed / "data")
        subprocess.run(["rm", "-r", str(closed / "data")], check=True)

    assert len(list((folder / "homes").iterdir())) == 2


@as_root
def test_a_place_nobody_can_reach_is_a_clear_error(closed: Path) -> None:
    with pytest.raises(EmbeddedPostgresError, match="HELIOGRAPH_EMBEDDED_DIR"):
        EmbeddedPostgres(settings_for(closed / "data", closed / "homes")).start()


@as_root
def test_programs_out_of_reach_are_copied_once(
    folder: Path, closed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    user = find_server_user(None, None)
    packages = find_binaries().parents[2]
    for name in (PACKAGE, f"{PACKAGE}.libs"):
        subprocess.run(["cp", "-r", str(packages / name), str(closed)], check=True)
    monkeypatch.syspath_prepend(str(closed))
    home = folder / "home"
    user.make_folder(home)

    binaries = provide_binaries(user, home)

    assert binaries.is_relative_to(home)
    assert provide_binaries(user, home) == binaries
    version = subprocess.run(
        [str(binaries / "initdb"), "--version"],
        check=True,
        capture_output=True,
        text=True,
        **user.credentials,
    ).stdout
    assert "18" in version


@as_root
def test_a_user_that_does_not_exist_is_a_clear_error() -> None:
    with pytest.raises(ServerUserError, match="HELIOGRAPH_EMBEDDED_USER"):
        find_server_user("nobody-of-that-name", None)
