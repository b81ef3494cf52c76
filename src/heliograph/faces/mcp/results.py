"""Results of tool calls, and errors with a next step that a model can act on.

The text is JSON in either case. Only a success also has it as structured content.
"""

from collections.abc import Iterable
from typing import Any

import mcp_types as protocol
import msgspec
from pydantic import ValidationError
from pydantic_core import ErrorDetails
from starlette.responses import Response

from heliograph.core.idempotency.service import StoredResponse
from heliograph.errors import GatewayError, InvalidInputError
from heliograph.faces.api.encoding import respond, respond_stored
from heliograph.faces.mcp.tool import Tool
from heliograph.faces.mcp.untrusted_pointers import MEMBER, mark_untrusted
from heliograph.faces.unavailability import log_unavailable
from heliograph.input_problems import limit_bodies
from heliograph.networks.errors import NetworkError

_encoder = msgspec.json.Encoder()
_REPEATS_THE_NETWORK = {"network_error", "network_refused", "refused_for_good"}

_ADVICE = {
    "other_organization": "Use an id of your own organization, from one of the tools that list.",
    "missing_scope": "Ask for a key with that scope (dashboard, Developers, Keys).",
    "account_not_allowed": "Use an account that this key may use: see list_devices.",
    "expiry_not_allowed": "Ask for a key that is valid as long (dashboard, Developers, Keys).",
    "not_found": "Check the id; list the existing ones first.",
    "conversation_not_found": "Use an id from list_conversations, or from a message's webhook.",
    "message_not_found": "Use the message_id that the send returned, or one from list_messages.",
    "contact_not_found": "Use an id from list_contacts, or the contact_id of a message.",
    "chat_account_not_found": "Use an id from list_devices.",
    "session_not_found": "Use a session_name from list_devices.",
    "api_key_not_found": "Keys are made, rotated and revoked by a person: in the dashboard under "
    "Developers, Keys.",
    "picture_not_found": "There is nothing to show: continue without a picture.",
    "media_not_found": "Upload the file again, and use the id in the answer.",
    "subscription_not_found": "Use an id from list_webhooks.",
    "delivery_not_found": "Use an id from list_org_webhook_events.",
    "chat_account_not_connected": "See list_devices. When the device is pairing or logged out, a "
    "person must pair it in the dashboard under Devices; otherwise wait a few seconds and try "
    "again.",
    "chat_account_connected": "A person must log the device out first, in the dashboard under "
    "Devices.",
    "no_qr_code": "A person pairs devices, in the dashboard under Devices.",
    "no_chat_account": "A person must connect an account in the dashboard under Devices.",
    "idempotency_conflict": "Wait a second and repeat the same call.",
    "already_in_group": "There is nothing left to do: the account is in that group.",
    "approval_required": "Wait until an admin of the group lets the account in.",
    "not_supported_by_network": "Choose an account on another network, or do without.",
    "job_unknown": "Check on the network whether it was done; ask a person before you do it again.",
    "already_sent": "The message has been sent, or may have been: it is too late to cancel. "
    "delete_message takes it back.",
    "not_sent": "There is nothing to change: send the message again if it is still wanted. If the "
    "detail says that it may be on the phone, ask a person first: it could arrive twice.",
    "message_deleted": "The message is gone for everyone: there is nothing left to change.",
    "webhook_disabled": "Enable the webhook with enable_webhook, then repeat the same call.",
    "media_in_use": "Wait until the message with the file is sent, or cancel it first.",
    "too_old": "Send another message: this one can't be changed any more.",
    "refused_for_good": "Read the reason: the same call will never work. Change it, or do without.",
    "invite_revoked": "Ask for a new invite link.",
    "cursor_expired": "Start again with after `oldest`, and skip the events that you know.",
    "too_many_readers": "Wait until one of the other waiting calls has ended.",
    "too_many_reads": "Wait for retry_after seconds, then try again, with fewer calls at once.",
    "too_many_secrets": "Wait until the time named above, or rotate without a grace period.",
    "rate_limited": "Wait for retry_after seconds, then try again.",
    "plan_limit_reached": "Wait until resets_at; where that is null, a person must make "
    "room, or ask the operator for another plan.",
    "network_refused": "Read the reason; try again once its cause has changed.",
    "network_timeout": "Repeat with the same idempotency_key: it waits for the result.",
    "unavailable": "Wait for retry_after seconds, then repeat with the same idempotency_key.",
    "invalid_input": "Correct the values named above; the tool's input schema has the rules.",
    "network_error": "See list_phones for the phones, and read_phone for the buttons.",
    "internal_error": "Try again. If it fails again, tell the operator the request id.",
}

