"""A client that sends a little all the time, and repeats what got no 2xx under the same key."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import httpx

from acceptance.running_program import BUTTONS, Program, buttons

PATIENCE = 12.0
"""Seconds: a request waits 5 s for the database, and may do so twice, for the key and to store."""


@dataclass(frozen=True, slots=True)
class Try:
    """What one request came to; `status` 0 is a connection that broke."""

    status: int
    seconds: float
    retry_after: str | None


@dataclass
class Trickle:
    program: Program
    people: int = 5
    accepted: dict[str, str] = field(default_factory=dict)
    """Our ids of what was accepted, by text."""
    tries: list[Try] = field(default_factory=list)
    _over: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread = field(init=False, repr=False)

    def start(self) -> None:
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def end(self) -> None:
        """Returns once the last request has been answered: from then on nothing is accepted."""
        self._over.set()
        self._thread.join(PATIENCE * 4)
        assert not self._thread.is_alive(), "the last request got no answer"

    def _run(self) -> None:
        number = 0
        headers = {"Authorization": f"Bearer {self.program.demo['api_key']}"}
        with httpx.Client(timeout=PATIENCE * 2, headers=headers) as client:
            while not self._over.wait(0.05):
                self._send(client, f"trickle {number}", f"+1555010{number % self.people:04}")
                number += 1

    def _send(self, client: httpx.Client, text: str, phone: str) -> None:
        """Until it is accepted, or the trickle ends."""
        url, body = self.program.demo["base_url"] + BUTTONS, buttons(phone, text)
        while not self._over.is_set():
            answer = self._try(client, url, body, text)
            if answer is not None and answer.is_success:
                self.accepted[text] = answer.json()["message_id"]
                return
            time.sleep(0.1)

    def _try(self, client: httpx.Client, url: str, body: object, key: str) -> httpx.Response | None:
        began = time.monotonic()
        try:
            answer = client.post(url, json=body, headers={"Idempotency-Key": key})
        except httpx.TransportError:
            self.tries.append(Try(0, time.monotonic() - began, None))
            return None
        took = time.monotonic() - began
        self.tries.append(Try(answer.status_code, took, answer.headers.get("retry-after")))
        return answer


@contextmanager
def trickling(program: Program) -> Iterator[Trickle]:
    """A trickle until the block ends."""
    trickle = Trickle(program)
    trickle.start()
    try:
        yield trickle
    finally:
        trickle.end()
