"""Sending a message with buttons, the Message record, message statistics."""

from typing import Annotated, Any, Self
from uuid import UUID

from pydantic import BaseModel, Field, StringConstraints, model_validator
from typing_extensions import TypeAliasType

from heliograph.core.messages.model import ChatType, Reaction
from heliograph.core.messages.serializers import (
    MessageRecord,
    ReferralRecord,
    SenderRecord,
    SendRecord,
    SentByRecord,
)
from heliograph.core.messages.statistics.service import StatisticsRecord
from heliograph.faces.api.schemas.extensible_enums import WORDS, MessageType
from heliograph.faces.api.schemas.fields import (
    ADDRESS_RULE,
    NO_NUL,
    Address,
    with_example,
)
from heliograph.faces.api.schemas.records import describe_part, describes
from heliograph.faces.api.schemas.typed_content import TypedContent
from heliograph.networks.content import Buttons
from heliograph.networks.content.choices import MAX_BUTTONS, ButtonInput, require_unique
from heliograph.networks.content.inputs import MAX_FOOTER, MAX_INTERACTIVE_BODY

MAX_METADATA, MAX_METADATA_KEY, MAX_METADATA_VALUE = 16, 40, 500


class SendButtons(BaseModel):
    """A text with one to three quick-reply buttons."""

    model_config = with_example(
        {
            "phone_number": "+5511999990000",
            "body": "Your table is booked for 20:00. Is that right?",
            "buttons": [{"id": "yes", "title": "Yes"}, {"id": "no", "title": "No, change it"}],
            "footer": "Trattoria Lume",
        }
    )

    phone_number: Address = Field(
        min_length=5,
        max_length=50,
        description=f"The recipient: {ADDRESS_RULE}.",
        json_schema_extra=NO_NUL,
    )
    body: str = Field(
        min_length=1,
        max_length=MAX_INTERACTIVE_BODY,
        description="The text.",
        json_schema_extra=NO_NUL,
    )
    buttons: list[ButtonInput] = Field(
        min_length=1,
        max_length=MAX_BUTTONS,
        description="Their ids and their titles must be unique within the message.",
    )
    footer: Annotated[str, Field(max_length=MAX_FOOTER, json_schema_extra=NO_NUL)] | None = Field(
        default=None, description="A line shown below the buttons."
    )
    chat_account_id: UUID | None = Field(
        default=None,
        description="The account that sends; default: the organization's primary account.",
    )

    @model_validator(mode="after")
    def _check_unique(self) -> Self:
        require_unique(self.buttons, "buttons")
        return self

    def content(self) -> Buttons:
        """Return the message's content as the gateway stores it."""
        buttons = tuple(button.to_button() for button in self.buttons)
        return Buttons(self.body, buttons, footer=self.footer)


# nullable maps need names, or a generator makes one up for each place
MetadataKey = Annotated[str, StringConstraints(min_length=1, max_length=MAX_METADATA_KEY)]
MetadataValue = Annotated[str, StringConstraints(max_length=MAX_METADATA_VALUE)]
Metadata = TypeAliasType(
    "Metadata",
    Annotated[
        dict[MetadataKey, MetadataValue],
        Field(
            max_length=MAX_METADATA,
            description=f"Values of your own, for records and webhooks: at most {MAX_METADATA} "
            f"keys of {MAX_METADATA_KEY} characters, values of {MAX_METADATA_VALUE}.",
        ),
    ],
)
VariableValues = TypeAliasType(
    "VariableValues", Annotated[dict[str, Any], Field(description="By the names of a template.")]
)


@describes(SendRecord)
class SendResult(BaseModel):
    model_config = with_example(
        {
            "success": True,
            "message_id": "01939b1e-7c3a-7b6e-9d5f-2f7a3c1e8b40",
            "status": "queued",
            "run_id": "run_01939b1e7c3a7b6e9d5f2f7a3c1e8b41",
        }
    )


describe_part(SenderRecord, "MessageSender")
describe_part(SentByRecord, "MessageSentBy")
describe_part(Reaction, "MessageReaction")
describe_part(ReferralRecord, "MessageReferral")


@describes(
    MessageRecord,
    {
        "chat_type": WORDS[ChatType] | None,
        "message_type": MessageType | None,
        "typed_content": TypedContent,
        "variable_values": VariableValues,
        "metadata": Metadata,
    },
    chat_type="individual",
    message_type="text",
    reactions=[],
)
class Message(BaseModel):
    model_config = with_example(
        {
            "id": "01939b1e-7c3a-7b6e-9d5f-2f7a3c1e8b40",
            "phone_number": "+5511999990000",
            "content": "Your table is booked for 20:00. Is that right?",
            "status": "read",
            "direction": "outbound",
            "retry_count": 0,
            "chat_account_id": "01939b1a-0f00-7d11-8c22-93a1b2c3d4e5",
            "created_at": "2025-12-06T10:00:00.000000Z",
            "updated_at": "2025-12-06T10:00:03.500000Z",
            "chat_type": "individual",
            "message_type": "buttons",
            "chat_message_id": "3EB0A1B2C3D4E5F60718",
            "queued_at": "2025-12-06T10:00:00.000000Z",
            "sent_at": "2025-12-06T10:00:00.200000Z",
            "delivered_at": "2025-12-06T10:00:01.100000Z",
            "read_at": "2025-12-06T10:00:03.500000Z",
            "typed_content": {
                "type": "buttons",
                "body": "Your table is booked for 20:00. Is that right?",
                "buttons": [{"id": "yes", "title": "Yes"}, {"id": "no", "title": "No, change it"}],
                "footer": "Trattoria Lume",
            },
            "conversation_id": "01939b1e-8000-7aaa-8bbb-0c0d0e0f1011",
            "sent_by": {"kind": "api_key", "id": "4kTc3uQ0bG7zVn2aWx9LpR", "name": "Backend"},
            "run_id": "run_01939b1e7c3a7b6e9d5f2f7a3c1e8b41",
            "reactions": [],
        }
    )


@describes(StatisticsRecord)
class MessageStatistics(BaseModel):
    model_config = with_example(
        {
            "total": 3,
            "by_status": {"read": 2, "received": 1},
            "by_direction": {"outbound": 2, "inbound": 1},
            "outbound_by_status": {"read": 2},
            "last_7_days": 3,
            "last_30_days": 3,
        }
    )
