"""The program as users run it: started with `serve --demo`, asked over HTTP, driven by the CLI."""

import asyncio
import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import httpx
from typer.testing import CliRunner

from citus import fetch
from heliograph.faces import cli
from heliograph.platform.embedded.server import find_owner_url
from heliograph.settings import DataSettings, Settings
from prepared_data import prepare_data
from processes import LIVING_NODES, are_working, list_nodes

CLI = [sys.executable, "-P", "-m", "heliograph"]  # as the command looks for modules
BUTTONS = "/api/v1/messages/send/interactive/buttons"
T = TypeVar("T")

STARTED, STOPPED = 240, 60
"""Seconds, on a machine with much else to do: how fast it is, is said elsewhere."""
ANSWERED = 70
"""Seconds; an answer takes 10 at most, and httpx itself waits for 5."""


@dataclass
class Program:
    """A gateway that runs, and the ways in which its users reach it."""

    data_dir: Path
    environment: dict[str, str]
    output: Path
    process: "subprocess.Popen[bytes]"
    client: httpx.Client = field(default_factory=lambda: httpx.Client(timeout=ANSWERED))

    @property
    def demo(self) -> dict[str, str]:
        return dict(json.loads((self.data_dir / "demo.json").read_text()))

    @property
    def sign_in_code(self) -> str:
        """The one that works now."""
        return (self.data_dir / "sign-in-code").read_text().strip()

    @property
    def account_id(self) -> str:
        return self.demo["chat_account_id"]

    @property
    def phone(self) -> str:
        return self.demo["contact_phone"]

    @property
    def printed(self) -> str:
        """Everything that the gateway has printed."""
        return self.output.read_text()

    def ask(self, method: str, path: str, **request: Any) -> httpx.Response:
        """One request with the demo's key, on a connection of its own: any node may answer."""
        headers = {"Authorization": f"Bearer {self.demo['api_key']}", "Connection": "close"}
        headers |= request.pop("headers", {})
        return self.client.request(method, self.demo["base_url"] + path, headers=headers, **request)

    def get(self, path: str) -> dict[str, Any]:
        """The body of an answer that is a success."""
        answer = self.ask("GET", path)
        assert answer.status_code == 200, answer.text
        return dict(answer.json())

    def send(self, phone: str = "", *, key: str | None = None, text: str = "Well?") -> str:
        """Send buttons; the message's id."""
        headers = {"Idempotency-Key": key} if key else {}
        answer = self.ask("POST", BUTTONS, json=buttons(phone or self.phone, text), headers=headers)
        assert answer.status_code == 200, answer.text
        return str(answer.json()["message_id"])

    def wait_for_status(self, message_id: str, status: str, seconds: float = 60) -> dict[str, Any]:
        def reached() -> dict[str, Any] | None:
            message = self.get(f"/api/v1/messages/{message_id}")
            return message if message["status"] == status else None

        return wait_for(reached, seconds)

    def cli(self, *arguments: str) -> str:
        """What a command prints that succeeds. It runs in this process, which saves most of its
        time, and on a thread of its own, since a browser's loop may run on this one."""
        with ThreadPoolExecutor(1) as thread:
            done = thread.submit(
                CliRunner().invoke, cli.app, arguments, env=self.environment
            ).result()
        assert done.exit_code == 0, (done.output, done.exception)
        return done.stdout.strip()

    def receipts_at_once(self) -> None:
        """Let phones deliver and read messages as soon as they are sent."""
        values = ("--set", "delivered_delay=0", "--set", "read_delay=0")
        self.cli("accounts", "change", self.account_id, *values)

    def rows(self, statement: str, *values: object) -> list[dict[str, Any]]:
        """What a statement finds in the gateway's own database, whose owner may do all."""
        url = find_owner_url(Settings(data=DataSettings(dir=self.data_dir)))
        with ThreadPoolExecutor(1) as thread:  # as above
            rows = thread.submit(asyncio.run, fetch(url, statement, *values)).result()
        return [dict(row) for row in rows]

    def statistics(self, by: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
        """What the API counts, and the rows by these columns that nothing has changed meanwhile."""
        count = f"SELECT {by}, count(*) AS n FROM messages GROUP BY {by} ORDER BY {by}"  # noqa: S608 - ours

        def look() -> tuple[dict[str, Any], list[dict[str, Any]]] | None:
            before, told = self.rows(count), self.get("/api/v1/messages/stats/summary")
            return (told, before) if self.rows(count) == before else None

        return wait_for(look)

    def call(self, *arguments: str, **settings: str) -> "subprocess.CompletedProcess[str]":
        """What becomes of a command in a process of its own; `settings` are as above."""
        changed = {f"HELIOGRAPH_{name.upper()}": text for name, text in settings.items()}
        return subprocess.run(
            [*CLI, *arguments],
            env=self.environment | changed,
            check=False,
            capture_output=True,
            text=True,
            timeout=STARTED,
        )

    def nodes(self) -> list[int]:
        """The process ids of the nodes."""
        return list_nodes(self.process.pid)

    def working_nodes(
        self, count: int, rows: Callable[[str], Sequence[Mapping[str, Any]]]
    ) -> list[int]:
        """The same, once there are so many and all take part, by the rows of their database."""
        wait_for(lambda: are_working(self.nodes(), rows(LIVING_NODES), count))
        return self.nodes()

    def interrupt(self) -> float:
        """Ctrl-C; the seconds until everything has stopped."""
        began = time.monotonic()
        self.process.send_signal(signal.SIGINT)
        assert self.process.wait(STOPPED) == 0
        return time.monotonic() - began


def buttons(phone: str, text: str = "Well?") -> dict[str, Any]:
    return {
        "phone_number": phone,
        "body": text,
        "buttons": [{"id": "yes", "title": "Yes"}, {"id": "no", "title": "No"}],
    }


@contextlib.contextmanager
def running(data_dir: Path, **settings: str) -> Iterator[Program]:
    """`serve --demo` until the block ends; `settings` are HELIOGRAPH_… variables."""
    environment = {name: text for name, text in os.environ.items() if "HELIOGRAPH" not in name}
    environment |= {"HELIOGRAPH_DATA_DIR": str(data_dir), "HELIOGRAPH_PORT": "0"}
    environment |= {f"HELIOGRAPH_{name.upper()}": text for name, text in settings.items()}
    output = data_dir.with_suffix(".out")
    prepare_data(data_dir)
    with output.open("ab") as stream:
        process = subprocess.Popen(
            [*CLI, "serve", "--demo"], env=environment, stdout=stream, stderr=stream
        )
    program = Program(data_dir, environment, output, process)
    try:
        wait_for(lambda: is_connected(program), STARTED)
        yield program
    except BaseException:
        sys.stderr.write(program.printed[-20_000:])
        raise
    finally:
        program.client.close()
        process.terminate()
        process.wait(STOPPED)


def is_connected(program: Program) -> bool:
    assert program.process.poll() is None, "the gateway ended"
    if not (program.data_dir / "demo.json").exists():
        return False
    with contextlib.suppress(httpx.TransportError):
        answer = program.ask("GET", "/api/v1/devices?status=connected")
        return answer.status_code == 200 and answer.json()["total"] > 0
    return False


def whole_lines(output: Path) -> list[bytes]:
    """What has been printed to a file; the last line may just be being written."""
    return output.read_bytes().rpartition(b"\n")[0].splitlines()


def wait_for(found: Callable[[], T | None], seconds: float = 60, *, every: float = 0.05) -> T:
    """What `found` returns, once that is something; it is asked `every` so many seconds."""
    deadline = time.monotonic() + seconds
    while not (result := found()):
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(every)
    return result
