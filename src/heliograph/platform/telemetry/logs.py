"""Logs: one line each, for people on a terminal and as JSON elsewhere, to standard error.

    structlog ──▶ context, level, time, node ──▶ console or JSON ──▶ redaction ──▶ one write(2)
    logging   ──▶ (uvicorn, alembic, asyncio …)       ▲ the same from here on

A traceback shows the lines of code and the exception's words, never the values of variables: those
may be secrets. What still looks like a secret in a complete line is masked.
"""

import io
import json
import logging
import os
import sys
from collections.abc import Sequence
from functools import partial
from typing import TextIO

import msgspec
import structlog
from structlog.typing import EventDict, ExcInfo, Processor, WrappedLogger

from heliograph.errors import ConfigurationError
from heliograph.platform.telemetry.node_name import node_name
from heliograph.platform.telemetry.plain_log import LogFile, write_line
from heliograph.platform.telemetry.redaction import redact
from heliograph.platform.terminal import in_one_line, plain, plain_json
from heliograph.settings import LogFormat, LogLevel, LogSettings

_FIRST = ("timestamp", "level", "event")

_encoder = msgspec.json.Encoder(enc_hook=repr)


def configure_logs(
    settings: LogSettings, *, descriptor: int | None = None, is_gateway: bool = False
) -> None:
    """Write every line of this process, libraries' included, as `settings` say.

    Call it once in each process, before it logs. `descriptor` is written to instead of standard
    error; a process of the gateway writes to the settings' file, if they name one. Raises
    `ConfigurationError` for a file that can't be opened.
    """
    file = open_log_file(settings) if is_gateway else None
    output = _Output(sys.stderr.fileno() if descriptor is None else descriptor, file)
    before = _processors(settings.format, output)
    last = _last_processors(settings.format, output)
    level = getattr(logging, settings.level.upper())
    structlog.configure(
        processors=[*before, *last],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=lambda *_: output,
        cache_logger_on_first_use=True,
    )
    _configure_libraries(output, before, last, settings.level)


def open_log_file(settings: LogSettings) -> LogFile | None:
    """Open the settings' file, if they name one. Raises `ConfigurationError`."""
    if settings.path is None:
        return None
    try:
        return LogFile(settings.path)
    except OSError as error:
        raise ConfigurationError(
            f"The log can't be written to {settings.file}: {error.strerror}.",
            remedy="Name a file in a folder that the gateway may write to.",
            setting="HELIOGRAPH_LOG_FILE",
        ) from None


def is_for_people(chosen: LogFormat, descriptor: int | None) -> bool:
    """Return whether lines written to this descriptor, or to a file if it is None, are for
    people."""
    is_terminal = descriptor is not None and os.isatty(descriptor)
    return chosen is LogFormat.CONSOLE or (chosen is LogFormat.AUTO and is_terminal)


class _Output:
    """Where lines go: what structlog calls a logger. `descriptor` is None for a file."""

    def __init__(self, descriptor: int, file: LogFile | None = None) -> None:
        self.descriptor = descriptor if file is None else None
        self.is_terminal = self.descriptor is not None and os.isatty(descriptor)
        self._write = partial(write_line, descriptor) if file is None else file.write

    def write(self, line: str) -> None:
        self._write(line)

    debug = info = warning = error = critical = write


class _LibraryHandler(logging.Handler):
    def __init__(self, output: _Output) -> None:
        super().__init__()
        self._output = output

    def emit(self, record: logging.LogRecord) -> None:
        try:
            self._output.write(self.format(record))
        except Exception:
            self.handleError(record)


def _configure_libraries(
    output: _Output, before: Sequence[Processor], last: Sequence[Processor], level: LogLevel
) -> None:
    """Let libraries log from warnings on, and everything when debugging."""
    handler = _LibraryHandler(output)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[structlog.stdlib.add_logger_name, *before],
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *last],
        )
    )
    logging.getLogger("asyncpg.pool").addFilter(_put_cause_in_line)
    quiet = logging.ERROR if level is LogLevel.ERROR else logging.WARNING
    logging.basicConfig(
        level=logging.DEBUG if level is LogLevel.DEBUG else quiet, handlers=[handler], force=True
    )
    logging.captureWarnings(True)


def _put_cause_in_line(record: logging.LogRecord) -> bool:
    """Replace the traceback of an absent database by its cause in the line.

    That is no fault of the program; the traceback is long and would come again with each try.
    """
    if record.exc_info and isinstance(error := record.exc_info[1], Exception):
        record.msg, record.args = f"{record.getMessage()}: {error or type(error).__name__}", ()
        record.exc_info = None
    return True


def _processors(chosen: LogFormat, output: _Output) -> list[Processor]:
    """Return what every line goes through, ours or a library's."""
    seconds = "%Y-%m-%dT%H:%M:%SZ" if is_for_people(chosen, output.descriptor) else "iso"
    node = node_name()

    def add_node(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
        event["node"] = node
        return event

    return [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt=seconds, utc=True),
        add_node,
    ]


def _last_processors(chosen: LogFormat, output: _Output) -> list[Processor]:
    """Return what makes a line of text of it."""
    if not is_for_people(chosen, output.descriptor):
        return [structlog.processors.format_exc_info, _render_json]
    render = structlog.dev.ConsoleRenderer(
        colors=output.is_terminal,
        sort_keys=False,
        exception_formatter=_format_traceback,
    )

    def render_console(logger: WrappedLogger, method: str, event: EventDict) -> str:
        return redact(render(logger, method, _printable(event)))

    return [render_console]


def _format_traceback(output: TextIO, exc_info: ExcInfo) -> None:
    """Format it with the exception's words made printable: they may be a stranger's."""
    draft = io.StringIO()
    structlog.dev.plain_traceback(draft, exc_info)
    output.write(plain(draft.getvalue()))


def _printable(event: EventDict) -> EventDict:
    """Escape what would move the cursor or begin a line of its own."""
    return {
        name: in_one_line(value) if isinstance(value, str) else value
        for name, value in event.items()
        if value is not None
    }


def _render_json(_logger: WrappedLogger, _method: str, event: EventDict) -> str:
    first = {name: event.pop(name) for name in _FIRST if name in event}
    line = {**first, **event}
    try:
        text = _encoder.encode(line).decode()
    except (UnicodeEncodeError, TypeError, RecursionError):  # a lone surrogate, odd keys
        text = json.dumps(line, default=repr, skipkeys=True)
    return redact(text if text.isascii() else plain_json(text))
