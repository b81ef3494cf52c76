"""The beginning and the end of a process: of a command, and of a node."""

import contextlib
import os
import sys
from typing import NoReturn

from heliograph.errors import ConfigurationError
from heliograph.platform.telemetry.logs import configure_logs
from heliograph.settings import LogSettings, load_settings


def configure_process_logs(*, is_gateway: bool = False) -> None:
    """Log as the settings say, or by default if they can't be read: a process of the gateway to the
    file that they name, a command to its user."""
    try:
        configure_logs(load_settings().log, is_gateway=is_gateway)
    except ConfigurationError:  # who needs settings says so itself
        configure_logs(LogSettings.model_construct())


def end_process(code: int) -> NoReturn:
    """End at once, without taking the interpreter down first.

    By here every command has closed what it had.
    """
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):  # nobody reads it any more
            stream.flush()
    # threads of `obstore` and `pyreqwest` may be on their way into the interpreter, and one that
    # comes too late aborts the process (PyO3's pyo3-async-runtimes, issue 40)
    os._exit(code)
