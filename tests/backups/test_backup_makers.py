"""Whose archive it is, what one of somebody else's can do, and who can read it."""

import re
import secrets
import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import pyrage
import pytest

from citus import fetch
from databases import fresh_database, run
from heliograph.core.backups.model import DUMP, MANIFEST
from heliograph.core.backups.signatures import sign
from heliograph.platform.crypto import generate_secret_key, parse_secret_keys
from heliograph.platform.embedded.server import EmbeddedPostgres
from heliograph.platform.files.archive import (
    SIGNATURES,
    SUMS,
    ArchiveWriter,
    read_members,
)
from heliograph.settings import DataSettings, Settings
from installation import Installation

pytestmark = [
    pytest.mark.extra_fault,
    pytest.mark.timeout(600),  # several gateways start
]

REPLACED = b"COPY public.alembic_version (version_num) FROM stdin;\n"
"""What a dump says to psql before the rows of a table."""


class Made(NamedTuple):
    archive: Path
    key: str


@pytest.fixture(scope="module")
def made(reachable_dir: Path) -> Made:
    """A backup of a gateway that has ended, and its installation's own key."""
    folder = reachable_dir / "makers"
    folder.mkdir(mode=0o755)
    source = Installation(folder / "source")
    with source.serving(source.data_dir / "demo.json"):
        pass
    archive = folder / "backup.tar"
    source.must("backup", archive)
    return Made(archive, (source.data_dir / "secret.key").read_text().strip())


def forge(source: Path, target: Path, dump: bytes, key: str | None) -> Path:
    """The archive with another dump, signed with a key."""
    with ArchiveWriter(target) as archive:
        for name, _, content in read_members(source):
            if name not in (SUMS, SIGNATURES):
                archive.add(name, dump if name == DUMP else content.read())
        keys = parse_secret_keys([key]) if key else ()
        archive.finish(lambda digest: sign(keys, digest), lambda _: None)
    return target


def read(archive: Path, wanted: str) -> bytes:
    return next(content.read() for name, _, content in read_members(archive) if name == wanted)


def test_an_installations_own_archive_is_known(made: Made, reachable_dir: Path) -> None:
    target = Installation(
        reachable_dir / "makers" / "own", secret_keys=f"{generate_secret_key()},{made.key}"
    )

    target.must("restore", made.archive)


def test_beside_its_data_directory_an_archive_is_restored_into_another(
    made: Made, reachable_dir: Path
) -> None:
    source = Installation(made.archive.parent / "source")

    source.must("restore", made.archive, "--into", reachable_dir / "makers" / "beside")


@pytest.mark.parametrize("key", ["another", "none"])
def test_an_archive_of_somebody_else_is_refused_unless_one_says_so(
    made: Made, tmp_path: Path, key: str
) -> None:
    keys = {"another": generate_secret_key(), "none": None}
    archive = forge(made.archive, tmp_path / "forged.tar", read(made.archive, DUMP), keys[key])
    target = Installation(tmp_path / "target", secret_keys=made.key)

    printed = target.refuse("restore", archive)
    assert "It is not known who made this archive" in printed
    assert "--from-elsewhere" in printed
    assert not target.data_dir.exists()


def test_a_signature_does_not_fit_other_contents(made: Made, tmp_path: Path) -> None:
    archive = tmp_path / "changed.tar"
    with ArchiveWriter(archive) as writer:
        for name, _, content in read_members(made.archive):
            data = content.read()
            if name not in (SUMS, SIGNATURES):
                writer.add(
                    name, data.replace(b'"gateway"', b'"gateway" ') if name == MANIFEST else data
                )
        writer.finish(lambda _: read(made.archive, SIGNATURES), lambda _: None)
    target = Installation(tmp_path / "target", secret_keys=made.key)

    printed = target.refuse("restore", archive)
    assert "It is not known who made this archive" in printed


COMMANDS = {
    "a program of the server": "COPY (SELECT 1) TO PROGRAM 'touch {0}';",
    "a program of whoever restores": "\n\\! touch {0}\n",
    "a file of the server": "COPY (SELECT 1) TO '{0}';",
    "a large object": "SELECT lo_export(lo_creat(-1),'{0}');",
    "after another role": "RESET ROLE;COPY(SELECT 1)TO '{0}';",
}


