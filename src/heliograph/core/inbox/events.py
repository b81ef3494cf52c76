"""What is reported of conversations: what people change in one, and that a snooze has ended.

What messages do to a conversation is told by the messages' own events.
"""

from typing import Annotated

from typing_extensions import Doc

from heliograph.core.events.model import EventType
from heliograph.core.events.service import EventBuilder
from heliograph.core.inbox.model import Conversation
from heliograph.core.inbox.serializers import ConversationRecord, conversation_record
from heliograph.core.tenants.model import Author
from heliograph.core.tenants.serializers import AuthorRecord, author_record


class UpdatedConversationRecord(ConversationRecord):
    """A conversation that somebody changed, as it is now. `last_message_preview` and
    `contact_profile_picture_url` are null here."""

    changed: Annotated[list[str], Doc("The names of the fields that have another value now.")]
    changed_by: Annotated[
        AuthorRecord | None, Doc("Who changed it; null when its snooze has ended by itself.")
    ]


def add_conversation_event(
    events: EventBuilder, before: Conversation, after: Conversation, by: Author | None
) -> None:
    """Add that the conversation was changed, if any field that clients see is different."""
    # without what was said: whoever may read conversations may not always read messages
    old = conversation_record(before, shows_messages=False)
    new = conversation_record(after, shows_messages=False)
    changed = [name for name in new if name != "updated_at" and new[name] != old[name]]  # type: ignore[literal-required]  # its own keys
    if not changed:
        return
    data: UpdatedConversationRecord = {
        **new,
        "changed": changed,
        "changed_by": None if by is None else author_record(by),
    }
    events.add(
        EventType.CONVERSATION_UPDATED,
        data,
        after.tenant,
        account_id=after.account_id,
        conversation_id=after.id,
    )
