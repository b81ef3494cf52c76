"""What the database has lately complained of: told in the log while work is tried again, which may
go on for as long as the cause lasts, and to those who ask how this process is."""

import time

import asyncpg
import structlog

log = structlog.get_logger()

LOG_INTERVAL = 60.0
"""Seconds between two lines of the log, and for which a complaint is believed to last."""
_PATIENT_AFTER = 8
"""Failed attempts of work that never gives up, about three seconds of them."""


class Complaints:
    """Those of one process, whatever connection they came over."""

    def __init__(self) -> None:
        self._disk_full: tuple[float, str] | None = None
        self._log_at = {"disk": 0.0, "away": 0.0}

    def note(self, error: BaseException, attempts: int) -> None:
        """Take note of an error after which work is tried again."""
        if isinstance(error, asyncpg.DiskFullError):
            self._disk_full = (time.monotonic(), str(error))
            self._tell("disk", "the database's disk is full", error, attempts)
        elif attempts >= _PATIENT_AFTER:
            self._tell("away", "the database fails, and is asked again", error, attempts)

    @property
    def disk_full(self) -> str | None:
        """What the database says of its disk, if it said within a minute that it is full."""
        if self._disk_full is None or time.monotonic() > self._disk_full[0] + LOG_INTERVAL:
            return None
        return self._disk_full[1]

    def _tell(self, kind: str, event: str, error: BaseException, attempts: int) -> None:
        if time.monotonic() < self._log_at[kind]:
            return
        self._log_at[kind] = time.monotonic() + LOG_INTERVAL
        log.error(event, error=f"{type(error).__name__}: {error}", attempts=attempts)
