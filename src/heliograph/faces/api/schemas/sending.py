"""Sending a message of any kind, and changing one."""

from typing import Annotated, Literal, Self
from uuid import UUID

from pydantic import (
    BaseModel,
    Field,
    field_validator,
    model_validator,
)

from heliograph.core.messages.accepting.recipients import SendTo
from heliograph.core.messages.edits.service import ChangeRecord
from heliograph.faces.api.schemas.fields import (
    ADDRESS_RULE,
    NO_NUL,
    Address,
    StrictBody,
    Time,
    with_example,
)
from heliograph.faces.api.schemas.messages import Metadata
from heliograph.faces.api.schemas.records import describes
from heliograph.networks.content import AnyInput, ContentInput
from heliograph.networks.content.inputs import value_error
from heliograph.platform.lines import TITLE_PATTERN

MAX_EMOJI = 32


class SendMessageInput(StrictBody):
    """A message to exactly one of `phone_number`, `conversation_id` and `contact_id`."""

    model_config = with_example(
        {
            "phone_number": "+5511999990000",
            "content": {"type": "text", "body": "Your table is booked for 20:00."},
            "metadata": {"booking": "B-1042"},
        }
    )

    phone_number: (
        Annotated[Address, Field(min_length=5, max_length=50, json_schema_extra=NO_NUL)] | None
    ) = Field(default=None, description=f"The recipient: {ADDRESS_RULE}.")
    conversation_id: UUID | None = Field(
        default=None, description="The conversation to write in, through its own account."
    )
    contact_id: UUID | None = Field(default=None, description="The contact to write to.")
    chat_account_id: UUID | None = Field(
        default=None,
        description="The account that sends; default: the conversation's, else the organization's "
        "primary account.",
    )
    content: ContentInput = Field(
        description="The content of the message, distinguished by `type`."
    )
    reply_to_message_id: UUID | None = Field(
        default=None, description="A message of the same conversation that this one answers."
    )
    scheduled_for: Time | None = Field(
        default=None, description="When to send it, at most 366 days ahead; default: now."
    )
    expires_at: Time | None = Field(
        default=None,
        description="A message not sent by then fails, with the reason `expired`.",
    )
    fallback: Literal["text"] | None = Field(
        default=None,
        description="`text`: if the network lacks this kind, send it as a text. Choices are "
        "numbered, and an answer comes back as if it had been chosen.",
    )
    metadata: Metadata | None = Field(
        default=None, description="Values of your own, for records and webhooks."
    )

    @model_validator(mode="after")
    def _check_one_recipient(self) -> Self:
        given = (self.phone_number, self.conversation_id, self.contact_id)
        if sum(value is not None for value in given) != 1:
            raise value_error("exactly one of phone_number, conversation_id, contact_id is needed")
        return self

    @property
    def to(self) -> SendTo:
        return SendTo(self.phone_number, self.conversation_id, self.contact_id)


class EditMessageInput(StrictBody):
    """The new content of a message."""

    model_config = with_example(
        {"content": {"type": "text", "body": "Your table is booked for 21:00."}}
    )

    content: ContentInput = Field(
        description="Content of the same kind as the message; for a file, the caption as a `text`."
    )

    @field_validator("content")
    @classmethod
    def _check_no_file(cls, content: AnyInput) -> AnyInput:
        if content.file is not None:
            raise value_error("a file can't be replaced: send its caption as a text")
        return content


class ReactionInput(StrictBody):
    """A reaction to a message."""

    model_config = with_example({"emoji": "👍"})

    emoji: str = Field(
        min_length=1,
        max_length=MAX_EMOJI,
        description="One emoji, such as 👍. It replaces an earlier one.",
        json_schema_extra={"pattern": TITLE_PATTERN},
    )


@describes(ChangeRecord)
class ChangeResult(BaseModel):
    model_config = with_example(
        {
            "success": True,
            "message_id": "01939b1e-7c3a-7b6e-9d5f-2f7a3c1e8b40",
            "change_id": "01939b20-1111-7b6e-9d5f-2f7a3c1e8b40",
            "status": "queued",
            "run_id": "run_01939b2011117b6e9d5f2f7a3c1e8b41",
        }
    )
