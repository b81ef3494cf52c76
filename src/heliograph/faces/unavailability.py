"""Every 503 leaves its reason in the log, whichever face answers it."""

import time

import structlog

from heliograph.errors import GatewayError

log = structlog.get_logger()

LOG_INTERVAL = 1.0
"""Seconds between two lines of one reason: an outage must not fill the disk with them."""
_MAX_REASONS = 100
_MAX_PROBLEM_LENGTH = 300  # characters

_last: dict[tuple[str, str], tuple[float, int]] = {}
"""When an error with its reason was last logged, and how many have been left out since."""


def log_unavailable(error: GatewayError, now: float | None = None) -> None:
    """Log why a request is answered with an error, if that is a 503. `more` counts those with the
    same reason since its last line."""
    if error.status != 503:
        return
    reason, at = find_reason(error), time.monotonic() if now is None else now
    key = (error.code, reason)
    last, more = _last.get(key, (at - LOG_INTERVAL, 0))
    if at - last < LOG_INTERVAL:
        _last[key] = (last, more + 1)
        return
    if len(_last) >= _MAX_REASONS:
        _last.clear()
    _last[key] = (at, 0)
    log.warning("answered 503", code=error.code, reason=reason, more=more or None)


def find_reason(error: BaseException) -> str:
    """Return the innermost cause in one line, or else what is answered."""
    cause: BaseException = error
    while cause.__cause__ is not None:
        cause = cause.__cause__
    text = " ".join(str(cause).split())
    if isinstance(cause, GatewayError):
        return text[:_MAX_PROBLEM_LENGTH]
    return (f"{type(cause).__name__}: {text}" if text else type(cause).__name__)[
        :_MAX_PROBLEM_LENGTH
    ]
