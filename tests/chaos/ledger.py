"""The ledger: what was promised to clients and phones, against every effect that anybody saw.

A `Promise` is a message that somebody began; `answers` has what clients were answered. `shown` is
what the chat network has, `stored` what the gateway's rows say, `posted` what webhook receivers
got, in the order in which it came. `audit` tells every way in which they don't fit.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TypeVar

_Item = TypeVar("_Item")
_Key = TypeVar("_Key")

STEPS = ("message.sent", "message.delivered", "message.read")
RECEIVED = "message.received"


@dataclass(frozen=True, slots=True)
class Promise:
    """A message by its text, `tag`, which no other has. `place` is its number, from 0, among those
    of its sender to the same phone, or of the same phone."""

    tag: str
    tenant: str
    account_id: str
    phone: str
    place: int


@dataclass(frozen=True, slots=True)
class Shown:
    """A message as the chat network has it."""

    tag: str
    account_id: str
    phone: str
    chat_message_id: str


@dataclass(frozen=True, slots=True)
class Stored:
    """A message as the gateway has it."""

    tag: str
    tenant: str
    account_id: str
    phone: str
    message_id: str
    chat_message_id: str | None
    direction: str
    status: str


@dataclass(frozen=True, slots=True)
class Posted:
    """A webhook about a message as a receiver got it, at `at` of the monotonic clock; `tenant` is
    whose endpoint that was, `digest` tells one body from another."""

    tag: str
    tenant: str
    account_id: str
    phone: str
    message_id: str
    webhook_id: str
    type: str
    at: float = 0.0
    digest: bytes = b""


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that should not be: `kind` in a word or two, `what` with the values."""

    kind: str
    what: str


@dataclass(slots=True)
class Ledger:
    sent: dict[str, Promise] = field(default_factory=dict)
    said: dict[str, Promise] = field(default_factory=dict)
    answers: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    """The message ids of every 2xx, by tag."""
    shown: list[Shown] = field(default_factory=list)
    heard: list[Shown] = field(default_factory=list)
    """What phones wrote, as the network has it."""
    stored: list[Stored] = field(default_factory=list)
    posted: list[Posted] = field(default_factory=list)

    @property
    def accepted(self) -> list[Promise]:
        return [self.sent[tag] for tag in self.answers]

    def repeated(self) -> "Counter[tuple[str, str]]":
        """How often each webhook, by tenant and webhook-id, came after it had come before."""
        came = Counter((posted.tenant, posted.webhook_id) for posted in self.posted)
        return came - Counter(dict.fromkeys(came, 1))

    def repeats(self) -> int:
        """How many webhooks came that had come before, under the same id."""
        return self.repeated().total()


def audit(ledger: Ledger, *, repeats: int = 0) -> list[Fault]:
    """Every fault; `repeats` is how many webhooks may have come again under their own id."""
    faults = [fault for check in CHECKS for fault in check(ledger)]
    if ledger.repeats() > repeats:
        faults.append(Fault("repeated", f"{ledger.repeats()} webhooks again, {repeats} in flight"))
    return faults


def one_answer_each(ledger: Ledger) -> Iterator[Fault]:
    for tag, message_ids in ledger.answers.items():
        if len(set(message_ids)) > 1:
            yield Fault("doubled", f"{tag} was answered as {sorted(set(message_ids))}")


def accepted_is_shown_once(ledger: Ledger) -> Iterator[Fault]:
    shown = _by(ledger.shown, lambda each: each.tag)
    for promise in ledger.accepted:
        copies = shown.get(promise.tag, [])
        if not copies:
            yield Fault("lost", f"{promise.tag} is not on the network")
    for tag, copies in shown.items():
        if len(copies) > 1:
            yield Fault("doubled", f"{tag} has {[copy.chat_message_id for copy in copies]}")
        if tag not in ledger.sent:
            yield Fault("invented", f"nobody sent {tag}")
        else:
            yield from _misplaced(ledger.sent[tag], copies)


def one_message_for_a_network_id(ledger: Ledger) -> Iterator[Fault]:
    """The network deduplicates by id, so a second message under one id would be missing there: the
    rows say which id each message has."""
    outbound = [row for row in ledger.stored if row.direction == "outbound"]
    for key, rows in _by(outbound, lambda each: (each.account_id, each.chat_message_id)).items():
        if len(rows) > 1:
            yield Fault("id used twice", f"{key} for {sorted(row.tag for row in rows)}")
    ids = {row.tag: row.chat_message_id for row in outbound}
    for shown in ledger.shown:
        if ids.get(shown.tag) != shown.chat_message_id:
            yield Fault("other id", f"{shown.tag}: {ids.get(shown.tag)}, {shown.chat_message_id}")


