"""Keeps recent database errors: they are logged while work is retried, for as long as the cause
lasts, and shown in the process's health."""

import time

import asyncpg
import structlog

log = structlog.get_logger()

LOG_INTERVAL = 60.0
"""Seconds between two log lines; also how long an error counts as current."""
_PATIENT_AFTER = 8
"""Failed attempts before the first log line: about three seconds' worth."""


class Complaints:
    """The errors of one process, over all connections."""

    def __init__(self) -> None:
        self._disk_full: tuple[float, str] | None = None
        self._log_at = {"disk": 0.0, "away": 0.0}

    def note(self, error: BaseException, attempts: int) -> None:
        """Record an error after which work is retried."""
        if isinstance(error, asyncpg.DiskFullError):
            self._disk_full = (time.monotonic(), str(error))
            self._tell("disk", "the database's disk is full", error, attempts)
        elif attempts >= _PATIENT_AFTER:
            self._tell("away", "the database fails, and is asked again", error, attempts)

    @property
    def disk_full(self) -> str | None:
        """The database's error about a full disk, if there was one in the last minute."""
        if self._disk_full is None or time.monotonic() > self._disk_full[0] + LOG_INTERVAL:
            return None
        return self._disk_full[1]

    def _tell(self, kind: str, event: str, error: BaseException, attempts: int) -> None:
        if time.monotonic() < self._log_at[kind]:
            return
        self._log_at[kind] = time.monotonic() + LOG_INTERVAL
        log.error(event, error=f"{type(error).__name__}: {error}", attempts=attempts)
