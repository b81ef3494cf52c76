"""`heliograph doctor`: what is wrong with an installation, and how to mend it."""

import asyncio
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

import asyncpg
import typer
from rich.text import Text

from heliograph.app.startup import list_migration_folders
from heliograph.errors import ConfigurationError
from heliograph.faces.cli.output import print_table
from heliograph.platform.crypto import (
    DecryptError,
    InvalidSecretKeyError,
    SecretBox,
    parse_secret_keys,
)
from heliograph.platform.database.failover import CONNECT_FAILURES, Hosts, list_hosts
from heliograph.platform.database.revisions import MigrationState, Revisions
from heliograph.platform.embedded.server import find_home, resolve_settings
from heliograph.platform.embedded.server_user import find_binaries, find_server_user
from heliograph.platform.files.data_dir import find_holder, is_locked
from heliograph.platform.files.running_gateway import (
    find_gateway,
    join_gateway,
    list_other_data_dirs,
)
from heliograph.platform.objects import ObjectNotFoundError, Objects, ObjectStorageError
from heliograph.settings import AllowPrivate, Role, Settings, list_unknown_variables, load_settings

_LEAST_SPACE = 1024**3  # bytes
_MOST_OFFSET = 2.0  # seconds
_OLDEST_POSTGRES = 15


class Verdict(StrEnum):
    OK = "ok"
    WARNING = "warning"
    WRONG = "wrong"


_COLUMNS = ("", "", "finding", "what to do")
_COLOURS = {Verdict.OK: "green", Verdict.WARNING: "yellow", Verdict.WRONG: "bold red"}


@dataclass(frozen=True, slots=True)
class Check:
    """One line of the report. `remedy` says what to do where `verdict` is not `ok`."""

    subject: str
    verdict: Verdict
    finding: str
    remedy: str = ""


def doctor() -> None:
    """Say what is wrong with this installation and how to mend it; exit code 1 if anything is."""
    checks = list(examine(join_gateway(load_settings())))
    shown = 4 if any(check.remedy for check in checks) else 3
    print_table(_COLUMNS[:shown], [_row(check)[:shown] for check in checks])
    if any(check.verdict is Verdict.WRONG for check in checks):
        raise typer.Exit(1)


def examine(settings: Settings) -> Iterator[Check]:
    """Every check that applies to these settings."""
    yield _check_python()
    yield _check_variables()
    yield _check_data_dir(settings)
    yield _check_space(settings)
    yield _check_gateway(settings)
    yield _check_port(settings)
    yield _check_rates(settings)
    yield _check_proxies(settings)
    yield _check_metrics(settings)
    yield asyncio.run(_check_sign_in(settings))
    yield _check_webhooks(settings)
    yield asyncio.run(_check_objects(settings))
    if settings.is_embedded:
        yield _check_binaries(settings)
        if not _is_running(settings):
            yield Check("database", Verdict.OK, "private, started together with the gateway")
            return
    try:
        yield from asyncio.run(_check_database(resolve_settings(settings)))
    except ConfigurationError as error:
        yield Check("database", Verdict.WRONG, error.problem, error.remedy)


def _is_running(settings: Settings) -> bool:
    try:
        return is_locked(settings.data_dir)
    except ConfigurationError:
        return False


def _check_python() -> Check:
    return Check("Python", Verdict.OK, f"{sys.version.split()[0]} at {sys.executable}")


def _check_variables() -> Check:
    unknown = list_unknown_variables()
    if not unknown:
        return Check("environment", Verdict.OK, "every HELIOGRAPH_ variable is known")
    finding = f"{', '.join(unknown)}: no such setting"
    return Check("environment", Verdict.WARNING, finding, "Check the spelling.")


def _nearest(path: Path) -> Path:
    return next(folder for folder in (path, *path.parents) if folder.exists())


def _check_data_dir(settings: Settings) -> Check:
    folder = _nearest(settings.data_dir)
    try:
        with tempfile.TemporaryFile(dir=folder):
            return Check("data directory", Verdict.OK, str(settings.data_dir))
    except OSError as error:
        finding = f"{folder} can't be written: {error.strerror}"
    remedy = "Set HELIOGRAPH_DATA_DIR to a folder that you may write to."
    return Check("data directory", Verdict.WRONG, finding, remedy)


def _check_space(settings: Settings) -> Check:
    free = shutil.disk_usage(_nearest(settings.data_dir)).free
    finding = f"{free / 1024**3:.1f} GiB free"
    if free >= _LEAST_SPACE:
        return Check("disk", Verdict.OK, finding)
    return Check("disk", Verdict.WRONG, finding, "Free some space, or move the data directory.")


def _check_gateway(settings: Settings) -> Check:
    found = find_gateway(settings.data_dir)
    if found is not None:
        return Check("gateway", Verdict.OK, f"{settings.public_url}, process {found.process}")
    others = ", ".join(str(each) for each in list_other_data_dirs(settings.data_dir))
    elsewhere = f"; running elsewhere: {others}" if others else ""
    return Check("gateway", Verdict.OK, f"none is running on this data directory{elsewhere}")


