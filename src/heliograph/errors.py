"""The errors that the gateway raises on purpose, and their answers.

    HeliographError
    ├── GatewayError                        status, code, detail, members → one JSON answer
    │   ├── MalformedRequestError           400 malformed_request
    │   ├── UnauthorizedError               401, with WWW-Authenticate
    │   │   ├── MissingApiKeyError          missing_api_key
    │   │   ├── MalformedAuthorizationError malformed_authorization
    │   │   ├── InvalidApiKeyError          invalid_api_key
    │   │   ├── ExpiredApiKeyError          expired_api_key
    │   │   ├── RevokedApiKeyError          revoked_api_key
    │   │   └── InvalidMetricsTokenError    invalid_metrics_token
    │   ├── ForbiddenError                  403
    │   │   ├── MissingScopeError           missing_scope (required_scope)
    │   │   ├── AccountNotAllowedError      account_not_allowed
    │   │   ├── ExpiryNotAllowedError       expiry_not_allowed
    │   │   ├── HostNotAllowedError         host_not_allowed
    │   │   ├── OriginNotAllowedError       origin_not_allowed
    │   │   ├── MetricsTokenNotSetError     metrics_token_not_set
    │   │   └── OtherOrganizationError      other_organization
    │   ├── NotFoundError                   404 not_found
    │   │   ├── ConversationNotFoundError   conversation_not_found
    │   │   ├── MessageNotFoundError        message_not_found
    │   │   ├── ContactNotFoundError        contact_not_found
    │   │   ├── ChatAccountNotFoundError    chat_account_not_found
    │   │   ├── SessionNotFoundError        session_not_found
    │   │   ├── PictureNotFoundError        picture_not_found
    │   │   ├── MediaNotFoundError          media_not_found
    │   │   ├── SubscriptionNotFoundError   subscription_not_found
    │   │   ├── DeliveryNotFoundError       delivery_not_found
    │   │   └── ApiKeyNotFoundError         api_key_not_found
    │   ├── MethodNotAllowedError           405 method_not_allowed, with Allow
    │   ├── RequestTimeoutError             408 request_timeout
    │   ├── ConflictError                   409
    │   │   ├── ChatAccountNotConnectedError chat_account_not_connected
    │   │   ├── ChatAccountConnectedError   chat_account_connected
    │   │   ├── NoQrCodeError               no_qr_code
    │   │   ├── NoChatAccountError          no_chat_account
    │   │   ├── IdempotencyConflictError    idempotency_conflict, with Retry-After
    │   │   ├── AlreadyInGroupError         already_in_group (group_jid)
    │   │   ├── ApprovalRequiredError       approval_required
    │   │   ├── JobUnknownError             job_unknown
    │   │   ├── NotSupportedByNetworkError  not_supported_by_network
    │   │   ├── AlreadySentError            already_sent
    │   │   ├── NotSentError                not_sent
    │   │   ├── MessageDeletedError         message_deleted
    │   │   ├── MediaInUseError             media_in_use
    │   │   ├── TooOldError                 too_old
    │   │   ├── RefusedForGoodError         refused_for_good
    │   │   ├── WebhookDisabledError        webhook_disabled
    │   │   └── TooManySecretsError         too_many_secrets
    │   ├── InviteRevokedError              410 invite_revoked
    │   ├── CursorExpiredError              410 cursor_expired
    │   ├── BodyTooLargeError               413 body_too_large
    │   ├── UnsupportedMediaTypeError       415 unsupported_media_type
    │   │   ├── ContentEncodingError        … for a body that is compressed
    │   │   └── MediaTypeError              … for a file that is not what it is said to be
    │   ├── TooManyRequestsError            429, with Retry-After
    │   │   ├── RateLimitedError            rate_limited (retry_after, limit)
    │   │   ├── TooManyReadersError         too_many_readers (retry_after, limit)
    │   │   ├── TooManyReadsError           too_many_reads (retry_after)
    │   │   └── PlanLimitReachedError       plan_limit_reached (retry_after, limit, …)
    │   ├── AddressTooLongError             414 address_too_long
    │   ├── HeadTooLargeError               431 head_too_large
    │   ├── NetworkRefusedError             502 network_refused
    │   ├── UnavailableError                503 unavailable (retry_after, maybe_stored)
    │   │   ├── StorageUnavailableError … when it is the object storage
    │   │   ├── UploadsBusyError        … when too many files arrive at once
    │   │   ├── NoApiHereError              … from a machine without the role api
    │   │   ├── NoDriverError               … when the account's network can't be loaded
    │   │   └── StoppingError               … from a node that could not wait any longer
    │   ├── TooManyConnectionsError         503 too_many_connections (retry_after)
    │   └── NetworkTimeoutError             504 network_timeout
    │       └── NetworkSilentError      … when nothing is left to wait for
    ├── InvalidInputError                   422, FastAPI's validation body
    └── ConfigurationError                  for the operator: what is wrong and how to mend it

The class of a code is the code in camel case. `GatewayError.every()` lists all that have one, for
the API's description and `docs/errors.md`.
Drivers have a tree of their own, `heliograph.networks.errors`; services turn that into this one.
"""

