"""The audit finds what is planted: a ledger that fits has no fault, and each wrong has its name."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from chaos.ledger import RECEIVED, STEPS, Ledger, Posted, Promise, Shown, Stored, audit
from each_case import for_each

ACME, ACCOUNT, ADA, BRUNO = "acme", "account", "+15550100001", "+15550100002"
SPAM = Shown("spam", ACCOUNT, ADA, "net spam")

PLANTED: dict[str, tuple[str, Callable[[Ledger], object]]] = {
    "not on the network": ("lost", lambda it: it.shown.pop(0)),
    "without a row": ("lost", lambda it: it.stored.pop(0)),
    "heard and without a row": ("lost", lambda it: it.stored.pop(2)),
    **{
        f"the webhook {place} never came": ("lost", lambda it, at=place: it.posted.pop(at))  # type: ignore[misc]  # mypy infers no lambda with a default
        for place in range(2 * len(STEPS) + 1)
    },
    "twice on the network": ("doubled", lambda it: again(it.shown, 0, chat_message_id="other")),
    "two rows": ("doubled", lambda it: again(it.stored, 2, message_id="id of another")),
    "two answers": ("doubled", lambda it: it.answers["first"].append("id of another")),
    "two webhook ids": ("doubled", lambda it: again(it.posted, 0, webhook_id="another")),
    "a network id for two": (
        "id used twice",
        lambda it: change(it.stored, 1, chat_message_id="net first"),
    ),
    "another tenant's webhook": ("mixed up", lambda it: again(it.posted, 0, tenant="rival")),
    "shown to another phone": ("mixed up", lambda it: change(it.shown, 0, phone="+15550109999")),
    "stored of another phone": ("mixed up", lambda it: change(it.stored, 2, phone="+15550109999")),
    "posted of another phone": ("mixed up", lambda it: change(it.posted, 6, phone="+15550109999")),
    "nobody sent it": ("invented", lambda it: it.shown.append(SPAM)),
}
ALONE: dict[str, tuple[str, Callable[[Ledger], object]]] = {
    "another body": ("other body", lambda it: again(it.posted, 0, digest=b"other")),
    "another network id": ("other id", lambda it: change(it.shown, 0, chat_message_id="other")),
    "unread": ("unfinished", lambda it: change(it.stored, 0, status="sending")),
    "steps in another order": ("out of order", lambda it: it.posted.insert(0, it.posted.pop(1))),
    "messages in another order": (
        "out of order",
        lambda it: it.posted.extend([it.posted.pop(0) for _ in STEPS]),
    ),
}
"""What is wrong in one way, and in no other."""


def again(items: list[Any], place: int, **changes: object) -> None:
    items.append(replace(items[place], **changes))


def change(items: list[Any], place: int, **changes: object) -> None:
    items[place] = replace(items[place], **changes)


def kinds(ledger: Ledger, *, repeats: int = 0) -> set[str]:
    return {fault.kind for fault in audit(ledger, repeats=repeats)}


def fitting() -> Ledger:
    """Two messages to Ada and one from Bruno, with all that follows from them."""
    ledger = Ledger()
    for place, tag in enumerate(("first", "second")):
        ledger.sent[tag] = Promise(tag, ACME, ACCOUNT, ADA, place)
        ledger.answers[tag] = [f"id of {tag}"]
        ledger.shown.append(Shown(tag, ACCOUNT, ADA, f"net {tag}"))
        ledger.stored.append(stored(tag, ADA, "outbound", "read"))
        ledger.posted += [posted(tag, ADA, step) for step in STEPS]
    ledger.said["hello"] = Promise("hello", ACME, ACCOUNT, BRUNO, 0)
    ledger.heard.append(Shown("hello", ACCOUNT, BRUNO, "net hello"))
    ledger.stored.append(stored("hello", BRUNO, "inbound", "received"))
    ledger.posted.append(posted("hello", BRUNO, RECEIVED))
    return ledger


def stored(tag: str, phone: str, direction: str, status: str) -> Stored:
    return Stored(tag, ACME, ACCOUNT, phone, f"id of {tag}", f"net {tag}", direction, status)


def posted(tag: str, phone: str, step: str) -> Posted:
    return Posted(tag, ACME, ACCOUNT, phone, f"id of {tag}", f"{step} of {tag}", step)


def test_a_ledger_that_fits_has_no_fault() -> None:
    assert audit(fitting()) == []


@for_each(("kind", "plant"), PLANTED.values(), ids=PLANTED)
def test_what_is_planted_is_found(kind: str, plant: Callable[[Ledger], object]) -> None:
    ledger = fitting()
    plant(ledger)
    assert kind in kinds(ledger, repeats=10)


@for_each(("kind", "plant"), ALONE.values(), ids=ALONE)
def test_nothing_else_is_found(kind: str, plant: Callable[[Ledger], object]) -> None:
    ledger = fitting()
    plant(ledger)
    assert kinds(ledger, repeats=1) == {kind}


def test_a_webhook_that_comes_again_counts_as_repeated() -> None:
    ledger = fitting()
    ledger.posted.append(ledger.posted[0])
    assert kinds(ledger) == {"repeated"}
    assert kinds(ledger, repeats=1) == set()
