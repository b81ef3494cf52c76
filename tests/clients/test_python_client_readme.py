"""The examples of the Python client's README, run as the one program that they are."""

import contextlib
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from acceptance.running_program import wait_for
from free_ports import free_port
from live_gateway import LiveGateway
from received_document import receive_document
from repository import ROOT

pytest_plugins = ("live_fixtures",)
CLIENT = ROOT / "clients" / "python"
README = (CLIENT / "README.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
EXPECTED = (
    r"^[0-9a-f-]{36} queued$",
    r"^message\.read \+15550100001$",
    r"^posted: [0-9a-f-]{36} webhook\.ping$",
    r"^\S+ \S+ \+15550100001 Hello$",
    r"^422 None body\.phone_number: .* [0-9a-f]{32}$",
    r"^\['body', 'phone_number'\] ",
    r"^[0-9a-f-]{36} 15 http://",
    r"^saved application/pdf 15$",
    r" (Your order is ready|Hello again)$",
)


def program_of(gateway: LiveGateway) -> str:
    """All blocks, filled in for this machine; at the end it waits, so that webhooks can come."""
    code = "\n".join(BLOCK.findall(README)).replace("hg_…", gateway.demo.api_key)
    code = code.replace(":8000", f":{gateway.port}")
    code = re.sub(r"\b9000\b", str(free_port()), code)
    return f"{code}\ninput()\n"


def missing_in(shown: str) -> list[str]:
    return [line for line in EXPECTED if not re.search(line, shown, re.MULTILINE)]


@pytest.mark.timeout(240)
def test_the_examples_run_and_print_what_they_should(gateway: LiveGateway, tmp_path: Path) -> None:
    receive_document(gateway)
    (tmp_path / "example.py").write_text(program_of(gateway), encoding="utf-8")
    output = tmp_path / "output.txt"
    with output.open("wb") as written:
        program = subprocess.Popen(
            (sys.executable, "-u", "example.py"),
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(CLIENT / "src")},
            stdin=subprocess.PIPE,
            stdout=written,
            stderr=written,
        )
    with contextlib.suppress(AssertionError):  # what is missing is shown below
        wait_for(lambda: program.poll() is not None or not missing_in(output.read_text()), 60)
    program.communicate(b"\n", timeout=30)
    shown = output.read_text()
    assert missing_in(shown) == [], shown
    assert program.returncode == 0, shown


def test_links_of_the_readme_lead_somewhere() -> None:
    links = re.findall(r"\]\((?!http)([^)#]+)", README)
    assert links
    assert [link for link in links if not (CLIENT / link).exists()] == []