import math
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import ClassVar, Self
from uuid import UUID

from heliograph.input_problems import NO_INPUT, InputProblem, limit_problems


class HeliographError(Exception):
    """Every error this program raises on purpose, above the network drivers."""


class GatewayError(HeliographError):
    """An answer other than success or 422: `{"detail": …, "code": …, **members}`.

    `sentence` is the template of `detail`: one sentence for a person, its fields filled from the
    keyword arguments. `members` are what the answer carries besides.
    """

    status: ClassVar[int]
    code: ClassVar[str]
    sentence: ClassVar[str]
    is_final: ClassVar[bool] = False
    """Whether a repeat of the same request would end in the same way, so that an Idempotency-Key
    keeps this answer. What passes by itself, or when somebody mends it, is not final."""
    retry_after: int | None = None
    """Whole seconds to wait before a repeat, where they are known."""

    def __init__(self, detail: str | None = None, /, **members: object) -> None:
        self.detail = detail if detail is not None else self.sentence
        self.members = members
        super().__init__(self.detail)

    def body(self) -> dict[str, object]:
        """The JSON body of the answer."""
        return {"detail": self.detail, "code": self.code, **self.members}

    def body_under_key(self) -> dict[str, object]:
        """The body for a request that has an Idempotency-Key."""
        return self.body()

    def headers(self) -> dict[str, str]:
        """The headers that belong to this answer beyond those of every answer."""
        return {} if self.retry_after is None else {"Retry-After": str(self.retry_after)}

    @classmethod
    def every(cls) -> list["type[GatewayError]"]:
        """Return all classes below this one that have a code, by status, then code."""
        found = {error for error in _descendants(cls) if "code" in vars(error)}
        return sorted(found, key=lambda error: (error.status, error.code))


def _descendants(cls: type[GatewayError]) -> Iterator[type[GatewayError]]:
    for child in cls.__subclasses__():
        yield child
        yield from _descendants(child)


MAX_RETRY_INTERVAL = 60
"""Seconds. Clients that wait by themselves do so for a minute at most; what takes longer says when
it ends in a member of its own."""


def _whole_seconds(seconds: float) -> int:
    """Round up to whole seconds, from 1 to `MAX_RETRY_INTERVAL`.

    A client told to wait 0 s would come back at once.
    """
    return min(max(1, math.ceil(seconds)), MAX_RETRY_INTERVAL)


# --- 400, 408, 414 and 431: requests that can't be answered ------------------------------------


class MalformedRequestError(GatewayError):
    status = 400
    code = "malformed_request"
    sentence = "This is not an HTTP request."


