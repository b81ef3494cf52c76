"""A gateway whose log is a file that logrotate moves away."""

import signal
from pathlib import Path

from acceptance.running_program import running, wait_for


def test_a_log_that_is_moved_away_goes_on_in_a_new_file(data_dir: Path) -> None:
    log = data_dir.with_name("gateway.log")
    with running(data_dir, log_file=str(log)) as program:
        wait_for(lambda: '"event":"ready"' in log.read_text(), 60)
        nodes = program.nodes()
        log.rename(log.with_suffix(".log.1"))
        program.process.send_signal(signal.SIGHUP)  # as many rules of logrotate do
        assert program.get("/api/v1/devices")["total"] > 0
        wait_for(lambda: log.exists() and says(log, "/api/v1/devices"), 60)
        assert program.nodes() == nodes
        assert program.process.poll() is None
        assert '"event":"request"' not in program.printed
    assert says(log, '"event":"stopping"')


def says(log: Path, what: str) -> bool:
    return what in log.read_text()
