"""Text made safe for terminals.

A terminal obeys what it is sent: escape sequences move the cursor, rename the window, hide text and
make links of it; direction marks turn around what is read. Names, messages, URLs and errors come
from tenants and their customers. So everything that a command prints goes through here at the end:
text through the guarded streams, tables through `cli.output.Screen`, log lines through `logs`.
"""

import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TextIO

from heliograph.platform.characters import MARKS_OF_DIRECTION, TURNING

_LINE_FEED = 0x0A
_DIRECTIONAL = map(ord, MARKS_OF_DIRECTION + TURNING)
_LINE_BREAKS = (0x2028, 0x2029)
_OBEYED = [*range(0x20), *range(0x7F, 0xA0), *_DIRECTIONAL, *_LINE_BREAKS, *range(0xD800, 0xE000)]
_SHOWN_AS_ONE = dict.fromkeys(_OBEYED, "\N{REPLACEMENT CHARACTER}") | {_LINE_FEED: "\n"}
_ESCAPED = {code: f"\\u{code:04x}" for code in _OBEYED} | {_LINE_FEED: "\n"}


def plain(text: str) -> str:
    """Return the text without what a terminal would obey.

    It has as many characters as before: control characters, and those that turn the direction of
    writing, become replacement characters; line feeds stay.
    """
    return text if text.isascii() and text.isprintable() else text.translate(_SHOWN_AS_ONE)


def plain_json(document: str) -> str:
    """Return the same JSON value, with escapes for what a terminal would obey."""
    return document.translate(_ESCAPED)


def in_one_line(text: str) -> str:
    """Return the text, with escapes if it would move the cursor or begin a line of its own."""
    return text if text.isprintable() else repr(text)[1:-1]


class _GuardedStream:
    """A stream that writes text as `plain` returns it.

    What Rich prints goes past it: the escape sequences there are our own.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self.rich_proxied_file = stream  # the attribute in which Rich looks for the stream behind

    def write(self, text: str) -> int:
        return self._stream.write(plain(text))

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def guard_standard_streams() -> None:
    """Make standard output and standard error write all text as `plain` returns it.

    One that is closed, as by `>&-`, takes everything and keeps nothing.
    """
    sys.stdout = _GuardedStream(_opened(sys.stdout))
    sys.stderr = _GuardedStream(_opened(sys.stderr))


def _opened(stream: TextIO | None) -> TextIO:
    return Path(os.devnull).open("w", encoding="utf-8") if stream is None else stream
