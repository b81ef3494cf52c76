"""Verify what was posted to a webhook, and read its events."""

from collections.abc import Iterable
from typing import Protocol

from standardwebhooks import Webhook, WebhookVerificationError

from .events import Event, parse_event

__all__ = ["WebhookVerificationError", "verify_webhook"]


class Headers(Protocol):
    """A dict, or what a web framework calls the headers of a request."""

    def items(self) -> Iterable[tuple[str, str]]: ...


def verify_webhook(secret: str, body: bytes | str, headers: Headers) -> list[Event]:
    """Return the events of a request: one, or those of a batch.

    `secret` is the webhook's, `whsec_…`; `body` is the raw body, as it came, before any parsing;
    names of `headers` may be in any case. Raises `WebhookVerificationError` if no signature fits,
    or if its time is more than five minutes away.
    """
    given = {name.lower(): value for name, value in headers.items()}
    try:
        request = Webhook(secret).verify(body, given)
    except ValueError as error:  # a header or a body that can't be decoded
        raise WebhookVerificationError("Malformed webhook request") from error
    if request["type"] == "batch":
        return [parse_event(event["id"], event) for event in request["data"]["events"]]
    return [parse_event(given["webhook-id"], request)]
