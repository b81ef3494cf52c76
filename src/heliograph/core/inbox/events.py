"""Events of conversations: changes by people, of labels and of a group's subject, and the ends of
snoozes.

Changes that messages cause are reported by the messages' own events.
"""

from collections.abc import Sequence
from typing import Annotated
from uuid import UUID

from msgspec.structs import replace
from typing_extensions import Doc

from heliograph.core.events.model import EventType
from heliograph.core.events.service import EventBuilder
from heliograph.core.inbox.labeled_sql import list_conversations_by_id
from heliograph.core.inbox.model import Conversation
from heliograph.core.inbox.serializers import ConversationRecord, conversation_record
from heliograph.core.labels.model import Label, with_label
from heliograph.core.tenants.model import Author, Tenant
from heliograph.platform.database.pool import Connection


class UpdatedConversationRecord(ConversationRecord):
    """A changed conversation, as it is now. `last_message_preview` and
    `contact_profile_picture_url` are null here."""

    changed: Annotated[list[str], Doc("The names of the fields that have another value now.")]
    changed_by: Annotated[
        Author | None,
        Doc(
            "Who changed it; null when the network did, its snooze has ended by itself, or the "
            "account's owner has read it on another device."
        ),
    ]


def add_conversation_event(
    events: EventBuilder, before: Conversation, after: Conversation, by: Author | None
) -> None:
    """Add the event of a changed conversation, if any field that clients see is different."""
    # without message contents: a reader of conversations may lack the scope for messages
    old = conversation_record(before, shows_messages=False)
    new = conversation_record(after, shows_messages=False)
    changed = [name for name in new if name != "updated_at" and new[name] != old[name]]  # type: ignore[literal-required]  # its own keys
    if not changed:
        return
    data: UpdatedConversationRecord = {
        **new,
        "changed": changed,
        "changed_by": by,
    }
    events.add(
        EventType.CONVERSATION_UPDATED,
        data,
        after.tenant,
        account_id=after.account_id,
        conversation_id=after.id,
    )


async def add_label_events(
    connection: Connection,
    events: EventBuilder,
    tenant: Tenant,
    conversation_ids: Sequence[UUID],
    label: Label,
    by: Author,
) -> None:
    """Add that these conversations, which had this `label`, have another one or none in its place;
    the tables say so already."""
    for after in await list_conversations_by_id(connection, tenant, conversation_ids):
        labels = with_label(after.labels, label)
        add_conversation_event(events, replace(after, labels=labels), after, by)