def infect(made: Made, target: Path, command: str, written: Path) -> Path:
    """The archive with a command in its dump, signed by its maker all the same."""
    code = command.format(written).encode()
    assert len(code) < len(REPLACED)
    dump = read(made.archive, DUMP)
    assert dump.count(REPLACED) == 1
    return forge(made.archive, target, dump.replace(REPLACED, code.ljust(len(REPLACED))), made.key)


@pytest.fixture
def written() -> Path:
    """A file that the server could write, by a name that fits into the dump's fixed lengths."""
    path = Path("/tmp/hg-pwned")
    path.unlink(missing_ok=True)
    return path


@pytest.mark.parametrize("command", COMMANDS)
def test_what_a_dump_contains_does_nothing_outside_of_the_database(
    made: Made, reachable_dir: Path, tmp_path: Path, written: Path, command: str
) -> None:
    archive = infect(made, tmp_path / "infected.tar", COMMANDS[command], written)
    target = Installation(
        reachable_dir / "makers" / command.replace(" ", "-"), secret_keys=made.key
    )

    printed = target.refuse("restore", archive)
    assert "psql has failed" in printed
    assert not written.exists()


def test_nor_does_it_where_the_url_names_a_superuser(
    made: Made, postgres_url: str, tmp_path: Path, written: Path
) -> None:
    archive = infect(made, tmp_path / "infected.tar", COMMANDS["a program of the server"], written)
    with fresh_database(postgres_url) as url:
        target = Installation(tmp_path / "own", database_url=url, secret_keys=made.key)

        printed = target.refuse("restore", archive)
        assert "permission denied to COPY" in printed
        assert not written.exists()
        target.must("restore", made.archive)
        assert run(fetch(url, LIST_LEFT)) == []


def test_a_superuser_takes_nothing_from_elsewhere(
    made: Made, postgres_url: str, tmp_path: Path
) -> None:
    with fresh_database(postgres_url) as url:
        target = Installation(tmp_path / "own", database_url=url, secret_keys=made.key)

        printed = target.refuse("restore", "--from-elsewhere", made.archive)
        assert "names a superuser of its server" in printed


@pytest.mark.parametrize("command", ["PASSWORD 'evil'", "SET search_path = 'evil'"])
def test_a_dump_does_not_change_the_role_that_owns_the_tables(
    made: Made, reachable_dir: Path, tmp_path: Path, command: str
) -> None:
    dump = read(made.archive, DUMP)
    index = re.findall(rb"CREATE INDEX [^;]{60,};", dump)[0]
    order = f"ALTER ROLE CURRENT_USER {command};".encode().ljust(len(index))
    archive = forge(made.archive, tmp_path / "a.tar", dump.replace(index, order), made.key)
    target = Installation(reachable_dir / "makers" / f"role-{command[:3]}", secret_keys=made.key)

    target.must("restore", archive)
    server = EmbeddedPostgres(Settings(data=DataSettings(dir=target.data_dir)))
    try:
        server.start()
        settings = run(fetch(server.owner_url, "SELECT setconfig FROM pg_db_role_setting"))
        owners = "SELECT DISTINCT tableowner FROM pg_tables WHERE schemaname = 'public'"
        assert [row[0] for row in run(fetch(server.owner_url, owners))] == ["heliograph_owner"]
        made_for_it = "SELECT rolname FROM pg_roles WHERE rolname ~ 'heliograph_restore'"
        assert [*settings, *run(fetch(server.owner_url, made_for_it))] == []
    finally:
        server.stop()


def test_settings_of_the_private_servers_roles_do_not_outlast_a_start(reachable_dir: Path) -> None:
    server = EmbeddedPostgres(Settings(data=DataSettings(dir=reachable_dir / "settings")))
    try:
        server.start()
        for where in ("", "IN DATABASE heliograph"):
            change = f"ALTER ROLE CURRENT_USER {where} SET search_path = 'evil'"
            run(fetch(server.owner_url, change))
        server.stop()
        server.start()
        assert run(fetch(server.owner_url, "SELECT 1 FROM pg_db_role_setting")) == []
    finally:
        server.stop()


