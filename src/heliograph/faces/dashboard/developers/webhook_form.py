"""The form of a webhook: its address and events, and further options."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from heliograph.core.webhooks.model import Batching, Webhook, WebhookFilter
from heliograph.core.webhooks.queue.batching import MAX_BATCH_EVENTS, MAX_BATCH_WAIT_MS
from heliograph.errors import InvalidInputError
from heliograph.faces.dashboard.pages.forms import list_ticked, parse
from heliograph.faces.dashboard.pages.registry import Visit

LIMITS = {"events": MAX_BATCH_EVENTS, "wait": MAX_BATCH_WAIT_MS}
_USUAL_WAIT = 1_000  # ms


@dataclass(frozen=True, slots=True)
class GivenWebhook:
    """The form as it is shown: `devices` are ids as texts, `header_names` those that are set."""

    url: str = ""
    description: str = ""
    events: Sequence[str] = ()
    devices: Sequence[str] = ()
    chat_type: str = ""
    batch_events: str = ""
    batch_wait: str = ""
    headers: str = ""
    header_names: Sequence[str] = ()


def of_webhook(webhook: Webhook) -> GivenWebhook:
    batch = webhook.batch
    return GivenWebhook(
        url=webhook.url,
        description=webhook.description,
        events=webhook.events,
        devices=[str(id_) for id_ in webhook.filter.chat_account_ids or ()],
        chat_type=webhook.filter.chat_type or "",
        batch_events=str(batch.max_events) if batch else "",
        batch_wait=str(batch.max_wait_ms) if batch else "",
        header_names=webhook.header_names,
    )


def as_typed(visit: Visit, header_names: Sequence[str] = ()) -> GivenWebhook:
    return GivenWebhook(
        url=visit.text("url"),
        description=visit.text("description"),
        events=list_ticked(visit, "event"),
        devices=list_ticked(visit, "device"),
        chat_type=visit.text("chat_type"),
        batch_events=visit.text("batch_events"),
        batch_wait=visit.text("batch_wait"),
        headers=visit.text("headers"),
        header_names=header_names,
    )


def read_options(visit: Visit) -> dict[str, Any]:
    """Return the filter and the batch that the form asks for, as the service takes them. Raises
    `InvalidInputError`."""
    devices = [
        parse(UUID, given, "device", "There is no such device.")
        for given in list_ticked(visit, "device")
    ]
    only = WebhookFilter(
        chat_account_ids=tuple(devices) or None, chat_type=visit.text("chat_type") or None
    )
    return {"filter_": only, "batch": _batch(visit)}


def read_headers(visit: Visit) -> Mapping[str, str] | None:
    """Return the headers that replace those that are set; None where the form leaves them alone.

    They are never shown again, so an empty field leaves them as they are; `no_headers` removes
    them. Raises `InvalidInputError`.
    """
    if visit.text("no_headers"):
        return {}
    found: dict[str, str] = {}
    for line in visit.text("headers").splitlines():
        name, colon, value = line.partition(":")
        if line.strip() and not colon:
            raise InvalidInputError.at(("headers",), "A header is written as Name: value.")
        if line.strip():
            found[name.strip()] = value.strip()
    return found or None


def _batch(visit: Visit) -> Batching | None:
    events = visit.text("batch_events")
    if not events:
        return None
    wait = visit.text("batch_wait")
    return Batching(
        max_events=_number(events, "batch_events"),
        max_wait_ms=_number(wait, "batch_wait") if wait else _USUAL_WAIT,
    )


def _number(text: str, name: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) < 10):
        raise InvalidInputError.at((name,), "Batch values are whole numbers.")
    return int(text)