class RequestTimeoutError(GatewayError):
    """`seconds` is how long a whole request may take to arrive."""

    status = 408
    code = "request_timeout"
    sentence = "The whole request had not arrived after {seconds} seconds."

    def __init__(self, seconds: float) -> None:
        super().__init__(self.sentence.format(seconds=f"{seconds:g}"))


class HeadTooLargeError(GatewayError):
    """`limit` is in bytes."""

    status = 431
    code = "head_too_large"
    sentence = (
        "The request's first line and headers are larger than {limit} bytes, or there are more "
        "than {headers} headers."
    )

    def __init__(self, limit: int, headers: int) -> None:
        super().__init__(self.sentence.format(limit=limit, headers=headers))


class AddressTooLongError(GatewayError):
    """`limit` is in bytes, `segments` and `parameters` are how many of each."""

    status = 414
    code = "address_too_long"
    sentence = (
        "The request's address is longer than {limit} bytes, or has more than {segments} segments "
        "or {parameters} parameters."
    )

    def __init__(self, limit: int, segments: int, parameters: int) -> None:
        super().__init__(
            self.sentence.format(limit=limit, segments=segments, parameters=parameters)
        )


# --- 401 and 403 -----------------------------------------------------------------------------


class UnauthorizedError(GatewayError):
    status = 401

    def headers(self) -> dict[str, str]:
        return {"WWW-Authenticate": "Bearer"}


class MissingApiKeyError(UnauthorizedError):
    code = "missing_api_key"
    sentence = "This request has no API key: send the header 'Authorization: Bearer <API key>'."


class MalformedAuthorizationError(UnauthorizedError):
    code = "malformed_authorization"
    sentence = "The Authorization header must have the form 'Bearer <API key>'."


class InvalidApiKeyError(UnauthorizedError):
    """Unknown key, wrong secret and wrong checksum alike: the answer does not say which."""

    code = "invalid_api_key"
    sentence = "This API key is not valid."


class ExpiredApiKeyError(UnauthorizedError):
    code = "expired_api_key"
    sentence = "This API key has expired."


class RevokedApiKeyError(UnauthorizedError):
    code = "revoked_api_key"
    sentence = "This API key has been revoked."


class InvalidMetricsTokenError(UnauthorizedError):
    code = "invalid_metrics_token"
    sentence = "Send the token of HELIOGRAPH_METRICS_TOKEN as `Authorization: Bearer <token>`."


class ForbiddenError(GatewayError):
    status = 403


class MissingScopeError(ForbiddenError):
    code = "missing_scope"
    sentence = "This API key lacks the scope '{required_scope}'."

    def __init__(self, required_scope: str) -> None:
        detail = self.sentence.format(required_scope=required_scope)
        super().__init__(detail, required_scope=required_scope)


class AccountNotAllowedError(ForbiddenError):
    """The key is limited to some accounts, and what it asked for concerns another one, or all.

    The answer does not say which: the key learns nothing of others.
    """

    code = "account_not_allowed"
    sentence = (
        "This API key is limited to certain devices, and the request concerns another one, or all."
    )

    def __init__(self) -> None:
        super().__init__(self.sentence)


class ExpiryNotAllowedError(ForbiddenError):
    """The key has an expiry, and what it asked for concerns a key that is valid for longer."""

    code = "expiry_not_allowed"
    sentence = (
        "This API key expires at {expires_at}, and it can't make, rotate or revoke a key that is "
        "valid for longer. Give a new key an `expires_at` that is no later, or use an API key that "
        "is valid as long."
    )

    def __init__(self, expires_at: datetime) -> None:
        super().__init__(self.sentence.format(expires_at=utc_text(expires_at)))


class HostNotAllowedError(ForbiddenError):
    code = "host_not_allowed"
    sentence = (
        "The tool server does not answer under the name '{host}'. Use the gateway's public URL; "
        "the operator can allow more names with HELIOGRAPH_MCP_HOSTS."
    )

    def __init__(self, host: str) -> None:
        super().__init__(self.sentence.format(host=host[:253]))