def test_what_a_superuser_restores_belongs_to_the_owner_of_the_database(
    made: Made, postgres_url: str, tmp_path: Path
) -> None:
    owner = f"owner_{secrets.token_hex(4)}"
    with fresh_database(postgres_url) as url:
        run(fetch(url, f"CREATE ROLE {owner}"))
        run(fetch(url, f"ALTER DATABASE {urlsplit(url).path[1:]} OWNER TO {owner}"))
        target = Installation(tmp_path / "own", database_url=url, secret_keys=made.key)

        target.must("restore", made.archive)
        assert {row[0] for row in run(fetch(url, LIST_OWNERS))} == {owner}
        run(fetch(url, f"ALTER DATABASE {urlsplit(url).path[1:]} OWNER TO CURRENT_USER"))
        run(fetch(url, f"DROP OWNED BY {owner} CASCADE"))
    run(fetch(postgres_url, f"DROP ROLE {owner}"))


LIST_LEFT = """
SELECT rolname FROM pg_roles, pg_database
WHERE datname = current_database() AND rolname ~ ('^heliograph_restore.*' || pg_database.oid)
"""
"""Of this database: others may be being restored on the same server."""
LIST_OWNERS = """
SELECT relowner::regrole::text FROM pg_class WHERE relnamespace = 'public'::regnamespace
UNION SELECT proowner::regrole::text FROM pg_proc WHERE pronamespace = 'public'::regnamespace
"""


# --- encrypted archives ------------------------------------------------------------------------


def write_identity(folder: Path) -> tuple[Path, str]:
    identity = pyrage.x25519.Identity.generate()
    file = folder / "key.txt"
    file.write_text(f"# created by a test\n# public key: …\n{identity}\n")
    return file, str(identity.to_public())


def test_an_encrypted_archive_is_restored_with_its_private_key(
    made: Made, reachable_dir: Path, tmp_path: Path
) -> None:
    identity, recipient = write_identity(tmp_path)
    source, folder = Installation(made.archive.parent / "source"), tmp_path / "backups"
    folder.mkdir()
    source.must("backup", "--encrypt-to", recipient, f"{folder}/")
    [archive] = folder.iterdir()
    assert archive.name.endswith(".tar.age")
    assert archive.stat().st_mode & 0o777 == 0o600
    assert made.key.encode() not in archive.read_bytes()
    target = Installation(reachable_dir / "makers" / "decrypted")

    printed = target.refuse("restore", "--from-elsewhere", archive)
    assert "is encrypted with age" in printed
    other, _ = write_identity(folder)
    printed = target.refuse("restore", "--from-elsewhere", archive, "--identity", other)
    assert "can't be decrypted" in printed
    target.must("restore", "--from-elsewhere", archive, "--identity", identity)


def test_an_ssh_key_encrypts_too(made: Made, reachable_dir: Path, tmp_path: Path) -> None:
    generator = shutil.which("ssh-keygen")
    if generator is None:
        pytest.skip("ssh-keygen is not on this machine")
    key = tmp_path / "id_ed25519"
    subprocess.run([generator, "-q", "-t", "ed25519", "-N", "", "-f", key], check=True)
    source = Installation(made.archive.parent / "source")
    archive = tmp_path / "backup.tar.age"
    recipient = key.with_suffix(".pub").read_text().strip()
    source.must("backup", "--encrypt-to", recipient, archive)

    Installation(reachable_dir / "makers" / "ssh").must(
        "restore", "--from-elsewhere", archive, "--identity", key
    )


@pytest.mark.parametrize("key", ["age1nonsense", "", "ssh-rsa AAAA"])
def test_what_is_no_public_key_is_refused_before_anything_is_written(
    made: Made, tmp_path: Path, key: str
) -> None:
    source = Installation(made.archive.parent / "source")

    printed = source.refuse("backup", "--encrypt-to", key, tmp_path / "unmade.tar")
    assert "is not a public key" in printed
    assert not list(tmp_path.iterdir())