def each_has_one_row(ledger: Ledger) -> Iterator[Fault]:
    stored = _by(ledger.stored, lambda each: each.tag)
    for tag, rows in stored.items():
        if len(rows) > 1:
            yield Fault("doubled", f"{tag} has {len(rows)} rows")
        if promise := ledger.sent.get(tag) or ledger.said.get(tag):
            yield from _misplaced(promise, rows)
    for promise in ledger.accepted:
        rows = stored.get(promise.tag, [])
        if not rows:
            yield Fault("lost", f"{promise.tag} has no row")
        elif rows[0].message_id not in ledger.answers[promise.tag]:
            yield Fault("other id", f"{promise.tag} was answered as another than {rows[0]}")
        elif rows[0].status != "read":
            yield Fault("unfinished", f"{promise.tag} is {rows[0].status}")


def each_step_is_posted(ledger: Ledger) -> Iterator[Fault]:
    """Once for each event: under one webhook id, to the tenant's own endpoint."""
    ids = _webhook_ids(ledger)
    steps = [(promise, step) for promise in ledger.accepted for step in STEPS]
    heard = [
        (ledger.said[message.tag], RECEIVED)
        for message in ledger.heard
        if message.tag in ledger.said
    ]
    for promise, step in steps + heard:
        found = ids.get((promise.tenant, promise.tag, step), [])
        if not found:
            yield Fault("lost", f"{step} of {promise.tag} was not posted")
    for (tenant, tag, step), found in ids.items():
        if len(found) > 1:
            yield Fault("doubled", f"{step} of {tag} was posted to {tenant} as {found}")


def what_is_posted_is_the_tenants(ledger: Ledger) -> Iterator[Fault]:
    for posted in ledger.posted:
        promise = ledger.sent.get(posted.tag) or ledger.said.get(posted.tag)
        if promise is None:
            yield Fault("invented", f"{posted}")
        else:
            yield from _misplaced(promise, [posted])


def what_comes_again_is_the_same(ledger: Ledger) -> Iterator[Fault]:
    """A receiver drops a double by its id, without looking into it."""
    bodies = _by(ledger.posted, lambda each: (each.tenant, each.webhook_id))
    for (tenant, webhook_id), copies in bodies.items():
        if len({copy.digest for copy in copies}) > 1:
            yield Fault("other body", f"{webhook_id} came to {tenant} as {copies}")


def heard_is_stored(ledger: Ledger) -> Iterator[Fault]:
    stored = {row.tag for row in ledger.stored if row.direction == "inbound"}
    for heard in ledger.heard:
        if heard.tag not in stored:
            yield Fault("lost", f"{heard.tag} was heard and has no row")


def webhooks_come_in_order(ledger: Ledger) -> Iterator[Fault]:
    """First arrivals: the steps of a message in order, messages of a conversation in order."""
    last_step: dict[str, int] = {}
    last_place: dict[tuple[str, str, str], int] = {}
    for posted in _first_arrivals(ledger):
        promise = ledger.sent.get(posted.tag) or ledger.said.get(posted.tag)
        if promise is None:
            continue
        if posted.type in STEPS:
            step = STEPS.index(posted.type)
            if step != last_step.get(posted.tag, -1) + 1:
                yield Fault("out of order", f"{posted.type} of {posted.tag}")
            last_step[posted.tag] = step
        if posted.type in (STEPS[0], RECEIVED):
            line = (posted.type, promise.account_id, promise.phone)
            if promise.place <= last_place.get(line, -1):
                yield Fault("out of order", f"{posted.tag} after place {last_place[line]}")
            last_place[line] = promise.place


CHECKS: tuple[Callable[[Ledger], Iterable[Fault]], ...] = (
    one_answer_each,
    accepted_is_shown_once,
    one_message_for_a_network_id,
    each_has_one_row,
    each_step_is_posted,
    what_is_posted_is_the_tenants,
    what_comes_again_is_the_same,
    heard_is_stored,
    webhooks_come_in_order,
)


def _misplaced(
    promise: Promise, found: "list[Shown] | list[Stored] | list[Posted]"
) -> Iterator[Fault]:
    """What is another account's, phone's or tenant's than it should be."""
    for copy in found:
        tenant = promise.tenant if isinstance(copy, Shown) else copy.tenant
        wanted = (promise.tenant, promise.account_id, promise.phone)
        if (tenant, copy.account_id, copy.phone) != wanted:
            yield Fault("mixed up", f"{promise} became {copy}")


def _webhook_ids(ledger: Ledger) -> dict[tuple[str, str, str], list[str]]:
    ids: dict[tuple[str, str, str], dict[str, None]] = defaultdict(dict)
    for posted in ledger.posted:
        ids[posted.tenant, posted.tag, posted.type][posted.webhook_id] = None
    return {key: list(found) for key, found in ids.items()}


def _first_arrivals(ledger: Ledger) -> list[Posted]:
    first: dict[tuple[str, str], Posted] = {}
    for posted in ledger.posted:
        first.setdefault((posted.tenant, posted.webhook_id), posted)
    return list(first.values())


def _by(items: Iterable[_Item], key: Callable[[_Item], _Key]) -> dict[_Key, list[_Item]]:
    found: dict[_Key, list[_Item]] = defaultdict(list)
    for item in items:
        found[key(item)].append(item)
    return found
