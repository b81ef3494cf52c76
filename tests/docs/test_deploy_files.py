"""What lies in `deploy/` fits the program: its commands, options and settings exist and are read.

Compose and Docker are not run here; what is said in the files is looked at by itself. tests/image
runs the image and the Compose files.
"""

import json
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]  # comes without types, and one call of it is needed

from debian_programs import need_program
from deployed import parse, read_settings
from each_case import for_each
from heliograph.errors import ConfigurationError
from heliograph.platform.crypto import generate_secret_key
from heliograph.platform.database.failover import list_hosts
from heliograph.settings import Role, list_variables, load_settings
from repository import ROOT

DEPLOY = ROOT / "deploy"
FILES = sorted(path for path in DEPLOY.rglob("*") if path.is_file())
SYSTEMD, COMPOSE = DEPLOY / "systemd", DEPLOY / "compose"
PROGRAM = "/srv/heliograph/.venv/bin/heliograph"
KEY = generate_secret_key()


def name_of(file: Path) -> str:
    return str(file.relative_to(DEPLOY))


def read_compose(file: str = "compose.yaml") -> dict[str, Any]:
    return dict(yaml.safe_load((COMPOSE / file).read_text()))


def starts_in(unit: str) -> list[list[str]]:
    """The calls in a unit's ExecStart lines, without the program's name."""
    lines = re.findall(r"^ExecStart=(.+)$", (SYSTEMD / unit).read_text(), re.MULTILINE)
    calls = [shlex.split(line) for line in lines]
    assert {call[0] for call in calls} == {PROGRAM}
    return [call[1:] for call in calls]


def variables_in(text: str) -> Iterator[tuple[str, str]]:
    yield from re.findall(r"^(?:Environment=)?(HELIOGRAPH_\w+)=(.*)$", text, re.MULTILINE)


@for_each("file", [*FILES, ROOT / ".dockerignore"], ids=lambda file: file.name)
def test_only_settings_that_exist_are_named(file: Path) -> None:
    named = set(re.findall(r"\bHELIOGRAPH_[A-Z_]+\b", file.read_text()))
    assert named <= {variable.name for variable in list_variables()}


def test_what_could_not_be_run_is_marked() -> None:
    assert "NOT RUN" in (COMPOSE / "compose.yaml").read_text()
    assert "NOT BUILT" in (COMPOSE / "Dockerfile").read_text()


# --- systemd -----------------------------------------------------------------------------------


def test_the_service_starts_nodes_with_every_role(monkeypatch: pytest.MonkeyPatch) -> None:
    [call] = starts_in("heliograph.service")
    assert call[0] == "serve"
    options = parse(call)
    variables = dict(variables_in((SYSTEMD / "heliograph.service").read_text()))
    settings = read_settings(monkeypatch, variables, nodes=options["nodes"], roles=options["roles"])
    assert settings.server.nodes == 2
    assert settings.server.roles == set(Role)
    assert settings.is_embedded


def test_the_drop_in_restricts_the_machine_to_one_role() -> None:
    [call] = starts_in("deliveries-only.conf")
    options = parse(call)
    assert load_settings(roles=options["roles"]).server.roles == {Role.DELIVERIES}


def test_the_environment_of_a_machine_can_be_used_with_a_key_of_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    variables = dict(variables_in((SYSTEMD / "heliograph.env").read_text()))
    with pytest.raises(ConfigurationError, match="HELIOGRAPH_SECRET_KEYS must be set"):
        read_settings(monkeypatch, variables)
    settings = read_settings(monkeypatch, variables | {"HELIOGRAPH_SECRET_KEYS": KEY})
    assert len(list_hosts(settings.database_url)) > 1
    assert settings.rate_limit.url is not None
    assert settings.public_url == "https://gateway.example.com"


@pytest.mark.parametrize("drop_in", [None, "deliveries-only.conf"])
def test_systemd_finds_nothing_wrong(tmp_path: Path, drop_in: str | None) -> None:
    assert verify(tmp_path, lambda text: text, drop_in) == ""


def test_systemd_finds_what_is_wrong(tmp_path: Path) -> None:
    assert "KillModus" in verify(tmp_path, lambda text: text.replace("KillMode", "KillModus"))


def test_what_the_service_may_do_is_little(tmp_path: Path) -> None:
    assert judge(tmp_path, lambda text: text) == 0


def test_a_service_that_may_do_all_is_noticed(tmp_path: Path) -> None:
    settings = r"^(Protect|Restrict|SystemCall|Capability|Private)\w+=.*$"
    assert judge(tmp_path, lambda text: re.sub(settings, "", text, flags=re.MULTILINE)) != 0


def judge(folder: Path, change: Any) -> int:
    """What `systemd-analyze security` returns: not 0 for an exposure above 2.5 of 10."""
    need_program("systemd-analyze", "systemd")
    unit = folder / "heliograph.service"
    unit.write_text(change((SYSTEMD / unit.name).read_text()).replace(PROGRAM, "/bin/true"))
    command = ["systemd-analyze", "security", "--offline=true", "--threshold=25", "--no-pager"]
    return subprocess.run([*command, str(unit)], check=False, capture_output=True).returncode


def verify(folder: Path, change: Any, drop_in: str | None = None) -> str:
    """What `systemd-analyze verify` has to say. The program has to exist, so another stands in."""
    need_program("systemd-analyze", "systemd")

    def write(name: str, target: Path) -> None:
        target.parent.mkdir(exist_ok=True)
        target.write_text(change((SYSTEMD / name).read_text()).replace(PROGRAM, "/bin/true"))

    write("heliograph.service", folder / "heliograph.service")
    if drop_in is not None:
        write(drop_in, folder / "heliograph.service.d" / drop_in)
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", str(folder / "heliograph.service")],
        check=False,
        capture_output=True,
        text=True,
    )
    return done.stdout + done.stderr