_AS_SCHEMAS_SAY = {"model_type": "Input should be an object"}

OTHERWISE = "Read what it says."
"""For a code of another version, stored under an idempotency key during an update of the nodes."""


def advise(code: str) -> str:
    """Return one or two sentences on what to do after an error with this code."""
    return _ADVICE.get(code, OTHERWISE)


def success(tool: Tool, value: object) -> protocol.CallToolResult:
    """Return a record, or the API's answer with one, as data and as text."""
    if isinstance(value, StoredResponse):
        value = respond_stored(value)
    answer = value if isinstance(value, Response) else respond(value)
    encoded = bytes(answer.body)
    result: dict[str, Any] = msgspec.json.decode(encoded)
    if answer.status_code >= 400:
        return _error(_with_next_step(result))
    if tool.untrusted:
        result = mark_untrusted(result, tool.untrusted)
        encoded = _encoder.encode(result)
    return protocol.CallToolResult(
        content=[protocol.TextContent(text=encoded.decode())], structured_content=result
    )


def failure(error: Exception, request_id: str, *, has_key: bool = False) -> protocol.CallToolResult:
    """Return a result that says what went wrong, with which value, and what to do next; `has_key`
    says that the call has an `idempotency_key`."""
    return _error(describe_error(error, request_id, has_key=has_key))


def describe_error(error: Exception, request_id: str, *, has_key: bool = False) -> dict[str, Any]:
    """Return `detail`, `code`, `next_step`, and whatever else the API's error has."""
    body = msgspec.to_builtins(_body(error, request_id, has_key))
    return _with_next_step(body)


def _body(error: Exception, request_id: str, has_key: bool) -> dict[str, Any]:
    match error:
        case GatewayError():
            log_unavailable(error)
            return error.body_under_key() if has_key else error.body()
        case InvalidInputError():
            return _invalid(
                _problem(_argument(tuple(problem["loc"])), problem["msg"])
                for problem in limit_bodies([each.body() for each in error.problems])
            )
        case ValidationError():
            found = [{"loc": problem["loc"], "msg": _say(problem)} for problem in error.errors()]
            return _invalid(
                _problem(tuple(problem["loc"]), problem["msg"]) for problem in limit_bodies(found)
            )
        case NetworkError():
            return {"detail": error.reason, "code": "network_error"}
        case _:
            detail = "Something went wrong inside the gateway."
            return {"detail": detail, "code": "internal_error", "request_id": request_id}


def _invalid(problems: Iterable[str]) -> dict[str, Any]:
    return {"detail": " ".join(problems), "code": "invalid_input"}


def _say(problem: ErrorDetails) -> str:
    """Return pydantic's sentence, or ours where pydantic's names a class."""
    return _AS_SCHEMAS_SAY.get(problem["type"], problem["msg"])


def _argument(loc: tuple[str | int, ...]) -> tuple[str | int, ...]:
    """Return the path to a value in the tool's input, from the path in the API's request."""
    match loc:
        case ("header", str() as name):
            return (name.lower().replace("-", "_"),)
        case ("body" | "query" | "path", *_):
            return loc[1:]
        case _:
            return loc


def _problem(loc: tuple[str | int, ...], message: str) -> str:
    """Return a sentence such as `buttons.0.title: String should have at most 20 characters.`"""
    path = ".".join(str(step) for step in loc)
    text = message.removeprefix("Value error, ").rstrip(".") + "."
    return f"{path}: {text}" if path else text


def _with_next_step(body: dict[str, Any]) -> dict[str, Any]:
    code = body["code"]
    described = body | {"next_step": advise(code)}
    return {MEMBER: ["/detail"], **described} if code in _REPEATS_THE_NETWORK else described


def _error(described: dict[str, Any]) -> protocol.CallToolResult:
    text = _encoder.encode(described).decode()
    return protocol.CallToolResult(content=[protocol.TextContent(text=text)], is_error=True)