class OriginNotAllowedError(ForbiddenError):
    code = "origin_not_allowed"
    sentence = (
        "The tool server does not answer pages from '{origin}'. Leave the Origin header out; the "
        "operator can allow pages with HELIOGRAPH_MCP_ORIGINS."
    )

    def __init__(self, origin: str) -> None:
        super().__init__(self.sentence.format(origin=origin[:253]))


class MetricsTokenNotSetError(ForbiddenError):
    code = "metrics_token_not_set"
    sentence = (
        "Without a token, metrics are shown only by a gateway for this machine alone. Set "
        "HELIOGRAPH_METRICS_TOKEN and send it as a Bearer token."
    )


class OtherOrganizationError(ForbiddenError):
    code = "other_organization"
    is_final = True
    sentence = "This resource belongs to another organization."


# --- 404 and 405 -----------------------------------------------------------------------------


class NotFoundError(GatewayError):
    """Also raised itself, with a sentence of its own, for what has no code of its own."""

    status = 404
    code = "not_found"
    is_final = True
    sentence = "There is nothing at this address."


class _ResourceNotFoundError(NotFoundError):
    def __init__(self, resource_id: UUID) -> None:
        super().__init__(self.sentence.format(resource_id=resource_id))


class ConversationNotFoundError(_ResourceNotFoundError):
    code = "conversation_not_found"
    sentence = "There is no conversation with the id {resource_id}."


class MessageNotFoundError(_ResourceNotFoundError):
    code = "message_not_found"
    sentence = "There is no message with the id {resource_id}."


class ContactNotFoundError(_ResourceNotFoundError):
    code = "contact_not_found"
    sentence = "There is no contact with the id {resource_id}."


class ChatAccountNotFoundError(_ResourceNotFoundError):
    code = "chat_account_not_found"
    sentence = "There is no connected account with the id {resource_id}."


class SubscriptionNotFoundError(_ResourceNotFoundError):
    code = "subscription_not_found"
    sentence = "There is no webhook with the id {resource_id}."


class DeliveryNotFoundError(_ResourceNotFoundError):
    code = "delivery_not_found"
    sentence = "There is no delivery with the id {resource_id}."


class SessionNotFoundError(NotFoundError):
    code = "session_not_found"
    sentence = "This organization has no connected account with the session name '{session_name}'."

    def __init__(self, session_name: str) -> None:
        super().__init__(self.sentence.format(session_name=session_name))


class PictureNotFoundError(NotFoundError):
    code = "picture_not_found"
    sentence = "This contact has no profile picture, or does not show it to this account."


class MediaNotFoundError(_ResourceNotFoundError):
    code = "media_not_found"
    sentence = "There is no file with the id {resource_id}, or it has expired."


class ApiKeyNotFoundError(_ResourceNotFoundError):
    code = "api_key_not_found"
    sentence = "There is no API key with the id {resource_id}."


class MethodNotAllowedError(GatewayError):
    status = 405
    code = "method_not_allowed"
    sentence = "This address does not allow this method; it allows {allowed}."

    def __init__(self, allowed: Sequence[str]) -> None:
        self.allowed = ", ".join(allowed)
        super().__init__(self.sentence.format(allowed=self.allowed))

    def headers(self) -> dict[str, str]:
        return {"Allow": self.allowed}


# --- 409 and 410 -----------------------------------------------------------------------------


class ConflictError(GatewayError):
    """Final, but for those that say they are not."""

    status = 409
    is_final = True


class ChatAccountNotConnectedError(ConflictError):
    """`name` is the account's, where it is known."""

    code = "chat_account_not_connected"
    is_final = False
    sentence = (
        "The account '{name}' is not connected to its chat network; connect it and try again."
    )

    def __init__(self, name: str | None = None) -> None:
        nameless = self.sentence.replace(" '{name}'", "")
        super().__init__(nameless if name is None else self.sentence.format(name=name))


