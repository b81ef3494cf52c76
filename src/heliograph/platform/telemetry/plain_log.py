"""The log lines of a process that lives long and logs little.

They are those of `logs`, written without the libraries behind it, which take more memory than
everything else in such a process; a test compares the two.
"""

import json
import os
import time
from contextlib import suppress
from datetime import UTC, datetime

from heliograph.platform.telemetry.node_name import node_name
from heliograph.platform.telemetry.redaction import redact
from heliograph.platform.terminal import in_one_line, plain_json

STANDARD_ERROR = 2

_LEVELS = ("debug", "info", "warning", "error")
_PLAIN = dict.fromkeys(("bold", "dim", "key", "value", "end", *_LEVELS), "")
_COLORS = _PLAIN | {
    "bold": "\033[1m",
    "dim": "\033[2m",
    "key": "\033[36m",
    "value": "\033[35m",
    "end": "\033[0m",
    "info": "\033[32m",
    "warning": "\033[33m",
    "error": "\033[31m",
}
_QUOTED = frozenset(" \t=\r\n\"'")


def write_line(descriptor: int, line: str) -> None:
    """Write a line in one write, so that the lines of several processes do not mix.

    A reader that is gone, or a full disk, must not stop what the gateway does.
    """
    with suppress(OSError):
        os.write(descriptor, (line + "\n").encode("utf-8", "backslashreplace"))


class LogFile:
    """A file to which several processes append. It is opened again when it was renamed or removed,
    as logrotate does: nobody has to tell them."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._descriptor = self._open()

    def write(self, line: str) -> None:
        self._reopen_if_moved()
        write_line(self._descriptor, line)

    def _open(self) -> int:
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC
        return os.open(self._path, flags, 0o640)

    def _reopen_if_moved(self) -> None:
        """Open the file again if it was moved. If that fails, lines go where they went before."""
        ours = os.fstat(self._descriptor)
        with suppress(OSError):
            with suppress(FileNotFoundError):
                found = os.stat(self._path)
                if (found.st_dev, found.st_ino) == (ours.st_dev, ours.st_ino):
                    return
            before, self._descriptor = self._descriptor, self._open()
            os.close(before)


class PlainLog:
    """Writes lines from the level `least` on to a descriptor or a file; for people where
    `is_console`."""

    def __init__(
        self,
        *,
        is_console: bool,
        least: str = "info",
        descriptor: int = STANDARD_ERROR,
        file: LogFile | None = None,
    ) -> None:
        self._is_console = is_console
        self._least = _LEVELS.index(least)
        self._descriptor = descriptor
        self._file = file
        self._node = node_name()

    def info(self, event: str, **fields: object) -> None:
        self._write("info", event, fields)

    def warning(self, event: str, **fields: object) -> None:
        self._write("warning", event, fields)

    def error(self, event: str, **fields: object) -> None:
        self._write("error", event, fields)

    def _write(self, level: str, event: str, fields: dict[str, object]) -> None:
        if _LEVELS.index(level) < self._least:
            return
        fields = {**fields, "node": self._node}
        render = self._for_people if self._is_console else _as_json
        line = redact(render(level, event, fields))
        if self._file is not None:
            self._file.write(line)
        else:
            write_line(self._descriptor, line)

    def _for_people(self, level: str, event: str, fields: dict[str, object]) -> str:
        style = _COLORS if self._file is None and os.isatty(self._descriptor) else _PLAIN
        bold, end = style["bold"], style["end"]
        at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        pairs = [
            f"{style['key']}{name}{end}={style['value']}{_shown(value)}{end}"
            for name, value in fields.items()
            if value is not None
        ]
        head = f"{style['dim']}{at}{end} [{style[level]}{bold}{level:<9}{end}]"
        return " ".join([head, f"{bold}{in_one_line(event):<30}{end}", *pairs])


def _as_json(level: str, event: str, fields: dict[str, object]) -> str:
    at = datetime.now(UTC).isoformat().replace("+00:00", "Z")
    line = {"timestamp": at, "level": level, "event": event, **fields}
    return plain_json(json.dumps(line, ensure_ascii=False, separators=(",", ":")))


def _shown(value: object) -> str:
    if not isinstance(value, str):
        return repr(value)
    text = in_one_line(value)
    return repr(text) if _QUOTED & set(text) else text
