"""The README and Getting started, followed by somebody new: every line pasted, in their order."""

import json
import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from acceptance.newcomer import Newcomer, arriving, blocks_of, follow_the_readme
from acceptance.running_program import wait_for

pytestmark = [
    pytest.mark.extra_fault,
    pytest.mark.timeout(480),  # two dozen programs are started, one after the other
]


@pytest.fixture(scope="module")
def newcomer(reachable_dir: Path) -> Iterator[Newcomer]:
    folder = Path(tempfile.mkdtemp(dir=reachable_dir)) / "clone"
    with arriving(folder, Path(sys.executable).with_name("heliograph")) as found:
        yield found


def test_the_readme(newcomer: Newcomer) -> None:
    follow_the_readme(newcomer)


def test_getting_started_after_the_readme(newcomer: Newcomer) -> None:
    assert "MESSAGE_ID" in newcomer.known, "the README was followed before"
    newcomer.known.pop("hg_…")
    for language, code in blocks_of("docs/getting-started.md", "# Getting started", "## Next"):
        if language == "python":
            (newcomer.folder / "receiver.py").write_text(newcomer.fill_in(code))
        elif "python3 receiver.py" in code:
            newcomer.start("receiver", newcomer.fill_in(code).strip().replace(" ", "; exec ", 1))
        elif "kill -9" in code:
            newcomer.paste(code)
            newcomer.beside["gateway"].wait(10)
            newcomer.run_gateway()
        elif language == "sh":
            follow(newcomer, code)
    expected = ("'yes'", *(f"message.{each}" for each in ("sent", "delivered", "read", "received")))
    wait_for(lambda: all(each in newcomer.shown_by("receiver") for each in expected))


def follow(newcomer: Newcomer, code: str) -> None:
    shown = newcomer.paste(code)
    for placeholder, form in (("hg_…", r"\bhg_\w+"), ("whsec_…", r"whsec_\S+")):
        for secret in re.findall(form, shown):
            newcomer.known[placeholder] = secret
    if "accounts list" in code:
        assert "connected" in shown
    if "Idempotency-Key" in code:  # as the page says: the receiver prints these
        wait_for(lambda: "message.read" in newcomer.shown_by("receiver"), 20)
        again = newcomer.paste(code)
        assert json.loads(again.splitlines()[0]) == json.loads(shown.splitlines()[0])
