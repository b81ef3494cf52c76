"""The supervisor's log lines are those of every other process, byte for byte but for the time."""

import os
import pty
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
import structlog

from heliograph.platform.telemetry.logs import configure_logs
from heliograph.platform.telemetry.plain_log import PlainLog
from heliograph.settings import LogFormat, LogLevel, LogSettings
from plain_logs import logs_configured_anew, read_line

KEY = "hg_0YOMGjIB0JfuaJ26MjpXVI_tFPdby741Ji8EHcHoju3nrqxjIJJLgZ9OPDkJq38ul40plBH1"
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d")
FRACTION = re.compile(r"\.\d{6}Z")

LINES = (
    ("info", "ready", {"url": "http://127.0.0.1:8000", "nodes": 2}),
    ("warning", "a node ended; starting it again", {"exit_code": -9, "pause": 0.5}),
    ("error", "the private PostgreSQL does not start", {"error": 'No "space"\nleft\x1b[2J on é'}),
    ("info", "nothing", {"nothing": None, "empty": "", "yes": True, "odd": "a=b", "quote": "it's"}),
    ("info", f"secret {KEY}", {"url": "postgresql://a:hunter2@host/x"}),
)


@contextmanager
def opened(make: Callable[[], tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Where is read and where is written, of a pipe or of a terminal."""
    reader, writer = make()
    yield reader, writer
    os.close(reader)
    os.close(writer)


def both(where: tuple[int, int], chosen: LogFormat, line: tuple[str, str, dict[str, object]]):  # type: ignore[no-untyped-def]  # two texts
    reader, writer = where
    level, event, fields = line
    with logs_configured_anew():
        configure_logs(LogSettings(format=chosen), descriptor=writer)
        getattr(structlog.get_logger(), level)(event, **fields)
    theirs = read(reader)
    log = PlainLog(is_console=chosen is LogFormat.CONSOLE, descriptor=writer)
    getattr(log, level)(event, **fields)
    return read(reader), theirs


def read(descriptor: int) -> str:
    return FRACTION.sub("Z", TIME.sub("now", read_line(descriptor)))


@pytest.mark.parametrize("line", LINES, ids=lambda line: line[1][:20].encode("ascii", "replace"))
@pytest.mark.parametrize(
    ("make", "chosen"),
    [(os.pipe, LogFormat.JSON), (os.pipe, LogFormat.CONSOLE), (pty.openpty, LogFormat.CONSOLE)],
)
def test_a_line_is_what_the_others_write(
    make: Callable[[], tuple[int, int]],
    chosen: LogFormat,
    line: tuple[str, str, dict[str, object]],
) -> None:
    with opened(make) as descriptors:
        ours, theirs = both(descriptors, chosen, line)
    assert ours == theirs
    assert ("\033[" in ours) is (make is pty.openpty)


def test_what_is_below_the_level_is_left_out() -> None:
    with opened(os.pipe) as (reader, writer):
        log = PlainLog(is_console=False, least=LogLevel.ERROR, descriptor=writer)
        log.warning("quiet")
        log.error("loud")
        assert "quiet" not in read(reader)


def test_nobody_who_reads_is_no_error() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    PlainLog(is_console=False, descriptor=writer).info("hello")
    os.close(writer)


def test_it_needs_no_library() -> None:
    code = "import sys, heliograph.app.supervisor; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    names = {name.partition(".")[0] for name in loaded}
    foreign = names - sys.stdlib_module_names - {"heliograph", "__main__"}
    assert not {name for name in foreign if not name.startswith("_")}
