"""A webhook's options besides its URL and events: custom headers, a filter, batching.

All given values are checked here. A caller who is limited to some accounts can create, see and
change only webhooks whose filter names no others.
"""

import re
from collections.abc import Mapping

import msgspec

from heliograph.core.events.model import Event
from heliograph.core.tenants.model import Principal
from heliograph.core.webhooks.headers import is_reserved
from heliograph.core.webhooks.model import Batching, Webhook, WebhookFilter
from heliograph.core.webhooks.queue.batching import MAX_BATCH_EVENTS, MAX_BATCH_WAIT_MS
from heliograph.errors import AccountNotAllowedError, InvalidInputError

CHAT_TYPES = ("individual", "group")
"""The chat types, as in a message's record."""
MAX_HEADERS = 20
MAX_HEADER_NAME = 128
MAX_HEADER_VALUE = 1024
MAX_FILTER_ACCOUNTS = 100

_TOKEN = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+", re.ASCII)
"""The name of a header (RFC 9110, 5.6.2)."""
_VISIBLE = re.compile(r"[!-~]([ -~]*[!-~])?", re.ASCII)


def check_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """Return the headers as they are sent. Raises `InvalidInputError`, whose text contains no
    value."""
    if len(headers) > MAX_HEADERS:
        raise InvalidInputError.at(("headers",), f"A webhook has at most {MAX_HEADERS} headers.")
    seen: set[str] = set()
    for name, value in headers.items():
        if problem := _name_problem(name) or _value_problem(value):
            raise InvalidInputError.at(("headers", name), problem)
        if name.lower() in seen:
            raise InvalidInputError.at(("headers", name), "This header is given twice.")
        seen.add(name.lower())
    return dict(headers)


def _name_problem(name: str) -> str | None:
    if len(name) > MAX_HEADER_NAME or _TOKEN.fullmatch(name) is None:
        return (
            f"A header's name has 1 to {MAX_HEADER_NAME} letters, digits or characters of "
            "!#$%&'*+-.^_`|~."
        )
    if is_reserved(name):
        return "The gateway sets this header itself; choose another name."
    return None


def _value_problem(value: str) -> str | None:
    if len(value) > MAX_HEADER_VALUE or _VISIBLE.fullmatch(value) is None:
        return (
            f"A header's value has 1 to {MAX_HEADER_VALUE} visible ASCII characters, with spaces "
            "between them only."
        )
    return None


def check_filter(principal: Principal, wanted: WebhookFilter) -> WebhookFilter:
    """Return the filter to set: if it names no accounts, with those that the caller is limited to.
    Raises `InvalidInputError` and `AccountNotAllowedError`."""
    if wanted.chat_type is not None and wanted.chat_type not in CHAT_TYPES:
        names = " or ".join(CHAT_TYPES)
        raise InvalidInputError.at(
            ("filter", "chat_type"), f"A chat is {names}.", input=wanted.chat_type
        )
    accounts = wanted.chat_account_ids
    if accounts is None:
        own = principal.account_filter
        if own == []:
            raise AccountNotAllowedError
        return msgspec.structs.replace(wanted, chat_account_ids=own and tuple(own))
    if not 1 <= len(accounts) <= MAX_FILTER_ACCOUNTS:
        raise InvalidInputError.at(
            ("filter", "chat_account_ids"), f"Name 1 to {MAX_FILTER_ACCOUNTS} accounts, or none."
        )
    for account_id in accounts:
        principal.require_account(account_id)
    return msgspec.structs.replace(wanted, chat_account_ids=tuple(dict.fromkeys(accounts)))


def check_batch(batch: Batching | None) -> Batching | None:
    """Return the batching options. Raises `InvalidInputError` if they are out of bounds."""
    if batch is None:
        return None
    if not 1 <= batch.max_events <= MAX_BATCH_EVENTS:
        problem = f"A batch holds 1 to {MAX_BATCH_EVENTS} events."
        raise InvalidInputError.at(("batch", "max_events"), problem, input=batch.max_events)
    if not 0 <= batch.max_wait_ms <= MAX_BATCH_WAIT_MS:
        problem = f"An event waits 0 to {MAX_BATCH_WAIT_MS} ms for others."
        raise InvalidInputError.at(("batch", "max_wait_ms"), problem, input=batch.max_wait_ms)
    return batch


def may_see(principal: Principal, webhook: Webhook) -> bool:
    """Whether the webhook concerns only accounts that the caller may use."""
    if principal.account_ids is None:
        return True
    accounts = webhook.filter.chat_account_ids
    return accounts is not None and principal.account_ids.issuperset(accounts)


def require_webhook(principal: Principal, webhook: Webhook) -> None:
    """Raise `AccountNotAllowedError` unless the caller may see and change it."""
    if not may_see(principal, webhook):
        raise AccountNotAllowedError


def passes(wanted: WebhookFilter, event: Event) -> bool:
    """Whether an event, of a type that the webhook takes, passes this filter."""
    accounts = wanted.chat_account_ids
    if accounts is not None and event.account_id not in accounts:
        return False
    if wanted.chat_type is None or not event.type.startswith("message."):
        return True
    return _chat_type_of(event.payload) == wanted.chat_type


class _Chat(msgspec.Struct):
    chat_type: str | None = None


class _Body(msgspec.Struct):
    data: _Chat


_read_body = msgspec.json.Decoder(_Body).decode


def _chat_type_of(payload: bytes) -> str | None:
    return _read_body(payload).data.chat_type if payload else None