def _check_port(settings: Settings) -> Check:
    host, port = settings.server.host, settings.server.port
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        socket.create_server((host, port), family=family).close()
        return Check("port", Verdict.OK, f"{host}:{port} is free")
    except OSError as error:
        finding = f"{host}:{port}: {error.strerror}"
    found = find_gateway(settings.data_dir)
    holder = find_holder(settings.data_dir) if found is None else found.process
    if found is not None or (settings.is_embedded and _is_running(settings)):
        return Check("port", Verdict.OK, f"{host}:{port} is held by this gateway, process {holder}")
    remedy = "If that is not this gateway, stop it or set HELIOGRAPH_PORT to another port."
    verdict = Verdict.WRONG if settings.is_embedded else Verdict.WARNING
    return Check("port", verdict, finding, remedy)


def _check_rates(settings: Settings) -> Check:
    counts_alone = settings.rate_limit.url is None
    if counts_alone and settings.server.nodes > 1 and Role.API in settings.server.roles:
        finding = f"each of {settings.server.nodes} nodes allows the full rate by itself"
        remedy = "Set HELIOGRAPH_RATE_LIMIT_URL to a Redis that they share."
        return Check("request rates", Verdict.WARNING, finding, remedy)
    return Check("request rates", Verdict.OK, "in memory" if counts_alone else "shared")


def _check_proxies(settings: Settings) -> Check:
    trusted = settings.server.trusted_proxies
    if trusted:
        finding = f"{', '.join(str(each) for each in trusted)} may say who the client is"
        return Check("proxies", Verdict.OK, finding)
    if settings.is_behind_a_proxy:
        finding = "every client has the proxy's address, and shares its limits"
        remedy = "Name the proxy in HELIOGRAPH_TRUSTED_PROXIES if it writes X-Forwarded-For."
        return Check("proxies", Verdict.WARNING, finding, remedy)
    return Check("proxies", Verdict.OK, "none is trusted to say who the client is")


def _check_metrics(settings: Settings) -> Check:
    if settings.metrics.token is not None:
        return Check("metrics", Verdict.OK, "shown to who has the token")
    if settings.is_for_this_machine_alone:
        return Check("metrics", Verdict.OK, "shown to this machine")
    return Check("metrics", Verdict.OK, "shown to nobody, without HELIOGRAPH_METRICS_TOKEN")


def _check_webhooks(settings: Settings) -> Check:
    allowed = settings.allow_private
    if allowed is AllowPrivate.NONE:
        return Check("webhooks", Verdict.OK, "posted to public addresses alone")
    where = "this machine" if allowed is AllowPrivate.LOOPBACK else "every private address"
    finding = f"posted to public addresses and to {where}"
    if settings.is_for_this_machine_alone:
        return Check("webhooks", Verdict.OK, finding)
    remedy = (
        "Whoever may add a webhook can reach what listens there. Unless that is wanted, unset "
        "HELIOGRAPH_WEBHOOK_ALLOW_PRIVATE."
    )
    return Check("webhooks", Verdict.WARNING, finding, remedy)


async def _check_sign_in(settings: Settings) -> Check:
    """Whether the provider can be used, as the gateway would."""
    issuer = settings.sign_in.issuer
    if issuer is None:
        return Check("sign-in", Verdict.OK, "no provider is set: only a demo can be signed in to")
    if not settings.allows_sessions:
        finding = f"nobody can sign in at {settings.public_url}: a session could be overheard"
        remedy = "Set HELIOGRAPH_PUBLIC_URL to an address that begins with https://."
        return Check("sign-in", Verdict.WRONG, finding, remedy)
    # an HTTP client and cryptography, for which no other command should wait
    from heliograph.platform.oidc.examination import find_problem

    if problem := await find_problem(issuer):
        remedy = "Check HELIOGRAPH_OIDC_ISSUER, and that the provider can be reached from here."
        return Check("sign-in", Verdict.WRONG, problem, remedy)
    finding = f"{issuer} answers; its redirect address is {settings.redirect_uri}"
    return Check("sign-in", Verdict.OK, finding)


async def _check_objects(settings: Settings) -> Check:
    if settings.objects.url is None:
        return Check("object storage", Verdict.OK, "in the data directory")
    try:
        await Objects(settings.objects_url).try_out()
    except ConfigurationError as error:
        return Check("object storage", Verdict.WRONG, error.problem, error.remedy)
    except (ObjectStorageError, ObjectNotFoundError) as error:
        remedy = "Check HELIOGRAPH_OBJECTS_URL, the credentials, and that the bucket exists."
        return Check("object storage", Verdict.WRONG, str(error), remedy)
    finding = f"{settings.objects_url} stores, reads and deletes"
    return Check("object storage", Verdict.OK, finding)


