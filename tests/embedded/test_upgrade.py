"""A private database of an earlier PostgreSQL, made by its own programs, and its upgrade."""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

from acceptance.hook_receiver import receiving_hooks
from heliograph.platform.crypto import generate_secret_key
from heliograph.platform.embedded import server
from heliograph.platform.embedded.programs import (
    MAJOR,
    find_former_binaries,
    provide_former_binaries,
)
from heliograph.platform.embedded.server import EmbeddedPostgres, find_home
from heliograph.platform.embedded.server_user import ServerUserError
from heliograph.settings import DataSettings, Settings
from installation import PATIENCE, Accepted, Installation
from matrix.postgresql import copy_programs

pytestmark = pytest.mark.timeout(900)  # gateways start

FORMER = 16
NO_BUILTIN_LOCALE = ("--locale=C.UTF-8", "--encoding=UTF8")  # it came with 17
OPTIONS = [option for option in server._INITDB_OPTIONS if "locale" not in option]


@pytest.fixture(scope="module")
def former_programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copy_programs(str(FORMER), tmp_path_factory.mktemp("former"))


@pytest.fixture(autouse=True)
def former_programs_on_the_path(former_programs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(former_programs), prepend=os.pathsep)


@contextmanager
def former_server(data_dir: Path) -> Iterator[Settings]:
    """A private PostgreSQL as a release with another version would have it."""
    settings = Settings(data=DataSettings(dir=data_dir))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(server, "provide_binaries", partial(provide_former_binaries, major=FORMER))
        patch.setattr(server, "MAJOR", FORMER)
        patch.setattr(server, "_INITDB_OPTIONS", (*OPTIONS, *NO_BUILTIN_LOCALE))
        embedded = EmbeddedPostgres(settings)
        node_settings = embedded.start()
        try:
            yield node_settings.with_database(embedded.owner_url, node_settings.secret.keys)
        finally:
            embedded.stop()


def home_of(data_dir: Path) -> Path:
    home = find_home(data_dir)
    assert home is not None
    return home


def version_of(cluster: Path) -> int:
    return int((cluster / "PG_VERSION").read_text())


def beside(installation: Installation, settings: Settings) -> Installation:
    """The programs of this release, on the installation's former server."""
    return Installation(
        installation.data_dir,
        database_url=settings.database_url,
        secret_keys=settings.secret.keys[0].get_secret_value(),
        webhook_allow_private="loopback",
    )


def migrated(reachable_dir: Path, name: str) -> Installation:
    """An installation whose former server has stopped, with this release's tables in it."""
    installation = Installation(reachable_dir / name)
    with former_server(installation.data_dir) as settings:
        beside(installation, settings).must("migrate")
    return installation


@pytest.mark.extra_fault
def test_what_was_accepted_before_the_upgrade_is_sent_and_posted_after_it(
    reachable_dir: Path,
) -> None:
    installation = Installation(reachable_dir / "former")
    demo = installation.data_dir / "demo.json"
    with receiving_hooks() as receiver:
        with (
            former_server(installation.data_dir) as settings,
            beside(installation, settings).serving(demo, signal.SIGKILL) as client,
        ):
            client.post(
                "/api/v1/webhooks/subscriptions",
                json={"url": receiver.url, "events": ["message.*"]},
            ).raise_for_status()
            with Accepted(client, demo) as accepted:
                pass
        home = home_of(installation.data_dir)

        for asked in ("serve", "doctor"):
            printed = installation.refuse(asked)
            assert "database upgrade" in " ".join(printed.split())
        installation.must("database", "upgrade")
        assert version_of(home / "data") == MAJOR
        assert version_of(home / f"data-{FORMER}") == FORMER
        assert "has this release's version" in installation.run("database", "upgrade")[1]

        with installation.serving(demo) as client:
            for message_id in accepted.ids:
                receiver.wait_for(message_id, "message.read", seconds=PATIENCE)
                assert client.get(f"/api/v1/messages/{message_id}").json()["status"] == "read"


@pytest.mark.extra_fault
def test_an_upgrade_that_is_killed_leaves_the_former_database_or_its_successor(
    reachable_dir: Path,
) -> None:
    installation = migrated(reachable_dir, "killed")
    home = home_of(installation.data_dir)
    for pause in (0.5, 1.5, 3.0):
        process = installation.call("database", "upgrade")
        while not (home / "data.unfinished" / "PG_VERSION").exists():
            assert process.poll() is None, installation.printed.read_text()
            time.sleep(0.01)
        time.sleep(pause)
        process.kill()
        process.wait()
        if version_of(home / "data") != FORMER:
            break
        assert not (home / "data.new").exists(), "a start would take what is not whole"
    else:
        installation.must("database", "upgrade")
    assert version_of(home / "data") == MAJOR
    assert not (home / "data.unfinished").exists()


@pytest.mark.extra_fault
@pytest.mark.parametrize("command", ["backup", "upgrade"])
def test_between_the_two_names_the_next_start_takes_the_successor(
    reachable_dir: Path, command: str
) -> None:
    installation = migrated(reachable_dir, f"between-{command}")
    installation.must("database", "upgrade")
    home = home_of(installation.data_dir)
    (home / "data").rename(home / "data.new")  # as it was before the second change

    if command == "backup":
        installation.must("backup", "--without-keys", reachable_dir / "after.tar")
    else:
        installation.must("database", "upgrade")

    assert version_of(home / "data") == MAJOR


@pytest.mark.extra_fault
def test_an_upgrade_that_finds_no_database_says_so(reachable_dir: Path) -> None:
    installation = migrated(reachable_dir, "none")
    home = home_of(installation.data_dir)
    (home / "data").rename(home / "elsewhere")

    printed = installation.refuse("database", "upgrade")
    assert "files in" in printed
    assert "are missing" in printed
    assert "are missing" in installation.run("doctor")[1]


def test_without_the_former_programs_it_is_said_where_they_may_be(former_programs: Path) -> None:
    assert find_former_binaries(FORMER) == former_programs
    with pytest.raises(ServerUserError) as refused:
        find_former_binaries(11)
    assert "postgresql-11" in str(refused.value.remedy)
    assert "PATH" in str(refused.value.remedy)


def test_a_postgresql_of_ones_own_is_not_upgraded(tmp_path: Path) -> None:
    url, keys = "postgresql://localhost/heliograph", generate_secret_key()
    installation = Installation(tmp_path / "own", database_url=url, secret_keys=keys)
    printed = installation.refuse("database", "upgrade")
    assert "a PostgreSQL of your own" in printed
