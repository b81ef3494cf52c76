"""Somebody new, who follows the pages: every line pasted, in their order.

One machine, one folder like a fresh clone, one shell for what is typed. Only what differs from one
machine to the next is filled in: ports, the secrets that commands have printed, the ids of answers.
"""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from acceptance.running_program import wait_for
from free_ports import free_port
from repository import ROOT

BLOCK = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
DONE = "@@ pasted"


@dataclass
class Newcomer:
    """Somebody with a folder, the gateway in one terminal, and a shell in another."""

    folder: Path
    ports: dict[str, int]
    shell: "subprocess.Popen[bytes]"
    output: Path
    gateway: str
    """What starts the gateway."""
    pasted: int = 0
    beside: "dict[str, subprocess.Popen[bytes]]" = field(default_factory=dict)
    known: dict[str, str] = field(default_factory=dict)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.ports['8000']}"

    def fill_in(self, code: str) -> str:
        for written, port in self.ports.items():
            code = re.sub(rf"(?<=\D){written}\b", str(port), code)
        for placeholder, value in self.known.items():
            code = code.replace(placeholder, value)
        return code

    def start(self, name: str, code: str) -> None:
        """Something that goes on, in a terminal of its own."""
        self.beside[name] = subprocess.Popen(
            ["bash", "-c", f"exec {code}" if "=" not in code.split()[0] else f"export {code}"],
            cwd=self.folder,
            env=environment(self.ports["8000"]),
            stdout=(self.folder / f"{name}.out").open("ab"),
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )

    def shown_by(self, name: str) -> str:
        return (self.folder / f"{name}.out").read_text()

    def paste(self, code: str) -> str:
        """What the shell shows for a block, which must not fail in any line."""
        code = self.fill_in(code)
        assert "…" not in code, f"nobody knows what to fill in here:\n{code}"
        before = len(self.output.read_text())
        self.pasted += 1
        mark = f"{DONE} {self.pasted}"
        assert self.shell.stdin is not None
        self.shell.stdin.write(f"{code}\necho '{mark}'\n".encode())
        self.shell.stdin.flush()
        wait_for(lambda: mark in self.output.read_text()[before:], 180)
        shown = self.output.read_text()[before:].replace(mark, "")
        assert "@@ failed" not in shown, f"{code}\n{shown}"
        return shown

    def get(self, path: str) -> dict[str, Any]:
        key = json.loads((self.folder / ".heliograph" / "demo.json").read_text())["api_key"]
        answer = httpx.get(
            f"{self.url}/api/v1{path}", headers={"Authorization": f"Bearer {key}"}, timeout=35
        )
        assert answer.status_code == 200, answer.text
        return dict(answer.json())

    def find_conversation(self) -> str | None:
        """The id that stands in every webhook, once the first was posted to the receiver."""
        found = re.search(r'"conversation_id": ?"([0-9a-f-]+)"', self.output.read_text())
        return found[1] if found else None

    def run_gateway(self) -> None:
        self.start("gateway", self.gateway)
        wait_for(self._is_connected, 180)  # `uvx` has to install it first

    def _is_connected(self) -> bool:
        with contextlib.suppress(OSError, httpx.TransportError, AssertionError):
            return bool(self.get("/devices?status=connected")["total"])
        return False

    def end(self) -> None:
        self.shell.kill()
        for process in self.beside.values():
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGTERM)
            process.wait(20)


def environment(port: int) -> dict[str, str]:
    kept = {name: text for name, text in os.environ.items() if "HELIOGRAPH" not in name}
    return kept | {"HELIOGRAPH_PORT": str(port)}


@contextlib.contextmanager
def arriving(folder: Path, program: Path, gateway: str | None = None) -> Iterator[Newcomer]:
    """Somebody in `folder`, which is like a fresh clone; `program` is the command `heliograph`, and
    `gateway` what starts it, `serve --demo` if nothing is said."""
    folder.mkdir()
    programs = folder / ".venv" / "bin"
    programs.mkdir(parents=True)
    (programs / "heliograph").symlink_to(program)
    ports = {written: free_port() for written in ("8000", "9000", "9001")}
    output = folder / "shell.out"
    shell = subprocess.Popen(
        ["bash"],
        cwd=folder,
        # the commands find the gateway by themselves, whatever its port
        env=environment(0) | {"HELIOGRAPH_PORT": "8000"},
        stdin=subprocess.PIPE,
        stdout=output.open("ab"),
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    found = Newcomer(folder, ports, shell, output, gateway or f"{program} serve --demo")
    found.paste("trap 'echo \"@@ failed: $BASH_COMMAND\"' ERR; set -o pipefail")
    try:
        yield found
    except BaseException:
        sys.stderr.write(output.read_text()[-20_000:])
        raise
    finally:
        found.end()
        with contextlib.suppress(ProcessLookupError):
            os.killpg(shell.pid, signal.SIGKILL)  # and what it has left running in the background


def blocks_of(page: str, begin: str, end: str) -> list[tuple[str, str]]:
    text = (ROOT / page).read_text(encoding="utf-8")
    return BLOCK.findall(text[text.index(begin) : text.index(end)])


def until_read(newcomer: Newcomer, message_id: str) -> dict[str, Any]:
    def read() -> dict[str, Any] | None:
        found = newcomer.get(f"/messages/{message_id}")
        return found if found["status"] == "read" else None

    return wait_for(read, 20)


def follow_the_readme(newcomer: Newcomer) -> None:
    """From "Try it" to "Make it yours", and look whether all has happened that it promises."""
    send = ""
    for language, code in blocks_of("README.md", "## Try it", "## Many nodes"):
        if language != "sh":
            continue
        if code.strip() == "make run":
            newcomer.run_gateway()
            key = json.loads((newcomer.folder / ".heliograph" / "demo.json").read_text())
            newcomer.known["hg_…"] = key["api_key"]
        elif code.strip().endswith("heliograph listen"):
            newcomer.start("listen", code.strip())
            wait_for(lambda: "Listening" in newcomer.shown_by("listen"), 30)
        else:
            shown = newcomer.paste(code)
            if "message_id" in shown and "MESSAGE_ID" not in newcomer.known:
                message_id = json.loads(shown.splitlines()[0])["message_id"]
                message = until_read(newcomer, message_id)
                newcomer.known |= {"MESSAGE_ID": message_id, "CONTACT_ID": message["contact_id"]}
                send = code
            if "webhooks create --url http://127.0.0.1" in code:
                newcomer.paste(send)  # "then send once more"
                newcomer.known["CONVERSATION_ID"] = wait_for(newcomer.find_conversation)
    steps = [f"message.{each}" for each in ("sent", "delivered", "read", "received")]
    wait_for(lambda: all(step in newcomer.shown_by("listen") for step in steps))
    shown = newcomer.output.read_text()
    assert f"{newcomer.url}/dashboard/invitations/" in shown
    assert "Paired and connected." in shown