def _check_binaries(settings: Settings) -> Check:
    try:
        user = find_server_user(settings.embedded.user, find_home(settings.data_dir))
        program = find_binaries() / "postgres"
        result = subprocess.run(  # noqa: S603 - the program that came with our packages
            [str(program), "--version"], check=True, capture_output=True, text=True
        )
        finding = f"{result.stdout.strip()}, run by the user {user.name}"
        return Check("private PostgreSQL", Verdict.OK, finding)
    except ConfigurationError as error:
        return Check("private PostgreSQL", Verdict.WRONG, error.problem, error.remedy)
    except (OSError, subprocess.CalledProcessError) as error:
        remedy = "Set HELIOGRAPH_DATABASE_URL to a PostgreSQL of your own."
        return Check("private PostgreSQL", Verdict.WRONG, f"does not run: {error}", remedy)


async def _check_database(settings: Settings) -> list[Check]:
    try:
        connection = await Hosts(settings.database_url).connect(
            timeout=settings.database.connect_timeout
        )
    except CONNECT_FAILURES as error:
        finding = f"can't be reached: {error or 'it does not answer'}"
        remedy = "Check HELIOGRAPH_DATABASE_URL, and that the database is running."
        return [Check("database", Verdict.WRONG, finding, remedy)]
    try:
        return [
            _check_version(connection),
            await _check_role(connection),
            await _check_standby(connection, settings),
            await _check_clock(connection),
            await _check_migrations(connection),
            await _check_keys(connection, settings),
        ]
    finally:
        await connection.close()


def _check_version(connection: "asyncpg.Connection[Any]") -> Check:
    version = connection.get_server_version()
    finding = f"PostgreSQL {version.major}.{version.micro}"  # asyncpg counts the middle
    if version.major >= _OLDEST_POSTGRES:
        return Check("database", Verdict.OK, finding)
    return Check("database", Verdict.WRONG, finding, f"Update it to {_OLDEST_POSTGRES} or newer.")


async def _check_role(connection: "asyncpg.Connection[Any]") -> Check:
    name = await connection.fetchval("SELECT current_user")
    if await connection.fetchval("SHOW is_superuser") == "off":
        return Check("database role", Verdict.OK, f"{name}, not a superuser")
    finding = f"{name} is a superuser, who may do anything to the whole server"
    remedy = "Use a role in HELIOGRAPH_DATABASE_URL that owns only the gateway's database."
    return Check("database role", Verdict.WARNING, finding, remedy)


async def _check_standby(connection: "asyncpg.Connection[Any]", settings: Settings) -> Check:
    names = await connection.fetchval("SHOW synchronous_standby_names")
    if len(list_hosts(settings.database_url)) > 1 and not names:
        finding = "several hosts and no synchronous standby: a failover can lose what was answered"
        remedy = "Set synchronous_standby_names on the database's servers."
        return Check("standby", Verdict.WARNING, finding, remedy)
    return Check("standby", Verdict.OK, "synchronous" if names else "one server")


async def _check_clock(connection: "asyncpg.Connection[Any]") -> Check:
    before = time.time()
    theirs = float(await connection.fetchval("SELECT extract(epoch FROM clock_timestamp())"))
    offset = theirs - (before + time.time()) / 2
    finding = f"the database's is {abs(offset):.3f} s {'ahead' if offset > 0 else 'behind'}"
    if abs(offset) <= _MOST_OFFSET:
        return Check("clock", Verdict.OK, finding)
    remedy = "Synchronize the clocks of both machines (NTP)."
    return Check("clock", Verdict.WARNING, finding, remedy)


async def _check_migrations(connection: "asyncpg.Connection[Any]") -> Check:
    status = await Revisions(list_migration_folders()).status(connection)
    finding = ", ".join(sorted(status.current)) or "none yet"
    if status.is_usable:
        return Check("migrations", Verdict.OK, f"{finding} ({status.state})")
    remedy = "Run `heliograph migrate`, or restart the gateway."
    if status.state is MigrationState.TOO_NEW:
        remedy = "The database was migrated by a later release: update this installation."
    return Check("migrations", Verdict.WRONG, finding, remedy)


async def _check_keys(connection: "asyncpg.Connection[Any]", settings: Settings) -> Check:
    remedy = "Set HELIOGRAPH_SECRET_KEYS as it was when the data was written; newer keys go first."
    try:
        texts = [key.get_secret_value() for key in settings.secret.keys]
        box = SecretBox(parse_secret_keys(texts))
        for row in await connection.fetch("SELECT ciphertext FROM secret_canaries"):
            box.check_canary(row["ciphertext"])
    except (InvalidSecretKeyError, DecryptError) as error:
        return Check("secret keys", Verdict.WRONG, str(error), remedy)
    except asyncpg.UndefinedTableError:
        return Check("secret keys", Verdict.OK, f"{len(texts)}; nothing is encrypted yet")
    return Check("secret keys", Verdict.OK, f"{len(texts)}; they open what is stored")


def _row(check: Check) -> tuple[str | Text, ...]:
    mark = Text(check.verdict.value, _COLOURS[check.verdict])
    return mark, check.subject, check.finding, check.remedy
