"""The spans of a message, from its acceptance to the network's receipts.

Names and attributes follow OpenTelemetry's conventions for messaging, with `heliograph.*` for the
rest. They contain no contents and no addresses.
"""

from collections.abc import Sequence

from heliograph.core.messages.model import ClaimedMessage, Message, MessageStatus, NewMessage
from heliograph.core.tenants.model import Tenant
from heliograph.platform.telemetry.tracing import SERVED, UNRECORDED, Attributes, Span, Tracer

_QUEUE = "message_queue"


def begin_acceptance(tracer: Tracer, message: NewMessage) -> Span:
    """Begin the span in which a message is stored. All later spans of the message descend from
    it."""
    if not tracer.is_on:
        return UNRECORDED
    attributes = _attributes(message, "create", "accept", _QUEUE)
    return tracer.begin(f"accept {_QUEUE}", "producer", attributes, parent=SERVED.get())


def begin_send(tracer: Tracer, message: ClaimedMessage, network: str) -> Span:
    """Begin the span of one attempt to send a message over a network."""
    context = message.trace_context
    if context is None or not tracer.is_on:
        return UNRECORDED
    attributes = {
        **_attributes(message, "send", "send", network),
        "messaging.system": network,
        "heliograph.attempt": message.retry_count + 1,
    }
    return tracer.begin(f"send {network}", "client", attributes, parent=context)


def begin_record(tracer: Tracer, message: Message, state: MessageStatus, began: int) -> Span:
    """Begin the span in which a status of a message is stored with its event, by a transaction that
    `began` then."""
    context = message.trace_context
    if context is None or not tracer.is_on:
        return UNRECORDED
    attributes = {
        **_attributes(message, "create", "record", f"message.{state.value}"),
        "heliograph.message.status": state.value,
    }
    name = f"record message.{state.value}"
    return tracer.begin(name, "producer", attributes, parent=context, began=began)


def begin_arrival(tracer: Tracer, message: Message, network: str, began: int) -> Span:
    """Begin the trace of an inbound message with the span in which it is stored, by a transaction
    that `began` then."""
    if not tracer.is_on:
        return UNRECORDED
    attributes = {
        **_attributes(message, "process", "receive", network),
        "messaging.system": network,
        "heliograph.message.status": message.status.value,
    }
    return tracer.begin(f"receive {network}", "consumer", attributes, began=began)


def add_batch_span(
    tracer: Tracer, name: str, contexts: Sequence[str], size: int, began: int
) -> None:
    """Add the span of a transaction that `began` then and has ended now, as a child of the first of
    these spans and with links to the others. `size` counts unrecorded ones, too."""
    first, *others = contexts
    attributes: Attributes = {"db.system.name": "postgresql", "messaging.batch.message_count": size}
    tracer.begin(name, "internal", attributes, parent=first, links=others, began=began).end()


def _attributes(
    message: NewMessage | ClaimedMessage | Message, kind: str, operation: str, destination: str
) -> dict[str, str | int | bool]:
    return {
        "messaging.system": "heliograph",
        "messaging.operation.type": kind,
        "messaging.operation.name": operation,
        "messaging.destination.name": destination,
        "messaging.message.id": str(message.id),
        **tenant_attributes(message.tenant),
        "heliograph.account.id": str(message.account_id),
    }


def tenant_attributes(tenant: Tenant) -> Attributes:
    return {"heliograph.organization.id": str(tenant.organization_id)}
