"""The log in a file that others rotate, by either way that logrotate knows."""

import os
import shutil
from pathlib import Path

import pytest
import structlog

from heliograph.errors import ConfigurationError
from heliograph.platform.telemetry.logs import configure_logs, open_log_file
from heliograph.platform.telemetry.plain_log import LogFile, PlainLog
from heliograph.settings import LogSettings
from plain_logs import logs_configured_anew


def test_a_file_that_was_renamed_is_opened_again(tmp_path: Path) -> None:
    path = tmp_path / "gateway.log"
    first, second = LogFile(str(path)), LogFile(str(path))
    first.write("one")
    path.rename(tmp_path / "gateway.log.1")
    second.write("two")
    first.write("three")
    assert (tmp_path / "gateway.log.1").read_text() == "one\n"
    assert path.read_text() == "two\nthree\n"


def test_a_file_that_was_copied_and_emptied_begins_anew(tmp_path: Path) -> None:
    path = tmp_path / "gateway.log"
    log = LogFile(str(path))
    log.write("one")
    shutil.copy(path, tmp_path / "gateway.log.1")
    os.truncate(path, 0)
    log.write("two")
    assert path.read_bytes() == b"two\n"


def test_a_folder_that_is_gone_stops_nothing_and_may_come_back(tmp_path: Path) -> None:
    folder = tmp_path / "logs"
    folder.mkdir()
    log = LogFile(str(folder / "gateway.log"))
    shutil.rmtree(folder)
    log.write("one")
    folder.mkdir()
    log.write("two")
    assert (folder / "gateway.log").read_text() == "two\n"


def test_both_kinds_of_logs_append_lines_for_machines(tmp_path: Path) -> None:
    path = tmp_path / "gateway.log"
    settings = LogSettings(file=path)
    with logs_configured_anew():
        configure_logs(settings, is_gateway=True)
        structlog.get_logger().info("hello", number=1)
        PlainLog(is_console=False, file=open_log_file(settings)).info("hello", number=2)
    first, second = path.read_text().splitlines()
    assert '"event":"hello","number":1' in first
    assert '"event":"hello","number":2' in second
    assert path.stat().st_mode & 0o007 == 0, "it is nobody else's to read"


def test_a_command_logs_to_its_user(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "gateway.log"
    with logs_configured_anew():
        configure_logs(LogSettings(file=path))
        structlog.get_logger().info("hello")
    assert not path.exists()


def test_a_file_that_can_not_be_opened_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"The log can't be written to .*: No such file"):
        open_log_file(LogSettings(file=tmp_path / "none" / "gateway.log"))
