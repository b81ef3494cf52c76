"""A client that sends a little all the time, and repeats what got no 2xx under the same key."""

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx

from acceptance.running_program import BUTTONS, Program, buttons, wait_for
from chaos.stalls import Stalls

PATIENCE = 12.0
"""Seconds: a request waits 5 s for the database, and may do so twice, for the key and to store."""

WORKS_AGAIN = 120.0  # seconds until it does, on a machine with much else to do

STORED = "SELECT id, content ->> 'body' AS text FROM messages WHERE direction = 'outbound'"
SHOWN = "SELECT content::jsonb ->> 'body' AS text FROM sandbox.messages"
COUNTED = """
SELECT direction, status, sum(n)::int AS n FROM message_counts GROUP BY 1, 2 HAVING sum(n) <> 0
"""
RECOUNTED = "SELECT direction, status, count(*)::int AS n FROM messages GROUP BY 1, 2"
MISCOUNTED = f"({COUNTED} EXCEPT {RECOUNTED}) UNION ALL ({RECOUNTED} EXCEPT {COUNTED})"
"""In one statement: what was stored and not accepted may still be on its way."""


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

    def until_accepted(self, more: int) -> None:
        """Until so many more messages have been accepted."""
        wanted = len(self.accepted) + more
        wait_for(lambda: len(self.accepted) >= wanted, WORKS_AGAIN)

    def judge(self, rows: Callable[[str], list[Any]], stalls: Stalls) -> None:
        """Nothing lost, nothing doubled, counted once, and no client was kept waiting or sent away:
        by what `rows` finds in the database."""
        stored = {row["id"]: row["text"] for row in rows(STORED)}
        assert {text: str(at) for at, text in stored.items()}.items() >= self.accepted.items()
        assert len(set(stored.values())) == len(stored), "a key was accepted twice"
        shown = Counter(row["text"] for row in rows(SHOWN))
        assert set(self.accepted) <= set(shown)
        assert set(shown.values()) == {1}
        assert rows(MISCOUNTED) == []
        assert {attempt.status for attempt in self.tries} <= {0, 200, 503}
        assert all(attempt.retry_after for attempt in self.tries if attempt.status == 503)
        assert max(attempt.seconds for attempt in self.tries) - stalls.worst < PATIENCE

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