class ChatAccountConnectedError(ConflictError):
    code = "chat_account_connected"
    is_final = False
    sentence = "The account '{name}' is registered on its chat network; log it out first."

    def __init__(self, name: str) -> None:
        super().__init__(self.sentence.format(name=name))


class NoQrCodeError(ConflictError):
    """`status` is the account's state."""

    code = "no_qr_code"
    is_final = False
    sentence = (
        "The account '{name}' shows no QR code at the moment: it is {status}. Ask without "
        "`Accept: image/png` for what it shows instead."
    )

    def __init__(self, name: str, status: str) -> None:
        super().__init__(self.sentence.format(name=name, status=status))


class NoChatAccountError(ConflictError):
    code = "no_chat_account"
    is_final = False
    sentence = "This organization has no account on a chat network yet; connect one and try again."


class IdempotencyConflictError(ConflictError):
    code = "idempotency_conflict"
    is_final = False
    retry_after = 1
    sentence = "A request with this Idempotency-Key is still running; try again shortly."


class TooManySecretsError(ConflictError):
    """`ends_at` is when the first of the old secrets does."""

    code = "too_many_secrets"
    is_final = False
    sentence = (
        "There are {most} old secrets that are still valid, and there can't be more. The first "
        "ends at {ends_at}: rotate again after that, or now without a grace period."
    )

    def __init__(self, most: int, ends_at: datetime) -> None:
        super().__init__(self.sentence.format(most=most, ends_at=utc_text(ends_at)))


class AlreadyInGroupError(ConflictError):
    code = "already_in_group"
    sentence = "This account is already in the group {group_jid}."

    def __init__(self, group_jid: str) -> None:
        super().__init__(self.sentence.format(group_jid=group_jid), group_jid=group_jid)


class ApprovalRequiredError(ConflictError):
    code = "approval_required"
    sentence = "The request to join was sent; an admin of the group must approve it."


class JobUnknownError(ConflictError):
    """The network may have done what was asked. Nothing repeats it by itself."""

    code = "job_unknown"
    sentence = (
        "The connection to the chat network broke before it answered, so it is not known whether "
        "the request was carried out. Check there before you ask again, and do so under a new "
        "Idempotency-Key."
    )


class NotSupportedByNetworkError(ConflictError):
    """`action` completes the sentence: 'create groups', 'send button messages'."""

    code = "not_supported_by_network"
    sentence = "The chat network '{network}' cannot {action}."

    def __init__(self, network: str, action: str) -> None:
        super().__init__(self.sentence.format(network=network, action=action))


class MediaInUseError(ConflictError):
    code = "media_in_use"
    is_final = False
    sentence = (
        "A message that waits to be sent has this file: wait until it is sent, or cancel it first."
    )


class AlreadySentError(ConflictError):
    """`status` is how far the message is: too far for what was asked. A message that is `in_doubt`
    waits or has failed, and yet may be on the phone."""

    code = "already_sent"
    is_final = False  # a failed message may have been queued again
    sentence = (
        "The message is already {status}; only a message that waits to be sent can be canceled."
    )
    sentence_in_doubt = (
        "The chat network has not answered an attempt to send the message: it may be on the phone "
        "already, and can't be canceled. Wait for its outcome, or delete it: it is then taken back "
        "for everyone."
    )

    def __init__(self, status: str, *, in_doubt: bool = False) -> None:
        is_under_way = status == "sending"
        sentence = self.sentence_in_doubt if in_doubt and not is_under_way else self.sentence
        super().__init__(sentence.format(status=status))


class NotSentError(ConflictError):
    """`status` is how the message ended. One that is `in_doubt` may yet be on the phone."""

    code = "not_sent"
    is_final = False  # a late receipt may prove that it was
    sentence = "The message is {status} and was not sent: the chat network has nothing to change."
    sentence_in_doubt = (
        "The message is {status}, but may be on the phone: the chat network has not answered an "
        "attempt to send it. It can be deleted; sent again, it may arrive twice. It can be edited "
        "or reacted to only once a receipt shows that it arrived."
    )

    def __init__(self, status: str, *, in_doubt: bool = False) -> None:
        sentence = self.sentence_in_doubt if in_doubt else self.sentence
        super().__init__(sentence.format(status=status))


