"""The checks of the machine: Python, the environment, files, ports, programs."""

import subprocess
import sys
import sysconfig
import tempfile

from heliograph.core.health import disk
from heliograph.core.health.disk import check_disk, find_existing
from heliograph.core.health.guard import guard
from heliograph.core.health.model import Check, failed, ok, warning
from heliograph.core.health.port import PortError, listen
from heliograph.errors import ConfigurationError
from heliograph.platform.embedded.programs import find_binaries
from heliograph.platform.embedded.server import find_home
from heliograph.platform.embedded.server_user import find_server_user
from heliograph.platform.files.data_dir import find_holder, is_locked
from heliograph.platform.files.running_gateway import find_gateway, list_other_data_dirs
from heliograph.settings import Settings, list_unknown_variables

_PROGRAMS = "private PostgreSQL"
_OPTIMIZED = "--enable-optimizations"
_DISTRIBUTIONS_OWN = "/usr"
"""Where a Linux distribution has its own Python, which it optimizes in its own way."""


def check_machine(settings: Settings) -> list[Check]:
    programs = [guard(_PROGRAMS, lambda: _check_binaries(settings))] if settings.is_embedded else []
    return [
        _check_python(),
        guard("environment", _check_variables),
        guard("data directory", lambda: _check_data_dir(settings)),
        guard(disk.NAME, lambda: check_disk(settings.data_dir, is_running=False)),
        guard("gateway", lambda: _check_gateway(settings)),
        guard("port", lambda: _check_port(settings)),
        *programs,
    ]


def _check_python() -> Check:
    found = f"This is Python {sys.version.split()[0]} at {sys.executable}."
    if is_optimized(str(sysconfig.get_config_var("CONFIG_ARGS") or ""), sys.base_prefix):
        return ok("Python", found)
    return ok(
        "Python",
        f"{found} It was built without optimizations, so that nodes take a fifth more processor "
        "time than with uv's, Debian's or the Docker image's.",
    )


def is_optimized(configured_with: str, prefix: str) -> bool:
    """Return whether a Python was built with profiles, as far as its configuration tells."""
    return _OPTIMIZED in configured_with or prefix == _DISTRIBUTIONS_OWN


def _check_variables() -> Check:
    unknown = list_unknown_variables()
    if not unknown:
        return ok("environment", "Every HELIOGRAPH_ variable is known.")
    return warning("environment", f"{', '.join(unknown)}: no such setting.", "Check the spelling.")


def _check_data_dir(settings: Settings) -> Check:
    folder = find_existing(settings.data_dir)
    try:
        with tempfile.TemporaryFile(dir=folder):
            return ok("data directory", f"{settings.data_dir} can be written.")
    except OSError as error:
        return failed(
            "data directory",
            f"{folder} can't be written: {error.strerror}.",
            "Set HELIOGRAPH_DATA_DIR to a folder that you may write to.",
        )


def is_running(settings: Settings) -> bool:
    try:
        return is_locked(settings.data_dir)
    except ConfigurationError:
        return False


def _check_gateway(settings: Settings) -> Check:
    gateway = find_gateway(settings.data_dir)
    if gateway is not None:
        return ok("gateway", f"It runs at {settings.public_url}, process {gateway.process}.")
    others = ", ".join(map(str, list_other_data_dirs(settings.data_dir)))
    elsewhere = f" Others run on {others}." if others else ""
    return ok("gateway", f"None is running on this data directory.{elsewhere}")


def _check_port(settings: Settings) -> Check:
    host, port = settings.server.host, settings.server.port
    try:
        listen(host, port).close()
        return ok("port", f"{host}:{port} is free.")
    except PortError as error:
        problem, remedy = error.problem, error.remedy
    gateway = find_gateway(settings.data_dir)
    if gateway is not None or (settings.is_embedded and is_running(settings)):
        holder = find_holder(settings.data_dir) if gateway is None else gateway.process
        return ok("port", f"{host}:{port} is held by this gateway, process {holder}.")
    if settings.is_embedded:
        return failed("port", problem, remedy)
    # A gateway with an external database may run on another data directory.
    return warning("port", problem, f"{remedy} If it is this gateway, all is well.")


def _check_binaries(settings: Settings) -> Check:
    try:
        user = find_server_user(settings.embedded.user, find_home(settings.data_dir))
        program = find_binaries() / "postgres"
        result = subprocess.run(  # noqa: S603 - the program that came with our packages
            [str(program), "--version"], check=True, capture_output=True, text=True
        )
        detail = f"{result.stdout.strip()}, run by the user {user.name}."
        return ok(_PROGRAMS, detail)
    except ConfigurationError as error:
        if is_running(settings):  # another installation's, such as that of `uvx`
            detail = "It runs, but this installation has no programs to start it with."
            return warning(_PROGRAMS, detail, error.remedy)
        return failed(_PROGRAMS, error.problem, error.remedy)
    except (OSError, subprocess.CalledProcessError) as error:
        remedy = "Set HELIOGRAPH_DATABASE_URL to a PostgreSQL of your own."
        return failed(_PROGRAMS, f"It does not run: {error}.", remedy)
