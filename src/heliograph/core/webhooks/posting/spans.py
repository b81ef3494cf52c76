"""The span of an attempt: a POST to a webhook, below the span that caused its event.

Names and attributes follow OpenTelemetry's conventions for HTTP clients, without the URL, since
many endpoints have a password in it.
"""

from contextlib import suppress
from urllib.parse import urlsplit

from heliograph.core.webhooks.model import ClaimedDelivery
from heliograph.core.webhooks.queue.batching import BATCH_TYPE
from heliograph.platform.telemetry.tracing import UNRECORDED, Span, Tracer


def begin_attempt(tracer: Tracer, delivery: ClaimedDelivery, url: str) -> Span:
    """Begin the span of one request. For a batch, it is below the first event that has a trace,
    with links to the others."""
    if not tracer.is_on:
        return UNRECORDED
    found = [each.trace_context for each in delivery.each]
    contexts = [context for context in found if context is not None]
    if not contexts:
        return UNRECORDED
    first, *others = contexts
    kind = BATCH_TYPE if delivery.members else delivery.event_type
    return tracer.begin(
        f"POST {kind}", "client", _attributes(delivery, kind, url), parent=first, links=others
    )


def describe_answer(
    span: Span, status: int | None, address: str | None, error_type: str | None
) -> None:
    """Add the response to the span. `error_type` is a word for programs, None after a success."""
    if span.context is None:
        return
    if status is not None:
        span.annotate({"http.response.status_code": status})
    if address is not None:
        span.annotate({"network.peer.address": address})
    if error_type is not None:
        span.fail(error_type)


def _attributes(delivery: ClaimedDelivery, kind: str, url: str) -> dict[str, str | int | bool]:
    target = urlsplit(url)
    attributes: dict[str, str | int | bool] = {
        "http.request.method": "POST",
        "url.scheme": target.scheme,
        "server.address": target.hostname or "",
        "heliograph.organization.id": str(delivery.tenant.organization_id),
        "heliograph.webhook.id": str(delivery.webhook_id),
        "heliograph.webhook.request_id": str(delivery.webhook_request_id),
        "heliograph.event.type": kind,
    }
    with suppress(ValueError):  # such an attempt fails, since the URL can't be dialed
        if target.port is not None:
            attributes["server.port"] = target.port
    if delivery.attempt_count:
        attributes["http.request.resend_count"] = delivery.attempt_count
    if delivery.members:
        attributes["messaging.batch.message_count"] = len(delivery.members)
    return attributes