class MessageDeletedError(ConflictError):
    code = "message_deleted"
    sentence = (
        "This message was deleted for everyone: it can't be edited, deleted again or reacted to."
    )


class WebhookDisabledError(ConflictError):
    code = "webhook_disabled"
    is_final = False
    sentence = (
        "The webhook {webhook_id} is disabled, so its deliveries would only wait: enable it first."
    )

    def __init__(self, webhook_id: object) -> None:
        super().__init__(self.sentence.format(webhook_id=webhook_id))


class TooOldError(ConflictError):
    """The network takes no more changes of this message; `limit` is in words."""

    code = "too_old"
    sentence = "This message was sent too long ago: the chat network allows this for {limit}."

    def __init__(self, limit: str) -> None:
        super().__init__(self.sentence.format(limit=limit))


class RefusedForGoodError(ConflictError):
    """`reason` is the network's own words; no value of the request is known to be to blame."""

    code = "refused_for_good"
    sentence = "The chat network refuses this permanently: {reason}"

    def __init__(self, reason: str) -> None:
        super().__init__(self.sentence.format(reason=reason))


class InviteRevokedError(GatewayError):
    status = 410
    is_final = True
    code = "invite_revoked"
    sentence = "This invite link has been revoked; ask an admin of the group for a new one."


class CursorExpiredError(GatewayError):
    """What came after this position has been deleted, or the database that gave it is lost."""

    status = 410
    code = "cursor_expired"
    sentence = (
        "Events after this cursor are no longer kept. Start again with `after=oldest`, and skip "
        "events whose `id` you know."
    )


# --- 413, 415 and 429 ------------------------------------------------------------------------


class BodyTooLargeError(GatewayError):
    """`limit` is in bytes."""

    status = 413
    code = "body_too_large"
    sentence = "The request body is larger than {limit} bytes."

    def __init__(self, limit: int) -> None:
        super().__init__(self.sentence.format(limit=limit))


class UnsupportedMediaTypeError(GatewayError):
    status = 415
    code = "unsupported_media_type"
    sentence = "The request body must be JSON, sent with 'Content-Type: application/json'."


class ContentEncodingError(UnsupportedMediaTypeError):
    sentence = "The request body is encoded as '{encoding}': send it as it is, uncompressed."

    def __init__(self, encoding: str) -> None:
        super().__init__(self.sentence.format(encoding=encoding[:100]))

    def headers(self) -> dict[str, str]:
        """What would be understood (RFC 9110, 15.5.16)."""
        return {"Accept-Encoding": "identity"}


class MediaTypeError(UnsupportedMediaTypeError):
    """`fault` completes the sentence: 'its bytes are no text'."""

    sentence = "This file can't be accepted: {fault}."

    def __init__(self, fault: str) -> None:
        self.fault = fault
        super().__init__(self.sentence.format(fault=fault))


class TooManyRequestsError(GatewayError):
    """`retry_after` is in seconds; the answer tells whole ones, from 1 to `MAX_RETRY_INTERVAL`.
    With None it tells none: the limit does not pass by itself."""

    status = 429

    def __init__(self, detail: str, *, retry_after: float | None, **members: object) -> None:
        if retry_after is not None:
            self.retry_after = _whole_seconds(retry_after)
            members = {"retry_after": self.retry_after, **members}
        super().__init__(detail, **members)


class RateLimitedError(TooManyRequestsError):
    """`limit` is whose limit it is: `key`, `organization`, `address`, `person`, or
    `code` of a person who tries codes of invitations."""

    code = "rate_limited"
    sentence = "{who} sent too many requests within a minute; try again in {retry_after} s."

    def __init__(self, limit: str = "key", *, retry_after: float) -> None:
        who, wait = _LIMITED[limit], _whole_seconds(retry_after)
        detail = self.sentence.format(who=who, retry_after=wait)
        super().__init__(detail, retry_after=retry_after, limit=limit)


