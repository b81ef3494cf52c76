"""The file with which scripts use the demo: private, whoever else may write beside it."""

from pathlib import Path

from heliograph.core.demo import FILE, find_demo
from live_gateway import LiveGateway

pytest_plugins = ("live_fixtures",)


def test_it_is_private_and_written_through_no_link(gateway: LiveGateway, tmp_path: Path) -> None:
    theirs = tmp_path / "theirs"
    theirs.write_text("theirs")
    (tmp_path / "demo.tmp").symlink_to(theirs)
    demo = gateway.run(lambda running: running.demo.ensure(tmp_path / FILE, "http://test"))
    assert find_demo(tmp_path) == demo
    assert (tmp_path / FILE).stat().st_mode & 0o777 == 0o600
    assert theirs.read_text() == "theirs"