# --- Compose and Docker ------------------------------------------------------------------------


def test_the_two_nodes_share_everything_and_have_ports_of_their_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    services = read_compose()["services"]
    assert set(services) == {"postgres", "redis", "migration", "node-1", "node-2"}
    nodes = [services["node-1"], services["node-2"]]
    assert nodes[0]["environment"] == nodes[1]["environment"]
    assert nodes[0]["ports"] != nodes[1]["ports"]
    secrets = {
        "${NODE_PASSWORD:?}": "0123456789abcdef",
        "${REDIS_PASSWORD:?}": "0123456789abcdef",
        "${SECRET_KEYS:?}": KEY,
    }
    variables = {
        name: re.sub(r"\$\{\w+:[^}]*\}", lambda match: secrets.get(match[0], "http://x"), value)
        for name, value in nodes[0]["environment"].items()
    }
    settings = read_settings(monkeypatch, variables)
    assert not settings.is_embedded
    assert settings.rate_limit.url is not None
    assert settings.server.roles == set(Role)


def test_what_compose_names_exists() -> None:
    compose = read_compose()
    for service in compose["services"].values():
        mounted = [volume.partition(":")[0] for volume in service.get("volumes", ())]
        files = [name for name in mounted if "/" in name]
        assert set(mounted) - set(files) <= set(compose["volumes"])
        assert all((COMPOSE / file).is_file() for file in files)
        assert set(service.get("depends_on", ())) <= set(compose["services"])
        if build := service.get("build"):
            context = (COMPOSE / build["context"]).resolve()
            assert context == ROOT
            assert (context / build["dockerfile"]).is_file()


@pytest.mark.parametrize("file", ["compose.yaml", "s3.yaml"])
def test_every_container_has_limits(file: str) -> None:
    made = {name: each for name, each in read_compose(file)["services"].items() if "image" in each}
    assert made
    for name, service in made.items():
        assert service["mem_limit"], name
        assert service["pids_limit"], name


def test_nobody_but_the_migration_gets_the_owners_password() -> None:
    for name, service in read_compose()["services"].items():
        values = str(service.get("environment", ""))
        assert ("OWNER_PASSWORD" in values) is (name in ("postgres", "migration")), name
        assert ("{POSTGRES_PASSWORD" in values) is (name == "postgres"), name


def test_the_hosts_in_the_settings_are_services() -> None:
    services = read_compose()["services"]
    for name in ("HELIOGRAPH_DATABASE_URL", "HELIOGRAPH_RATE_LIMIT_URL"):
        url = services["node-1"]["environment"][name]
        [host] = re.findall(r"(?:@|//)([a-z-]+):\d+", url.partition("?}")[2] or url)
        assert host in services


def test_with_s3_both_nodes_store_objects_where_the_storage_is() -> None:
    services = read_compose("s3.yaml")["services"]
    assert services["node-1"] == services["node-2"]
    settings, storage = services["node-1"]["environment"], services["s3"]["environment"]
    assert settings["HELIOGRAPH_OBJECTS_URL"] == f"s3://{storage['GARAGE_DEFAULT_BUCKET']}"
    assert settings["AWS_ACCESS_KEY_ID"] == storage["GARAGE_DEFAULT_ACCESS_KEY"]
    assert settings["AWS_SECRET_ACCESS_KEY"] == storage["GARAGE_DEFAULT_SECRET_KEY"]
    garage = tomllib.loads((COMPOSE / "garage.toml").read_text())
    assert settings["AWS_REGION"] == garage["s3_api"]["s3_region"]
    port = garage["s3_api"]["api_bind_addr"].rpartition(":")[2]
    assert settings["AWS_ENDPOINT_URL"] == f"http://s3:{port}"


def test_every_secret_that_compose_asks_for_is_made_and_none_is_made_twice(tmp_path: Path) -> None:
    make = [sys.executable, str(COMPOSE / "make_env.py"), str(tmp_path / ".env")]
    subprocess.run(make, check=True)
    written = (tmp_path / ".env").read_text()
    again = subprocess.run(make, check=False, capture_output=True, text=True)
    files = [(COMPOSE / name).read_text() for name in ("compose.yaml", "s3.yaml")]
    asked = {name for text in files for name in re.findall(r"\$\{(\w+):\?\}", text)}
    assert asked == set(re.findall(r"^(\w+)=", written, re.MULTILINE))
    assert (tmp_path / ".env").stat().st_mode & 0o777 == 0o600
    assert again.returncode == 1
    assert "is there already" in again.stderr
    assert (tmp_path / ".env").read_text() == written


def test_the_image_is_made_of_what_is_in_the_repository() -> None:
    text = (COMPOSE / "Dockerfile").read_text()
    copied = re.findall(r"^COPY (?!--from)(.+) \S+$", text, re.MULTILINE)
    sources = {word for words in copied for word in words.split()}
    allowed = re.findall(r"^!(\S+)$", (ROOT / ".dockerignore").read_text(), re.MULTILINE)
    assert sources == set(allowed)
    assert all((ROOT / source).exists() for source in sources)


def test_the_image_starts_a_command_with_settings_that_can_be_used(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = (COMPOSE / "Dockerfile").read_text()
    entry, command = (
        json.loads(re.findall(rf"^{name} (\[.*\])$", text, re.MULTILINE)[0])
        for name in ("ENTRYPOINT", "CMD")
    )
    assert Path(entry[0]).name == "heliograph"
    assert command[0] == "serve"
    parse(command)
    variables = re.findall(r"(HELIOGRAPH_\w+)=(\S+)", text)
    assert read_settings(monkeypatch, dict(variables)).server.host == "0.0.0.0"  # noqa: S104 - read