class TooManyReadersError(TooManyRequestsError):
    """`limit` is whose limit it is: `key`, `organization` or `gateway`, which is one process."""

    code = "too_many_readers"
    sentence = "{who} {most} event streams, or requests that wait for events, open already."

    def __init__(self, limit: str, most: int) -> None:
        detail = self.sentence.format(who=_READING[limit], most=most)
        super().__init__(detail, retry_after=_PAUSE_OF_READERS, limit=limit)


class TooManyReadsError(TooManyRequestsError):
    """A list or a search waited in vain for others of its organization to end, or for those of all
    organizations together."""

    code = "too_many_reads"
    sentence = (
        "Too many lists and searches are under way at the same time; wait until some have ended, "
        "and try again in {retry_after} s."
    )

    def __init__(self) -> None:
        detail = self.sentence.format(retry_after=_PAUSE_OF_READS)
        super().__init__(detail, retry_after=_PAUSE_OF_READS)


_PAUSE_OF_READS = 2
_PAUSE_OF_READERS = 5
_READING = {
    "key": "This API key has",
    "organization": "The API keys of this organization together have",
    "gateway": "This part of the gateway has",
}
_LIMITED = {
    "key": "This API key has",
    "organization": "The API keys of this organization together have",
    "address": "Clients at your address have",
    "person": "You have",
    "code": "You have",
}


class PlanLimitReachedError(TooManyRequestsError):
    """`limit` is the limit's name in the plan, such as `messages_per_day`, `value` what it is.

    `resets_at` is None for limits on what is kept, such as accounts: one must be removed first, as
    `make_room` says, and there is no `Retry-After`. A repeat before `resets_at` is refused again,
    though `Retry-After` does not reach as far.
    """

    code = "plan_limit_reached"
    sentence = "This organization has reached the limit of its plan '{plan}': {limit} = {value}."

    def __init__(
        self,
        plan: str,
        limit: str,
        value: int,
        *,
        now: datetime,
        resets_at: datetime | None = None,
        make_room: str = "",
    ) -> None:
        until = f" {make_room}" if make_room else ""
        if resets_at is not None:
            until = f" It resets at {utc_text(resets_at)}."
        left = None if resets_at is None else (resets_at - now).total_seconds()
        super().__init__(
            self.sentence.format(plan=plan, limit=limit, value=value) + until,
            retry_after=left,
            limit=limit,
            value=value,
            resets_at=None if resets_at is None else utc_text(resets_at),
        )


def utc_text(at: datetime) -> str:
    """Return a time in the form used in sentences."""
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


# --- 5xx -------------------------------------------------------------------------------------


class NetworkRefusedError(GatewayError):
    """The network misbehaved, or refused for now. `reason` is its own words."""

    status = 502
    code = "network_refused"
    sentence = "The chat network refused: {reason}"

    def __init__(self, reason: str) -> None:
        super().__init__(self.sentence.format(reason=reason))


class UnavailableError(GatewayError):
    """`maybe_stored`: the database may have kept what was asked, though its answer was lost."""

    status = 503
    code = "unavailable"
    sentence = "The gateway can't reach its database at the moment; try again in {retry_after} s."

    def __init__(self, *, retry_after: float = 5, maybe_stored: bool = False) -> None:
        self.retry_after = _whole_seconds(retry_after)
        super().__init__(
            self.sentence.format(retry_after=self.retry_after),
            retry_after=self.retry_after,
            maybe_stored=maybe_stored,
        )

    def body_under_key(self) -> dict[str, object]:
        """An earlier try under the same key may have been stored, whatever became of this one, and
        nobody can say before a repeat has seen the key's row."""
        return self.body() | {"maybe_stored": True}


