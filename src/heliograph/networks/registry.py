"""Which networks are installed: the entry-point group `heliograph.networks`.

An entry point names a callable without arguments that makes the driver's `Network`. A driver is
imported when it is first asked for, so that one nobody uses costs nothing.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import cast

from heliograph.errors import HeliographError, NoDriverError
from heliograph.networks.form import FormField
from heliograph.networks.port import Capabilities, Network, NetworkContext

GROUP = "heliograph.networks"

REQUIRED = ("name", "title", "capabilities")
"""What a `Network` has no default for and Python does not insist on, as it does on methods."""


class UnknownNetworkError(LookupError):
    """No driver of this name is installed. The message lists those that are."""


class DriverLoadError(HeliographError):
    """A driver is installed and can't be loaded. The message says what it lacks.

    `is_extra`: it is the gateway's own, and the libraries for it were not asked for.
    """

    def __init__(self, reason: str, *, is_extra: bool = False) -> None:
        super().__init__(reason)
        self.is_extra = is_extra


class NetworkRegistry:
    """The networks of one gateway process, each loaded and started on first use."""

    def __init__(self, drivers: Mapping[str, EntryPoint] | None = None) -> None:
        self._drivers = dict(installed_drivers() if drivers is None else drivers)
        self._loaded: dict[str, Network] = {}
        self._failed: dict[str, DriverLoadError] = {}
        self._context: NetworkContext | None = None

    def names(self) -> tuple[str, ...]:
        """Return the installed networks' names, without importing any of them."""
        return tuple(sorted(self._drivers))

    def get_network(self, name: str) -> Network:
        """Return the network of this name. Raises `UnknownNetworkError` and `DriverLoadError`."""
        network = self._loaded.get(name)
        return self._load_once(name) if network is None else network

    def _load_once(self, name: str) -> Network:
        if name in self._failed:  # to import it again would cost each request as much again
            raise self._failed[name].with_traceback(None)
        try:
            network = self._load(name)
        except DriverLoadError as error:
            self._failed[name] = error
            raise
        self._loaded[name] = network
        if self._context is not None:
            self._start(name, self._context)
        return network

    def get_for_account(self, name: str) -> Network:
        """Return the network of an account that was connected once. Raises `NoDriverError`: its
        driver may have been removed since, or be missing on this machine."""
        try:
            return self.get_network(name)
        except (UnknownNetworkError, DriverLoadError) as error:
            raise NoDriverError from error

    def list_networks(self) -> list[Network]:
        """Every network that can be loaded; `failures` says what is wrong with the others."""
        failed = self.failures()
        return [self.get_network(name) for name in self.names() if name not in failed]

    def list_unusable(self) -> dict[str, str]:
        """Return the installed networks whose accounts this machine can't connect, and why."""
        missing = {network.name: network.missing() for network in self.list_networks()}
        failed = {name: str(error) for name, error in self.failures().items()}
        return failed | {name: why for name, why in missing.items() if why}

    def list_migration_folders(self) -> list[Path]:
        """Return the folders of revisions that the installed networks bring."""
        networks = self.list_networks()
        return [network.migrations for network in networks if network.migrations is not None]

    def failures(self) -> dict[str, DriverLoadError]:
        """Return the installed networks that can't be loaded, and why."""
        failed = {}
        for name in self.names():
            try:
                self.get_network(name)
            except DriverLoadError as error:
                failed[name] = error
        return failed

    def start(self, context: NetworkContext) -> None:
        """Hand pool, clock and wake-ups to every network, now or when it is loaded."""
        self._context = context
        for name in list(self._loaded):
            with suppress(DriverLoadError):  # which whoever needs the network gets
                self._start(name, context)

    def _start(self, name: str, context: NetworkContext) -> None:
        try:
            self._loaded[name].start(context)
        except Exception as error:
            del self._loaded[name]
            reason = f"The driver of the network {name!r} can't be started: {_why(error)}."
            self._failed[name] = DriverLoadError(reason)
            raise self._failed[name] from error

    def _load(self, name: str) -> Network:
        if name not in self._drivers:
            known = ", ".join(self.names()) or "none"
            raise UnknownNetworkError(f"There is no network {name!r}. Known: {known}.")
        try:
            network = cast(Callable[[], Network], self._drivers[name].load())()
            missing = [what for what in REQUIRED if not hasattr(network, what)]
        except Exception as error:
            is_extra = isinstance(error, ImportError) and _is_ours(self._drivers[name])
            raise DriverLoadError(
                f"The driver of the network {name!r} can't be loaded: {_why(error)}.",
                is_extra=is_extra,
            ) from error
        if missing:
            raise DriverLoadError(f"The driver of the network {name!r} lacks {', '.join(missing)}.")
        if network.name != name:
            raise DriverLoadError(
                f"The driver of the network {name!r} calls itself {network.name!r}."
            )
        _check_types(network)
        return network


def _check_types(network: Network) -> None:
    """Check what every command reads, and Python leaves to the driver's author."""
    if not isinstance(network.capabilities, Capabilities):
        raise DriverLoadError(
            f"`capabilities` of the network {network.name!r} is not a Capabilities."
        )
    is_form = isinstance(network.form, (tuple, list)) and all(
        isinstance(field, FormField) for field in network.form
    )
    if not is_form:
        raise DriverLoadError(
            f"`form` of the network {network.name!r} is not a tuple of FormField."
        )


def _why(error: Exception) -> str:
    """Return what happened, with the kind of error where its text alone says little."""
    text = str(error).removesuffix(".")
    if isinstance(error, (DriverLoadError, ImportError)) and text:
        return text
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _is_ours(driver: EntryPoint) -> bool:
    return driver.module.startswith(f"{__package__}.")


@cache  # what is installed does not change while a process runs
def installed_drivers() -> Mapping[str, EntryPoint]:
    """Return the entry points of the group, by name; of two with one name the first installed
    counts."""
    found: dict[str, EntryPoint] = {}
    for entry in entry_points(group=GROUP):
        found.setdefault(entry.name, entry)
    return found
