"""What is logged inside a test's own process: plain lines.

structlog's own default draws a traceback with the values of all variables, which takes a processor
a second where the stack is deep. A gateway in a test whose loops fail for a moment is then busy
with drawing, too busy to mend itself.
"""

import contextlib
import logging
import os
from collections.abc import Iterator

import structlog

from heliograph.platform.telemetry.logs import configure_logs

_PLAIN: list[structlog.typing.Processor] = [
    structlog.contextvars.merge_contextvars,
    structlog.processors.add_log_level,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
    structlog.processors.format_exc_info,
    structlog.dev.ConsoleRenderer(colors=False, exception_formatter=structlog.dev.plain_traceback),
]


def log_plainly() -> None:
    structlog.configure(processors=_PLAIN)


@contextlib.contextmanager
def logs_configured_anew() -> Iterator[None]:
    """Within, a test may configure the logs of its process. Those after it log plainly again.

    A handler that stayed would go on writing to its descriptor, by its number: a line of the log
    has thus ended up in another test's TLS connection.
    """
    handlers, level = logging.root.handlers[:], logging.root.level
    try:
        yield
    finally:
        logging.root.handlers[:], logging.root.level = handlers, level
        logging.captureWarnings(False)
        structlog.contextvars.clear_contextvars()
        structlog.reset_defaults()
        log_plainly()


def take_back_logs() -> bool:
    """Take back a configuration that a test has left behind. Return whether there was one."""
    ours = configure_logs.__module__
    left = [handler for handler in logging.root.handlers if type(handler).__module__ == ours]
    if not left and structlog.get_config()["processors"] is _PLAIN:
        return False
    for handler in left:
        logging.root.removeHandler(handler)
    structlog.reset_defaults()
    log_plainly()
    return True


def read_line(descriptor: int) -> str:
    """The next line, whole: a terminal hands it out in parts when it likes."""
    line = b""
    while not line.endswith(b"\n"):
        line += os.read(descriptor, 10_000)
    return line.decode()