class DatabaseFullError(UnavailableError):
    """The database answers, and its disk is full."""

    sentence = (
        "The gateway's database can't store anything at the moment; try again in {retry_after} s."
    )


class StorageUnavailableError(UnavailableError):
    """A picture or a file can't be stored or read."""

    sentence = (
        "The gateway can't reach its object storage at the moment; try again in {retry_after} s."
    )


class UploadsBusyError(UnavailableError):
    """As many files arrive as this node, or this organization on it, may send at once."""

    sentence = (
        "Too many files are being sent to this node at the moment; try again in {retry_after} s."
    )


class TooManyConnectionsError(GatewayError):
    status = 503
    code = "too_many_connections"
    retry_after = 1
    sentence = (
        "There are too many connections to this node, or from your address; close some, or try "
        "again in {retry_after} s."
    )

    def __init__(self) -> None:
        super().__init__(self.sentence.format(retry_after=1), retry_after=1)


class NoApiHereError(UnavailableError):
    """A request for the API reached a machine that was started without that role."""

    sentence = (
        "This machine does not serve the API: it runs without the role api. Send requests to one "
        "that has it, or try again in {retry_after} s."
    )


class NoDriverError(UnavailableError):
    """This node can't load the driver of the account's network."""

    sentence = (
        "This node can't load the driver of the account's network. `heliograph doctor` tells the "
        "operator why; try again in {retry_after} s."
    )


class StoppingError(UnavailableError):
    """The node was told to stop and ended before the request did. What was begun goes on."""

    sentence = (
        "This node is stopping and could not wait for the answer any longer. Repeat the request "
        "with the same Idempotency-Key in {retry_after} s to get it."
    )

    def __init__(self) -> None:
        super().__init__(retry_after=1, maybe_stored=True)


class NetworkTimeoutError(GatewayError):
    status = 504
    code = "network_timeout"
    sentence = (
        "The chat network has not answered yet; the work continues, and a repeat with the same "
        "Idempotency-Key waits for its result."
    )


class NetworkSilentError(NetworkTimeoutError):
    """The network was given up on, and what was asked can be asked again."""

    sentence = "The chat network does not answer; nothing was done. Try again later."


# --- 422 -------------------------------------------------------------------------------------


class InvalidInputError(HeliographError):
    """422, for what only a service or the chat network can judge; the body has FastAPI's shape.

    It has the first problems only, and says how many more there are.
    """

    status: ClassVar[int] = 422

    def __init__(self, *problems: InputProblem) -> None:
        self.problems = limit_problems(problems)
        super().__init__(
            "; ".join(f"{_path(problem.loc)}: {problem.msg}" for problem in self.problems)
        )

    @classmethod
    def at(
        cls,
        loc: Sequence[str | int],
        msg: str,
        *,
        type: str = "value_error",  # noqa: A002  # the member's name in the answer
        input: object = NO_INPUT,  # noqa: A002  # the member's name in the answer
        ctx: dict[str, object] | None = None,
    ) -> Self:
        """Make the error of one value: `InvalidInputError.at(("body", "url"), "…", input=url)`."""
        return cls(InputProblem(tuple(loc), msg, type, input, ctx))

    def body(self) -> dict[str, object]:
        """`{"detail": [{"type", "loc", "msg", "input"?, "ctx"?}, …]}`."""
        return {"detail": [problem.body() for problem in self.problems]}


def _path(loc: Sequence[str | int]) -> str:
    return ".".join(str(part) for part in loc)


# --- for the operator ------------------------------------------------------------------------


class ConfigurationError(HeliographError):
    """The installation can't work as it is set up.

    `problem` and `remedy` are sentences; `setting` is the variable to change, where there is one.
    No value of a secret setting may stand in them: they are printed and logged.
    """

    def __init__(self, problem: str, *, remedy: str = "", setting: str | None = None) -> None:
        self.problem = problem
        self.remedy = remedy
        self.setting = setting
        super().__init__(f"{problem} {remedy}".rstrip())
