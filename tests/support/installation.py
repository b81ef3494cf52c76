"""A gateway with a data directory of its own, run by its command line as an operator runs it."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import httpx

from free_ports import free_port
from heliograph.platform.parent_death import tie_to_parent
from prepared_data import prepare_data

PATIENCE = 180.0  # seconds for one command
SEND = "/api/v1/messages/send/interactive/buttons"


class Installation:
    """A data directory, and commands on it. `client` speaks to its gateway while one runs."""

    def __init__(self, data_dir: Path, **settings: str) -> None:
        self.data_dir = data_dir
        self.port = free_port()
        self.printed = data_dir.with_suffix(".log")
        own = {name: text for name, text in os.environ.items() if "HELIOGRAPH" not in name}
        settings = {"data_dir": str(data_dir), "port": str(self.port), **settings}
        self.environment = own | {f"HELIOGRAPH_{name.upper()}": settings[name] for name in settings}

    def call(self, *words: str | Path) -> "subprocess.Popen[bytes]":
        # into a file: nobody reads what a gateway logs, and a pipe that is full would stop it
        with self.printed.open("wb") as stream:
            return subprocess.Popen(
                [sys.executable, "-m", "heliograph", *map(str, words)],
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=stream,
                stderr=stream,
                preexec_fn=tie_to_parent(signal.SIGTERM),
            )

    def run(self, *words: str | Path) -> tuple[int, str]:
        """The exit code, and all that was printed, on one line."""
        code = self.call(*words).wait(PATIENCE)
        return code, " ".join(self.printed.read_text().split())

    def must(self, *words: str | Path) -> str:
        """What a command has printed that has done its work."""
        code, printed = self.run(*words)
        assert code == 0, printed
        return printed

    def refuse(self, *words: str | Path) -> str:
        """What a command has printed that has not."""
        code, printed = self.run(*words)
        assert code == 1, printed
        return printed

    @contextmanager
    def serving(self, demo: Path, how: signal.Signals = signal.SIGTERM) -> Iterator[httpx.Client]:
        """With the key of the demo in this file; at the end the gateway gets the signal `how`."""
        log = self.printed
        prepare_data(self.data_dir)
        process = self.call("serve", "--demo")
        self.printed = log.with_suffix(".command")
        base_url = f"http://127.0.0.1:{self.port}"
        try:
            _await_ready(base_url, process, log)
            headers = {"Authorization": f"Bearer {json.loads(demo.read_text())['api_key']}"}
            with httpx.Client(base_url=base_url, headers=headers, timeout=60) as client:
                yield client
        finally:
            process.send_signal(how)
            process.wait(PATIENCE)


def _await_ready(base_url: str, process: "subprocess.Popen[bytes]", log: Path) -> None:
    deadline = time.monotonic() + PATIENCE
    while True:
        with suppress(httpx.TransportError):
            if httpx.get(base_url + "/readyz", timeout=5).is_success:
                return
        assert process.poll() is None, log.read_text()
        assert time.monotonic() < deadline, log.read_text()
        time.sleep(0.2)


class Accepted:
    """Messages that were accepted, by their order; posted until the block ends."""

    def __init__(self, client: httpx.Client, demo: Path) -> None:
        self._client, self._demo = client, json.loads(demo.read_text())
        self.ids: list[str] = []
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._post)

    def __enter__(self) -> "Accepted":
        self._thread.start()
        while len(self.ids) < 5:
            time.sleep(0.05)
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _post(self) -> None:
        while not self._stop.wait(0.05):
            self.ids.append(send(self._client, self._demo))


def send(client: httpx.Client, demo: dict[str, str]) -> str:
    body = {
        "phone_number": demo["contact_phone"],
        "body": "Is 20:00 right?",
        "buttons": [{"id": "yes", "title": "Yes"}],
    }
    answer = client.post(SEND, json=body)
    assert answer.is_success, answer.text
    return str(answer.json()["message_id"])
