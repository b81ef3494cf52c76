"""Strings that are one of some known words, to which later versions may add.

Each is a schema of its own that any string fits, so that a generated client takes a word that it
does not know yet. The known ones are in its description and, for programs, in `x-extensible-enum`.
"""

from collections.abc import Iterable
from enum import StrEnum
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field
from pydantic.fields import FieldInfo
from typing_extensions import TypeAliasType

from heliograph.core.events.model import EventType as EventTypes
from heliograph.core.inbox.model import ConversationStatus as ConversationStates
from heliograph.core.jobs.model import JobStatus
from heliograph.core.messages.model import ChatType as ChatTypes
from heliograph.core.messages.model import Direction
from heliograph.core.messages.model import MessageStatus as MessageStates
from heliograph.core.webhooks.model import DeliveryStatus as DeliveryStates
from heliograph.errors import GatewayError
from heliograph.networks.port import AccountStatus

INTERNAL_ERROR = "internal_error"
_OF_THE_TOOL_SERVER = {"host_not_allowed", "origin_not_allowed"}


def _known(description: str, words: Iterable[str]) -> FieldInfo:
    known = [str(word) for word in words]
    listed = ", ".join(f"`{word}`" for word in known)
    field: FieldInfo = Field(
        description=f"{description} Now: {listed}. More may be added.",
        examples=known[:1],
        json_schema_extra={"x-extensible-enum": list(known)},
    )
    return field


def _error_codes() -> list[str]:
    codes = [error.code for error in GatewayError.every()]
    return sorted({*codes, INTERNAL_ERROR} - _OF_THE_TOOL_SERVER)


MessageStatus = TypeAliasType(
    "MessageStatus",
    Annotated[
        str, _known("How far a message is; an inbound one is `received` or `read`.", MessageStates)
    ],
)
MessageDirection = TypeAliasType(
    "MessageDirection", Annotated[str, _known("Who wrote: they or you.", Direction)]
)
ChatType = TypeAliasType(
    "ChatType", Annotated[str, _known("With one person or with a group.", ChatTypes)]
)
MessageType = TypeAliasType(
    "MessageType",
    Annotated[
        str,
        _known(
            "What kind of thing a message says.",
            (
                "text",
                "buttons",
                "button_reply",
                "list",
                "list_reply",
                "image",
                "video",
                "audio",
                "document",
                "sticker",
                "location",
                "contact",
                "reaction",
                "system",
            ),
        ),
    ],
)
ConversationStatus = TypeAliasType(
    "ConversationStatus",
    Annotated[str, _known("Whether somebody has to do with it.", ConversationStates)],
)
DeviceStatus = TypeAliasType(
    "DeviceStatus", Annotated[str, _known("Whether a device can send.", AccountStatus)]
)
DeliveryStatus = TypeAliasType(
    "DeliveryStatus",
    Annotated[
        str, _known("How far a delivery is; `failed` is after the last retry.", DeliveryStates)
    ],
)
EventType = TypeAliasType("EventType", Annotated[str, _known("What has happened.", EventTypes)])
SyncStatus = TypeAliasType(
    "SyncStatus",
    Annotated[
        str,
        _known(
            "How far a contact synchronisation is.",
            (JobStatus.PENDING, JobStatus.RUNNING, JobStatus.COMPLETED, JobStatus.FAILED),
        ),
    ],
)
PictureType = TypeAliasType(
    "PictureType",
    Annotated[str, _known("The whole picture or its thumbnail.", ("image", "preview"))],
)
ErrorCode = TypeAliasType(
    "ErrorCode", Annotated[str, _known("What went wrong, as a word for a program.", _error_codes())]
)
WORDS: dict[type[StrEnum], TypeAliasType] = {
    MessageStates: MessageStatus,
    Direction: MessageDirection,
    ChatTypes: ChatType,
    ConversationStates: ConversationStatus,
    AccountStatus: DeviceStatus,
    DeliveryStates: DeliveryStatus,
    EventTypes: EventType,
    JobStatus: SyncStatus,
}
"""How a member that holds one of these is described."""


class ErrorBody(BaseModel):
    """A sentence for a person and a word for a program.

    More members may follow, such as `required_scope` or `retry_after`.
    """

    model_config = ConfigDict(extra="allow")

    detail: str = Field(description="One sentence for a person.")
    code: ErrorCode
