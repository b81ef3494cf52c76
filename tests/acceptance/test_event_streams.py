"""A stream of events whose node is killed: who goes on with the last id misses nothing."""

import json
import os
import signal
import threading
import time
from pathlib import Path
from typing import Any

import httpx
import pytest

from .running_program import Program, running, wait_for

PATIENCE = 60
MESSAGES = 60
KILLED_AFTER = (15, 30, 45)


class Consumer(threading.Thread):
    """Reads a stream, and connects again with the last id whenever it ends."""

    def __init__(self, program: Program) -> None:
        super().__init__(daemon=True)
        self._program = program
        self._last_id = ""
        self.found: list[str] = []
        self.is_connected = threading.Event()
        self.stop = threading.Event()

    def run(self) -> None:
        while not self.stop.is_set():
            try:
                self._listen()
            except httpx.TransportError:
                time.sleep(0.05)

    def _listen(self) -> None:
        demo = self._program.demo
        headers = {
            "Authorization": f"Bearer {demo['api_key']}",
            "Accept": "text/event-stream",
        }
        if self._last_id:
            headers["Last-Event-ID"] = self._last_id
        url = f"{demo['base_url']}/api/v1/events?after=oldest"
        with (
            httpx.Client(timeout=httpx.Timeout(5, read=PATIENCE)) as client,
            client.stream("GET", url, headers=headers) as answer,
        ):
            if answer.status_code != 200:
                return
            self.is_connected.set()
            event: dict[str, Any] = {}
            for line in answer.iter_lines():
                name, _, value = line.partition(": ")
                if line:
                    event[name] = value
                    continue
                if "data" in event:  # an event counts when it is whole
                    self.found.append(json.loads(event["data"])["id"])
                self._last_id = event.get("id", self._last_id)
                event = {}


@pytest.mark.extra_fault
def test_who_goes_on_after_a_kill_misses_nothing_and_gets_nothing_twice(fresh_dir: Path) -> None:
    with running(fresh_dir, nodes="2") as program:
        consumer = Consumer(program)
        consumer.start()
        wait_for(lambda: consumer.found, PATIENCE)
        for number in range(MESSAGES):
            send(program, f"test-{number}")
            if number in KILLED_AFTER:
                wait_for(consumer.is_connected.is_set, PATIENCE)
                consumer.is_connected.clear()
                for node in program.nodes():  # both, or another one may serve the stream
                    os.kill(node, signal.SIGKILL)
        wait_for(lambda: count_sent(program) == MESSAGES, PATIENCE)
        # receipts still come; but what was skipped, or came twice, would never be equal again
        wait_for(lambda: consumer.found == list_events(program), PATIENCE, every=0.5)
        consumer.stop.set()


def send(program: Program, key: str) -> None:
    def accepted() -> bool:
        try:
            program.send(key=key, text=key)
        except (httpx.TransportError, AssertionError):
            return False
        return True

    wait_for(accepted, PATIENCE)


def count_sent(program: Program) -> int:
    [row] = program.rows("SELECT count(*) AS n FROM messages WHERE sent_at IS NOT NULL")
    return int(row["n"])


def list_events(program: Program) -> list[str]:
    return [str(row["id"]) for row in program.rows("SELECT id FROM events ORDER BY seq")]
