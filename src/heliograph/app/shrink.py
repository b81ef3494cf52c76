"""`heliograph database shrink`: give space that the database does not need back to the system."""

import asyncio
import shutil
from collections.abc import Coroutine
from pathlib import Path
from typing import TypeVar

from heliograph.app.backup import reachable_database
from heliograph.platform.database.failover import CONNECT_FAILURES
from heliograph.platform.database.failures import reason_of
from heliograph.platform.database.shrink import (
    Estimate,
    Show,
    ShrinkError,
    Shrunk,
    estimate,
    shrink,
)
from heliograph.platform.embedded.server import find_home
from heliograph.settings import Settings

T = TypeVar("T")


def estimate_shrinking(settings: Settings) -> list[Estimate]:
    """Estimate what could be given back. Raises `ConfigurationError`."""
    with reachable_database(settings) as (_, url):
        return _run(estimate(url))


def shrink_database(settings: Settings, show: Show) -> list[Shrunk]:
    """Give back the space that is not needed; while a gateway runs, less of it.

    A private PostgreSQL whose gateway does not run is started for as long as it takes. Raises
    `ConfigurationError`.
    """
    with reachable_database(settings) as (_, url):
        home = find_home(settings.data_dir) if settings.is_embedded else None
        return _run(shrink(url, show, lambda: _free_space(home)))


def _free_space(folder: Path | None) -> int | None:
    return None if folder is None else shutil.disk_usage(folder).free


def _run(work: Coroutine[object, object, T]) -> T:
    try:
        return asyncio.run(work)
    except CONNECT_FAILURES as error:
        raise ShrinkError(
            f"The database did not finish this: {reason_of(error)}.",
            remedy="Each table is either as it was or done. Fix the cause and run this again.",
        ) from error
