"""Strings that are one of some known words, to which later versions may add.

Each is a schema of its own that any string fits, so that a generated client takes a word that it
does not know yet. The known ones are in its description and, for programs, in `x-extensible-enum`.
"""

from collections.abc import Iterable
from enum import StrEnum
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field
from typing_extensions import TypeAliasType

from heliograph.core.events.model import EventType
from heliograph.core.inbox.model import ConversationStatus
from heliograph.core.jobs.model import JobStatus
from heliograph.core.messages.model import ChatType, Direction, MessageStatus
from heliograph.core.webhooks.model import DeliveryStatus
from heliograph.errors import GatewayError
from heliograph.networks.content import STRUCTS
from heliograph.networks.port import AccountStatus

INTERNAL_ERROR = "internal_error"
_OUTSIDE_THE_API = {
    "host_not_allowed",  # of the tool server
    "origin_not_allowed",
    "invalid_metrics_token",  # of /metrics
    "metrics_token_not_set",
}


def _words(name: str, description: str, words: Iterable[str]) -> TypeAliasType:
    known = [str(word) for word in words]
    listed = ", ".join(f"`{word}`" for word in known)
    field = Field(
        description=f"{description} Known values: {listed}. More may be added.",
        examples=known[:1],
        json_schema_extra={"x-extensible-enum": list(known)},
    )
    return TypeAliasType(name, Annotated[str, field])


_SYNC = (JobStatus.PENDING, JobStatus.RUNNING, JobStatus.COMPLETED, JobStatus.FAILED)

WORDS: dict[type[StrEnum], TypeAliasType] = {
    MessageStatus: _words(
        "MessageStatus",
        "The status of a message; an inbound one is `received` or `read`.",
        MessageStatus,
    ),
    Direction: _words(
        "MessageDirection", "The direction of a message: to you or from you.", Direction
    ),
    ChatType: _words("ChatType", "With one person or with a group.", ChatType),
    ConversationStatus: _words(
        "ConversationStatus",
        "The status of a conversation.",
        ConversationStatus,
    ),
    AccountStatus: _words("DeviceStatus", "Whether a device can send.", AccountStatus),
    DeliveryStatus: _words(
        "DeliveryStatus", "The status of a delivery; `failed` is final.", DeliveryStatus
    ),
    EventType: _words("EventType", "The type of an event.", EventType),
    JobStatus: _words("SyncStatus", "The status of a contact synchronization.", _SYNC),
}
"""How a member that holds one of these is described."""

MessageType = _words(
    "MessageType",
    "The kind of a message's content.",
    (*STRUCTS, "reaction"),
)
PictureType = _words("PictureType", "The whole picture or its thumbnail.", ("image", "preview"))
_ERROR_CODES = {error.code for error in GatewayError.every()} | {INTERNAL_ERROR}
ErrorCode = _words(
    "ErrorCode",
    "An error code for programs.",
    sorted(_ERROR_CODES - _OUTSIDE_THE_API),
)


class ErrorBody(BaseModel):
    """A sentence for people and a code for programs.

    More members may follow, such as `required_scope` or `retry_after`.
    """

    model_config = ConfigDict(extra="allow")

    detail: str = Field(description="One sentence for people.")
    code: ErrorCode  # type: ignore[valid-type]  # made at run time
