"""The beginning and the end of a process: of a command, and of a node."""

import contextlib
import os
import sys
from typing import NoReturn

from heliograph.errors import ConfigurationError
from heliograph.platform.telemetry.logs import configure_logs
from heliograph.settings import LogSettings, load_settings


def configure_process_logs(*, is_gateway: bool = False) -> None:
    """Configure logging from the settings, or with defaults if they can't be read. Processes of the
    gateway log to the file that the settings name, commands to their user."""
    try:
        configure_logs(load_settings().log, is_gateway=is_gateway)
    except ConfigurationError:  # whoever needs the settings reports it
        configure_logs(LogSettings.model_construct())


def end_process(code: int) -> NoReturn:
    """End at once, without shutting down the interpreter.

    By now every command has closed what it opened.
    """
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):  # nobody reads it any more
            stream.flush()
    # a thread of `obstore` that enters the interpreter too late aborts the process
    # (PyO3's pyo3-async-runtimes, issue 40)
    os._exit(code)
