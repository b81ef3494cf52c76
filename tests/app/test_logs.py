"""Log lines: their form, what they leave out, and that nothing can stop the gateway by them."""

import json
import logging
import os
import pty
import re
import tempfile
import warnings
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import IO, Any

import pytest
import structlog

from each_case import for_each
from heliograph.platform.telemetry.logs import configure_logs
from heliograph.platform.telemetry.node_name import node_name
from heliograph.platform.telemetry.redaction import redact
from heliograph.settings import LogFormat, LogLevel, LogSettings
from plain_logs import logs_configured_anew, read_line

KEY = "hg_0YOMGjIB0JfuaJ26MjpXVI_tFPdby741Ji8EHcHoju3nrqxjIJJLgZ9OPDkJq38ul40plBH1"


@pytest.fixture
def log_file() -> Iterator[IO[str]]:
    """Where logs go."""
    with logs_configured_anew(), tempfile.TemporaryFile("w+") as file:
        _configure(file.fileno())
        yield file


def _read(file: IO[str]) -> str:
    file.seek(0)
    return file.read()


def _configure(
    descriptor: int, form: LogFormat = LogFormat.AUTO, level: LogLevel = LogLevel.INFO
) -> None:
    configure_logs(LogSettings(format=form, level=level), descriptor=descriptor)


def _lines(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def _check_password(password: str) -> None:
    raise ValueError("this is not the password")


def test_elsewhere_than_on_a_terminal_a_line_is_json(log_file: IO[str]) -> None:
    structlog.contextvars.bind_contextvars(request_id="req-1", run_id="run_1")

    structlog.get_logger().info("message handled", count=3, colours={"red"})

    [line] = _lines(_read(log_file))
    time = datetime.fromisoformat(line.pop("timestamp"))
    assert time.utcoffset() == timedelta(0)
    assert abs(datetime.now(UTC) - time) < timedelta(minutes=1)
    assert line == {
        "level": "info",
        "event": "message handled",
        "count": 3,
        "colours": ["red"],
        "request_id": "req-1",
        "run_id": "run_1",
        "node": node_name(),
    }


def test_lines_below_the_level_are_left_out(log_file: IO[str]) -> None:
    log = structlog.get_logger()
    log.debug("quiet")
    log.info("loud")
    assert [line["event"] for line in _lines(_read(log_file))] == ["loud"]


def test_libraries_write_the_same_lines_from_warnings_on(log_file: IO[str]) -> None:
    logging.getLogger("uvicorn.error").info("Started server process [%d]", 7)
    logging.getLogger("asyncio").warning("slow: %s", "0.5")
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.warn("old", DeprecationWarning, stacklevel=1)
    slow, old = _lines(_read(log_file))
    assert slow.keys() == {"timestamp", "level", "event", "logger", "node"}
    assert (slow["event"], slow["logger"], slow["level"]) == ("slow: 0.5", "asyncio", "warning")
    assert old["logger"] == "py.warnings"


@pytest.mark.parametrize("form", [LogFormat.JSON, LogFormat.CONSOLE])
@pytest.mark.parametrize("logger", [structlog.get_logger, logging.getLogger])
def test_a_traceback_shows_code_and_no_variables(
    log_file: IO[str], form: LogFormat, logger: Callable[[], Any]
) -> None:
    _configure(log_file.fileno(), form)
    try:
        _check_password("-".join(["hunter", "2"]))
    except ValueError:
        logger().exception("request failed")
    text = _read(log_file)
    assert "request failed" in text
    assert "ValueError: this is not the password" in text
    assert "_check_password" in text
    assert "hunter-2" not in text
    if form is LogFormat.JSON:
        assert _lines(text)[0]["exception"].startswith("Traceback")


def test_on_a_terminal_a_line_is_for_people(log_file: IO[str]) -> None:
    ours, theirs = pty.openpty()
    _configure(theirs)
    structlog.get_logger().warning("a node ended", exit_code=9, reason=None)
    line = re.sub(r"\x1b\[\d+m", "", read_line(ours))
    os.close(ours)
    os.close(theirs)
    assert re.match(
        r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ \[warning +\] a node ended +exit_code=9 ", line
    )
    assert "reason" not in line


def test_the_console_shows_strangers_characters_as_escapes(log_file: IO[str]) -> None:
    _configure(log_file.fileno(), LogFormat.CONSOLE)
    structlog.get_logger().info("request", path="/a\n2026 [info] forged\x1b[2J", name="Grüße")
    [line] = _read(log_file).splitlines()
    assert r"\n2026" in line
    assert r"\x1b[2J" in line
    assert "Grüße" in line


HOSTILE = "a\x1b]0;x\x07b\x9b3mc\u202ed\u2028e"
OBEYED = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u2028\u2029]")


@pytest.mark.parametrize("form", LogFormat)
def test_no_line_commands_a_terminal_nor_does_a_traceback(
    log_file: IO[str], form: LogFormat
) -> None:
    _configure(log_file.fileno(), form)
    try:
        raise ValueError(HOSTILE)
    except ValueError:
        structlog.get_logger().exception(HOSTILE, name=HOSTILE, names=[HOSTILE])
        logging.getLogger("library").exception("failed with %s", HOSTILE)
    text = _read(log_file)
    assert "ValueError" in text
    assert not OBEYED.search(text), repr(text)


def test_what_can_not_be_encoded_is_written_all_the_same(log_file: IO[str]) -> None:
    structlog.get_logger().info("odd", surrogate="\ud800", bare=object(), keys={(1, 2): 3})
    [line] = _lines(_read(log_file))
    assert line["surrogate"] == "\ud800"
    assert line["bare"].startswith("<object")


def test_a_reader_that_has_gone_stops_nothing(log_file: IO[str]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    _configure(writer)
    structlog.get_logger().error("nobody reads this")
    logging.getLogger("uvicorn").error("nor this")
    os.close(writer)


def test_what_looks_like_a_secret_is_blotted_out() -> None:
    line = f"key {KEY}, secret whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD, "
    line += "postgresql://heliograph:pa/ss@db.example:5432/x"
    shown = redact(line)
    assert shown == "key hg_0YOM…, secret whsec_…, postgresql://heliograph:…@db.example:5432/x"
    assert redact("http://example.com/a?b=c: 3@4") == "http://example.com/a?b=c: 3@4"


@for_each("piece", ["://:", "://a:", "hg_aaaaaaaaaaaa", "whsec_"])
def test_a_long_line_is_gone_through_once(piece: str) -> None:
    """Strangers choose what stands in a line, a request's path for one: going through it again
    from each `://` would take minutes here."""
    line = piece * 200_000
    assert redact(f'{line} "key {KEY}"').endswith('"key hg_0YOM…"')


def test_a_database_that_is_away_is_a_line_without_a_traceback(log_file: IO[str]) -> None:
    log = logging.getLogger("asyncpg.pool")
    try:
        raise ConnectionRefusedError("nobody answers at 5432")
    except ConnectionRefusedError:
        log.warning("Failed to restore the %s; retrying", "floor", exc_info=True)
    line = json.loads(_read(log_file))
    assert line["event"] == "Failed to restore the floor; retrying: nobody answers at 5432"
    assert "exception" not in line
