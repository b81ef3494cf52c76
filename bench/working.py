"""The kinds of work: what somebody with much data asks for, again and again."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from bench.client import Client
from bench.visitor import Visitor

_LOOPS = 4


@dataclass(frozen=True, slots=True)
class Work:
    """Requests that are asked in turn, over so many connections."""

    requests: list[bytes]
    loops: int = _LOOPS


def _search(client: Client, visitor: Visitor) -> Work:
    texts = ("word0", "word17", "word1234", "word4999", "word12+word34", "wo", "nothing")
    return Work(
        [
            *(client.get(f"/api/v1/messages?search={text}") for text in texts),
            *(client.get(f"/api/v1/conversations?search={text}") for text in ("99", "nobody")),
            visitor.get("inbox?q=person+99"),
            visitor.get("messages?q=word17"),
        ]
    )


def _export(_: Client, visitor: Visitor) -> Work:
    """Export everything, as many times at once as one person may: few end within a window."""
    path = "messages/export?format="
    return Work([visitor.get(path + "csv"), visitor.get(path + "jsonl")], loops=2)


def _ask_for_statistics(client: Client, visitor: Visitor) -> Work:
    return Work(
        [
            client.get("/api/v1/messages/stats/summary"),
            visitor.get("statistics"),
            visitor.get(""),
        ]
    )


def _read_pages(client: Client, visitor: Visitor) -> Work:
    lists = ("messages", "conversations", "contacts", "devices", "webhooks/subscriptions/events")
    pages = ("inbox", "messages", "devices", "developers/deliveries", "audit")
    return Work(
        [*(client.get(f"/api/v1/{path}") for path in lists), *(visitor.get(path) for path in pages)]
    )


KINDS: Mapping[str, Callable[[Client, Visitor], Work]] = {
    "searches": _search,
    "exports": _export,
    "statistics": _ask_for_statistics,
    "pages": _read_pages,
}
