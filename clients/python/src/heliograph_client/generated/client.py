"""Every operation of the API as a method. Made by `make clients`: not to be changed by hand."""

from __future__ import annotations

import datetime
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from typing import Any, Literal, Protocol, TypeVar
from uuid import UUID

import httpx

from ..ids import read_id, read_ids
from ..objects import read_object, read_objects
from .api.api_keys import (
    create_api_key,
    list_api_keys,
    revoke_api_key,
    rotate_api_key,
)
from .api.contacts import (
    change_contact,
    check_contacts,
    get_contact,
    get_contact_profile_picture,
    get_contact_sync,
    list_contacts,
    sync_contacts,
)
from .api.conversations import (
    change_conversation,
    create_conversation_group,
    create_conversation_note,
    get_conversation,
    list_conversation_notes,
    list_conversations,
    list_members,
    mark_conversation_read,
    show_typing,
)
from .api.devices import (
    change_device,
    create_device,
    delete_device,
    get_device,
    get_device_pairing,
    list_devices,
    list_networks,
    log_out_device,
    pair_device,
    reconnect_device,
)
from .api.event_log import (
    list_events,
)
from .api.groups import (
    add_group_participants,
    change_group,
    get_group,
    get_group_invite_link,
    join_group,
    leave_group,
    remove_group_participant,
)
from .api.labels import (
    change_label,
    create_label,
    delete_label,
    list_labels,
)
from .api.media import (
    delete_media,
    get_media,
    list_media,
    upload_media,
)
from .api.messages import (
    cancel_message,
    delete_message,
    delete_message_reaction,
    edit_message,
    get_message,
    get_message_history,
    get_message_stats,
    list_messages,
    send_button_message,
    send_message,
    set_message_reaction,
)
from .api.webhooks import (
    create_webhook_subscription,
    delete_webhook_subscription,
    get_webhook_delivery,
    get_webhook_subscription,
    list_org_webhook_events,
    list_webhook_deliveries,
    list_webhook_subscriptions,
    ping_webhook_subscription,
    redeliver_webhook_event,
    replay_webhook_events,
    rotate_webhook_secret,
    update_webhook_subscription,
)
from .models import (
    AddedParticipants,
    AddParticipants,
    ApiKeyList,
    AudioInput,
    BatchOptions,
    ButtonInput,
    ButtonsInput,
    ChangeContact,
    ChangeContactAttributes,
    ChangeConversation,
    ChangeDevice,
    ChangeDeviceSettings,
    ChangeGroup,
    ChangeLabel,
    ChangeResult,
    ChangeSubscription,
    CheckedNumbers,
    CheckNumbers,
    ChosenStatus,
    Contact,
    ContactInput,
    ContactList,
    Conversation,
    ConversationList,
    CreateApiKey,
    CreatedApiKey,
    CreateDevice,
    CreateDeviceSettings,
    CreatedGroup,
    CreatedSubscription,
    CreateGroup,
    CreateLabel,
    CreateSubscription,
    Delivery,
    DeliveryDetails,
    DeliveryList,
    Device,
    DeviceDetails,
    DeviceList,
    DeviceSort,
    DocumentInput,
    EditMessageInput,
    EventPage,
    EventPattern,
    Group,
    GroupInviteLink,
    ImageInput,
    JoinedGroup,
    JoinGroup,
    Label,
    LabelList,
    LeftGroup,
    LinkButtonInput,
    ListInput,
    LocationInput,
    LocationRequestInput,
    MediaFile,
    MediaList,
    MemberList,
    Message,
    MessageHistory,
    MessageList,
    MessageStatistics,
    Metadata,
    NetworkList,
    Note,
    NoteList,
    PairDevice,
    PairDeviceMethod,
    Pairing,
    PingSent,
    PollInput,
    ProfilePicture,
    ReactionInput,
    ReplayEvents,
    ReplayProgress,
    ReplayStatus,
    RotateApiKey,
    RotateSecret,
    SendButtons,
    SendMessageInput,
    SendResult,
    ShowTyping,
    SortOrder,
    StickerInput,
    Subscription,
    SubscriptionFilter,
    SubscriptionList,
    SyncContacts,
    SyncStarted,
    SyncState,
    TextInput,
    TypingShown,
    VideoInput,
    WebhookEventList,
    WebhookHeaders,
    WriteNote,
)
from .types import UNSET, File, Unset

Answer = TypeVar("Answer")
Item = TypeVar("Item")
Request = dict[str, Any]


class Page(Protocol):
    """A page of a list, which says where the next one begins."""

    @property
    def next_cursor(self) -> None | str | Unset: ...


SomePage = TypeVar("SomePage", bound=Page)


class Operations(ABC):
    """Every operation of the API. An answer that is an error is raised as `ApiError`."""

    @abstractmethod
    def _call(self, request: Request, parse: Callable[[httpx.Response], Answer]) -> Answer: ...

    @abstractmethod
    def _iterate(
        self,
        request_page: Callable[[str | Unset], Request],
        parse: Callable[[httpx.Response], SomePage],
        items_of: Callable[[SomePage], list[Item]],
    ) -> Iterator[Item]: ...

    def send_button_message(
        self,
        *,
        phone_number: str,
        body: str,
        buttons: Sequence[dict[str, Any] | ButtonInput],
        footer: None | str | Unset = UNSET,
        chat_account_id: None | Unset | str | UUID = UNSET,
        idempotency_key: None | str | Unset = UNSET,
    ) -> SendResult:
        """Send Button Message.

        Store a message with interactive quick-reply buttons and send it as soon as possible.

        The answer comes once the message is on disk; it does not wait for the chat network. While
        its account is disconnected, the message waits.

        Required scope: `messages:write`.

        Args:
            phone_number: The recipient: a phone number with its country code, as people write it (5 to 15
                digits, `+` or `00` optional; spaces, dots, dashes, slashes and brackets are
                dropped), or a JID.
            body: The text.
            buttons: Their ids and their titles must be unique within the message.
            footer: A line shown below the buttons.
            chat_account_id: The account that sends; default: the organization's primary account.
            idempotency_key: A name for this request, 1 to 255 characters, quoted or not: a repeat within 24
                hours gets the first answer, and nothing is done twice.
        """

        return self._call(
            send_button_message.build_request(
                idempotency_key=idempotency_key,
                body=SendButtons(
                    phone_number=phone_number,
                    body=body,
                    buttons=read_objects(buttons),
                    footer=footer,
                    chat_account_id=read_id(chat_account_id),
                ),
            ),
            send_button_message.parse_response,
        )

    def list_messages(
        self,
        *,
        conversation_id: None | Unset | str | UUID = UNSET,
        chat_account_id: None | Unset | str | UUID = UNSET,
        contact_id: None | Unset | str | UUID = UNSET,
        phone_number: None | str | Unset = UNSET,
        direction: None | str | Unset = UNSET,
        status: None | str | Unset = UNSET,
        message_type: None | str | Unset = UNSET,
        batch_id: None | Unset | str | UUID = UNSET,
        chat_message_id: None | str | Unset = UNSET,
        run_id: None | str | Unset = UNSET,
        since: datetime.datetime | None | Unset = UNSET,
        until: datetime.datetime | None | Unset = UNSET,
        search: None | str | Unset = UNSET,
        limit: int | Unset = 50,
        cursor: None | str | Unset = UNSET,
    ) -> MessageList:
        """List Messages.

        List messages, newest first; a message must match all given filters. A page checks a limited
        number of messages, so that every page costs the same: a filtered one may hold fewer than
        `limit`, even none, and still have a `next_cursor`. A search finds a new message a few seconds
        after it was stored, and never one of an account that keeps no contents.

        Required scope: `messages:read`.

        Args:
            conversation_id: Only of this conversation.
            chat_account_id: Only of this account.
            contact_id: Only to or from this person; in groups, their own messages.
            phone_number: Only to or from this phone number, in any notation, or this JID; with a group's JID,
                the messages in it.
            direction: Only `inbound` or only `outbound` ones.
            status: Only in this status, such as `failed`.
            message_type: Only of this kind, such as `text`.
            batch_id: Only of this batch.
            chat_message_id: Only with this id on the chat network.
            run_id: Only of the send that returned this `run_id`.
            since: Only made at this time or later.
            until: Only made before this time.
            search: Only with all these words, in any case, with accents or without; the last may be the
                beginning of a word.
            limit: Maximum number of entries.
            cursor: Where to continue: the `next_cursor` of the previous page. Without it, the newest
                entries.
        """

        return self._call(
            list_messages.build_request(
                conversation_id=read_id(conversation_id),
                chat_account_id=read_id(chat_account_id),
                contact_id=read_id(contact_id),
                phone_number=phone_number,
                direction=direction,
                status=status,
                message_type=message_type,
                batch_id=read_id(batch_id),
                chat_message_id=chat_message_id,
                run_id=run_id,
                since=since,
                until=until,
                search=search,
                limit=limit,
                cursor=cursor,
            ),
            list_messages.parse_response,
        )

    def iterate_messages(
        self,
        *,
        conversation_id: None | Unset | str | UUID = UNSET,
        chat_account_id: None | Unset | str | UUID = UNSET,
        contact_id: None | Unset | str | UUID = UNSET,
        phone_number: None | str | Unset = UNSET,
        direction: None | str | Unset = UNSET,
        status: None | str | Unset = UNSET,
        message_type: None | str | Unset = UNSET,
        batch_id: None | Unset | str | UUID = UNSET,
        chat_message_id: None | str | Unset = UNSET,
        run_id: None | str | Unset = UNSET,
        since: datetime.datetime | None | Unset = UNSET,
        until: datetime.datetime | None | Unset = UNSET,
        search: None | str | Unset = UNSET,
        limit: int | Unset = 50,
    ) -> Iterator[Message]:
        """List Messages, page by page, until there are no more."""
        return self._iterate(
            lambda cursor: list_messages.build_request(
                conversation_id=read_id(conversation_id),
                chat_account_id=read_id(chat_account_id),
                contact_id=read_id(contact_id),
                phone_number=phone_number,
                direction=direction,
                status=status,
                message_type=message_type,
                batch_id=read_id(batch_id),
                chat_message_id=chat_message_id,
                run_id=run_id,
                since=since,
                until=until,
                search=search,
                limit=limit,
                cursor=cursor,
            ),
            list_messages.parse_response,
            lambda page: page.messages,
        )

    def send_message(
        self,
        *,
        content: dict[str, Any]
        | AudioInput
        | ButtonsInput
        | ContactInput
        | DocumentInput
        | ImageInput
        | LinkButtonInput
        | ListInput
        | LocationInput
        | LocationRequestInput
        | PollInput
        | StickerInput
        | TextInput
        | VideoInput,
        phone_number: None | str | Unset = UNSET,
        conversation_id: None | Unset | str | UUID = UNSET,
        contact_id: None | Unset | str | UUID = UNSET,
        chat_account_id: None | Unset | str | UUID = UNSET,
        reply_to_message_id: None | Unset | str | UUID = UNSET,
        scheduled_for: datetime.datetime | None | Unset = UNSET,
        expires_at: datetime.datetime | None | Unset = UNSET,
        fallback: Literal["text"] | None | Unset = UNSET,
        metadata: dict[str, Any] | Metadata | None | Unset = UNSET,
        idempotency_key: None | str | Unset = UNSET,
    ) -> SendResult:
        """Send Message.

        Store a message of any kind and send it as soon as possible, or at its scheduled time.

        The answer comes once the message is on disk; it does not wait for the chat network. While its
        account is disconnected, the message waits. Messages to one recipient go out in the order in
        which they were accepted.

        Required scope: `messages:write`.

        Args:
            content: The content to send, distinguished by `type`.
            phone_number: The recipient: a phone number with its country code, as people write it (5 to 15
                digits, `+` or `00` optional; spaces, dots, dashes, slashes and brackets are
                dropped), or a JID.
            conversation_id: The conversation to write in, through its own account.
            contact_id: The contact to write to.
            chat_account_id: The account that sends; default: the conversation's, else the organization's primary
                account.
            reply_to_message_id: A message of the same conversation that this one answers.
            scheduled_for: When to send it, at most 366 days ahead; default: now.
            expires_at: A message not sent by then fails, with the reason `expired`.
            fallback: `text`: if the network lacks this kind, send it as a text. Choices are numbered, and
                an answer comes back as if it had been chosen.
            metadata: Values of your own, for records and webhooks.
            idempotency_key: A name for this request, 1 to 255 characters, quoted or not: a repeat within 24
                hours gets the first answer, and nothing is done twice.
        """

        return self._call(
            send_message.build_request(
                idempotency_key=idempotency_key,
                body=SendMessageInput(
                    content=read_object(content),
                    phone_number=phone_number,
                    conversation_id=read_id(conversation_id),
                    contact_id=read_id(contact_id),
                    chat_account_id=read_id(chat_account_id),
                    reply_to_message_id=read_id(reply_to_message_id),
                    scheduled_for=scheduled_for,
                    expires_at=expires_at,
                    fallback=fallback,
                    metadata=read_object(metadata),
                ),
            ),
            send_message.parse_response,
        )

    def get_message_stats(
        self,
    ) -> MessageStatistics:
        """Get Message Stats.

        Count the organization's messages by state and direction, including deleted ones.

        Required scope: `messages:read`.
        """

        return self._call(
            get_message_stats.build_request(),
            get_message_stats.parse_response,
        )

    def get_message(
        self,
        message_id: str | UUID,
    ) -> Message:
        """Get Message.

        Read a message with its timeline.

        Required scope: `messages:read`.
        """

        return self._call(
            get_message.build_request(
                message_id=read_id(message_id),
            ),
            get_message.parse_response,
        )

    def delete_message(
        self,
        message_id: str | UUID,
    ) -> ChangeResult:
        """Delete Message.

        Delete a message for everyone. A waiting message is canceled, unless an attempt may have sent
        it. Otherwise `message.deleted` follows once the network has deleted it, or `message.failed`
        with `change` if that failed. A repeat while the deletion waits gets the same `change_id`.

        Required scope: `messages:write`.
        """

        return self._call(
            delete_message.build_request(
                message_id=read_id(message_id),
            ),
            delete_message.parse_response,
        )

    def edit_message(
        self,
        message_id: str | UUID,
        *,
        content: dict[str, Any]
        | AudioInput
        | ButtonsInput
        | ContactInput
        | DocumentInput
        | ImageInput
        | LinkButtonInput
        | ListInput
        | LocationInput
        | LocationRequestInput
        | PollInput
        | StickerInput
        | TextInput
        | VideoInput,
    ) -> ChangeResult:
        """Edit Message.

        Change the content of a message. A waiting message is changed at once. One that was sent, or
        may have been, is edited on the network, after earlier changes; then `message.edited` follows,
        or `message.failed` with `change` if that failed.

        Required scope: `messages:write`.

        Args:
            content: The content to send, distinguished by `type`.
        """

        return self._call(
            edit_message.build_request(
                message_id=read_id(message_id),
                body=EditMessageInput(
                    content=read_object(content),
                ),
            ),
            edit_message.parse_response,
        )

    def cancel_message(
        self,
        message_id: str | UUID,
        *,
        idempotency_key: None | str | Unset = UNSET,
    ) -> Message:
        """Cancel Message.

        Cancel a message that has certainly not been sent, and return it. A message that is already
        canceled is returned the same way. One that may be on the phone, because the network did not
        answer an attempt to send it, can't be canceled, only deleted.

        Required scope: `messages:write`.

        Args:
            idempotency_key: A name for this request, 1 to 255 characters, quoted or not: a repeat within 24
                hours gets the first answer, and nothing is done twice.
        """

        return self._call(
            cancel_message.build_request(
                message_id=read_id(message_id),
                idempotency_key=idempotency_key,
            ),
            cancel_message.parse_response,
        )

    def set_message_reaction(
        self,
        message_id: str | UUID,
        *,
        emoji: str,
    ) -> ChangeResult:
        """Set Message Reaction.

        React to a message in the account's name; the reaction replaces an earlier one.
        `message.reaction` follows once the network has accepted it, or `message.failed` with `change`
        if it did not.

        Required scope: `messages:write`.

        Args:
            emoji: One emoji, such as 👍. It replaces an earlier one.
        """

        return self._call(
            set_message_reaction.build_request(
                message_id=read_id(message_id),
                body=ReactionInput(
                    emoji=emoji,
                ),
            ),
            set_message_reaction.parse_response,
        )

    def delete_message_reaction(
        self,
        message_id: str | UUID,
    ) -> ChangeResult:
        """Delete Message Reaction.

        Remove the account's reaction to a message.

        Required scope: `messages:write`.
        """

        return self._call(
            delete_message_reaction.build_request(
                message_id=read_id(message_id),
            ),
            delete_message_reaction.parse_response,
        )

    def get_message_history(
        self,
        message_id: str | UUID,
    ) -> MessageHistory:
        """Get Message History.

        Find out why a message did not arrive: its steps with their times and reasons, its attempts
        on the chat network, and its webhook deliveries with each attempt. Deliveries require the scope
        `webhooks:read`, the account's name in the explanation `admin:read`.

        Required scope: `messages:read`.
        """

        return self._call(
            get_message_history.build_request(
                message_id=read_id(message_id),
            ),
            get_message_history.parse_response,
        )

    def create_conversation_group(
        self,
        *,
        chat_account_id: str | UUID,
        subject: str,
        participants: list[str],
        idempotency_key: None | str | Unset = UNSET,
    ) -> CreatedGroup:
        """Create Conversation Group.

        Create a group on the chat network and store its conversation.

        The answer waits for the chat network, 30 seconds unless the operator has set another time.
        After that the work continues: a repeat with the same `Idempotency-Key` waits for its result.

        Required scope: `groups:write`.

        Args:
            chat_account_id: The connected account that creates the group.
            subject: The group's name.
            participants: Each is a phone number with its country code, as people write it (5 to 15 digits,
                `+` or `00` optional; spaces, dots, dashes, slashes and brackets are dropped), or a
                JID; a person named twice is added once.
            idempotency_key: A name for this request, 1 to 255 characters, quoted or not: a repeat within 24
                hours gets the first answer, and nothing is done twice.
        """

        return self._call(
            create_conversation_group.build_request(
                idempotency_key=idempotency_key,
                body=CreateGroup(
                    chat_account_id=read_id(chat_account_id),
                    subject=subject,
                    participants=participants,
                ),
            ),
            create_conversation_group.parse_response,
        )

    def list_conversations(
        self,
        *,
        limit: int | Unset = 50,
        cursor: None | str | Unset = UNSET,
        status: None | str | Unset = UNSET,
        assignee_user_id: None | Unset | str | UUID = UNSET,
        label_id: None | Unset | str | UUID = UNSET,
        chat_account_id: None | Unset | str | UUID = UNSET,
        contact_id: None | Unset | str | UUID = UNSET,
        phone_number: None | str | Unset = UNSET,
        unread: bool | None | Unset = UNSET,
        is_group: bool | None | Unset = UNSET,
        search: None | str | Unset = UNSET,
    ) -> ConversationList:
        """List Conversations.

        List conversations, newest activity first; those without messages come last. Conversations
        that get a message after the first page was read come last, some of them for the second time: a
        client that continues until `next_cursor` is null sees each at least once. A page of a filtered
        list checks 10,000 conversations at most, so it may be short, or empty, and still have a
        `next_cursor`.

        Required scope: `conversations:read`.

        Args:
            limit: Maximum number of entries.
            cursor: Where to continue: the `next_cursor` of the previous page. Without it, the newest
                entries.
            status: Only those in this state, such as `open`.
            assignee_user_id: Only those assigned to this member.
            label_id: Only those with this label.
            chat_account_id: Only those of this account.
            contact_id: Only those with this person.
            phone_number: Only those with this phone number, in any notation, or this JID, also a group's.
            unread: Only those with unread messages, or without.
            is_group: Only groups, or only those with one person.
            search: Part of the name of the contact or group, in any case, of the phone number, in any
                notation, or of the remote JID.
        """

        return self._call(
            list_conversations.build_request(
                limit=limit,
                cursor=cursor,
                status=status,
                assignee_user_id=read_id(assignee_user_id),
                label_id=read_id(label_id),
                chat_account_id=read_id(chat_account_id),
                contact_id=read_id(contact_id),
                phone_number=phone_number,
                unread=unread,
                is_group=is_group,
                search=search,
            ),
            list_conversations.parse_response,
        )

    def iterate_conversations(
        self,
        *,
        limit: int | Unset = 50,
        status: None | str | Unset = UNSET,
        assignee_user_id: None | Unset | str | UUID = UNSET,
        label_id: None | Unset | str | UUID = UNSET,
        chat_account_id: None | Unset | str | UUID = UNSET,
        contact_id: None | Unset | str | UUID = UNSET,
        phone_number: None | str | Unset = UNSET,
        unread: bool | None | Unset = UNSET,
        is_group: bool | None | Unset = UNSET,
        search: None | str | Unset = UNSET,
    ) -> Iterator[Conversation]:
        """List Conversations, page by page, until there are no more."""
        return self._iterate(
            lambda cursor: list_conversations.build_request(
                limit=limit,
                cursor=cursor,
                status=status,
                assignee_user_id=read_id(assignee_user_id),
                label_id=read_id(label_id),
                chat_account_id=read_id(chat_account_id),
                contact_id=read_id(contact_id),
                phone_number=phone_number,
                unread=unread,
                is_group=is_group,
                search=search,
            ),
            list_conversations.parse_response,
            lambda page: page.conversations,
        )

    def get_conversation(
        self,
        conversation_id: str | UUID,
    ) -> Conversation:
        """Get Conversation.

        Read a conversation.

        Required scope: `conversations:read`.
        """

        return self._call(
            get_conversation.build_request(
                conversation_id=read_id(conversation_id),
            ),
            get_conversation.parse_response,
        )

    def change_conversation(
        self,
        conversation_id: str | UUID,
        *,
        status: ChosenStatus | Unset = UNSET,
        assignee_user_id: None | Unset | str | UUID = UNSET,
        agent_paused: bool | Unset = UNSET,
        pinned: bool | Unset = UNSET,
        subject: None | str | Unset = UNSET,
        label_ids: Sequence[str | UUID] | Unset = UNSET,
        snoozed_until: datetime.datetime | None | Unset = UNSET,
    ) -> Conversation:
        """Change Conversation.

        Change the given fields of a conversation, all or none. A snoozed conversation reopens at
        `snoozed_until`, or when somebody writes. A label that does not exist is answered 404.

        Required scope: `conversations:write`.

        Args:
            status: The statuses of a conversation that a client can set and filter by.
            assignee_user_id: The member it is assigned to; null for nobody.
            agent_paused: Whether automatic answers are paused.
            pinned: Whether it is pinned above all others; 50 can be pinned.
            subject: A description for colleagues.
            label_ids: The complete new list of labels.
            snoozed_until: When a snoozed conversation reopens by itself; null: only when somebody writes.
        """

        return self._call(
            change_conversation.build_request(
                conversation_id=read_id(conversation_id),
                body=ChangeConversation(
                    status=status,
                    assignee_user_id=read_id(assignee_user_id),
                    agent_paused=agent_paused,
                    pinned=pinned,
                    subject=subject,
                    label_ids=read_ids(label_ids),
                    snoozed_until=snoozed_until,
                ),
            ),
            change_conversation.parse_response,
        )

    def mark_conversation_read(
        self,
        conversation_id: str | UUID,
        *,
        idempotency_key: None | str | Unset = UNSET,
    ) -> Conversation:
        """Mark Conversation Read.

        Set the number of unread messages to 0 and their status to `read`, and mark them as read on
        the chat network. Networks with read receipts get those for the newest 100, if the account is
        connected. Messages that the account's owner reads or answers on their phone become read, too.

        Required scope: `conversations:write`.

        Args:
            idempotency_key: A name for this request, 1 to 255 characters, quoted or not: a repeat within 24
                hours gets the first answer, and nothing is done twice.
        """

        return self._call(
            mark_conversation_read.build_request(
                conversation_id=read_id(conversation_id),
                idempotency_key=idempotency_key,
            ),
            mark_conversation_read.parse_response,
        )

    def list_conversation_notes(
        self,
        conversation_id: str | UUID,
        *,
        limit: int | Unset = 50,
        cursor: None | str | Unset = UNSET,
    ) -> NoteList:
        """List Conversation Notes.

        List colleagues' notes about a conversation, newest first.

        Required scope: `conversations:read`.

        Args:
            limit: Maximum number of entries.
            cursor: Where to continue: the `next_cursor` of the previous page. Without it, the newest
                entries.
        """

        return self._call(
            list_conversation_notes.build_request(
                conversation_id=read_id(conversation_id),
                limit=limit,
                cursor=cursor,
            ),
            list_conversation_notes.parse_response,
        )

    def iterate_conversation_notes(
        self,
        conversation_id: str | UUID,
        *,
        limit: int | Unset = 50,
    ) -> Iterator[Note]:
        """List Conversation Notes, page by page, until there are no more."""
        return self._iterate(
            lambda cursor: list_conversation_notes.build_request(
                conversation_id=read_id(conversation_id),
                limit=limit,
                cursor=cursor,
            ),
            list_conversation_notes.parse_response,
            lambda page: page.notes,
        )

    def create_conversation_note(
        self,
        conversation_id: str | UUID,
        *,
        body: str,
        idempotency_key: None | str | Unset = UNSET,
    ) -> Note:
        """Create Conversation Note.

        Write a note about a conversation for colleagues. Its contact never sees it.

        Required scope: `conversations:write`.

        Args:
            body: The text.
            idempotency_key: A name for this request, 1 to 255 characters, quoted or not: a repeat within 24
                hours gets the first answer, and nothing is done twice.
        """

        return self._call(
            create_conversation_note.build_request(
                conversation_id=read_id(conversation_id),
                idempotency_key=idempotency_key,
                body=WriteNote(
                    body=body,
                ),
            ),
            create_conversation_note.parse_response,
        )

    def show_typing(
        self,
        conversation_id: str | UUID,
        *,
        is_typing: bool | Unset = UNSET,
        idempotency_key: None | str | Unset = UNSET,
    ) -> TypingShown:
        """Show Typing.

        Show the other side that somebody is typing. Networks stop showing it after some seconds.

        Required scope: `conversations:write`.

        Args:
            is_typing: False withdraws the indicator. Default: `true`.
            idempotency_key: A name for this request, 1 to 255 characters, quoted or not: a repeat within 24
                hours gets the first answer, and nothing is done twice.
        """

        return self._call(
            show_typing.build_request(
                conversation_id=read_id(conversation_id),
                idempotency_key=idempotency_key,
                body=ShowTyping(
                    is_typing=is_typing,
                ),
            ),
            show_typing.parse_response,
        )

    def list_members(
        self,
        *,
        limit: int | Unset = 50,
        offset: int | Unset = 0,
    ) -> MemberList:
        """List Members.

        List the people of the organization by name. A conversation can be assigned to each of them,
        with their `id` as `assignee_user_id`.

        Required scope: `conversations:read`.

        Args:
            limit: Maximum number of entries.
            offset: Number of entries to skip.
        """

        return self._call(
            list_members.build_request(
                limit=limit,
                offset=offset,
            ),
            list_members.parse_response,
        )

    def join_group(
        self,
        *,
        session_name: str,
        invite_link: str,
        idempotency_key: None | str | Unset = UNSET,
    ) -> JoinedGroup:
        """Join Group.

        Join a group through an invite link; the answer waits for the chat network.

        Required scope: `groups:write`.

        Args:
            session_name: The connected account's session name within the organization.
            invite_link: The link in the network's own form.
            idempotency_key: A name for this request, 1 to 255 characters, quoted or not: a repeat within 24
                hours gets the first answer, and nothing is done twice.
        """

        return self._call(
            join_group.build_request(
                idempotency_key=idempotency_key,
                body=JoinGroup(
                    session_name=session_name,
                    invite_link=invite_link,
                ),
            ),
            join_group.parse_response,
        )

    def get_group(
        self,
        conversation_id: str | UUID,
    ) -> Group:
        """Get Group.

        Ask the chat network for a group's name and participants.

        Required scope: `groups:read`.
        """

        return self._call(
            get_group.build_request(
                conversation_id=read_id(conversation_id),
            ),
            get_group.parse_response,
        )

    def change_group(
        self,
        conversation_id: str | UUID,
        *,
        subject: str | Unset = UNSET,
        description: str | Unset = UNSET,
    ) -> Group:
        """Change Group.

        Change a group's name, description or both, and return the group as it is then.

        Required scope: `groups:write`.

        Args:
            subject: The group's name.
            description: The group's description; empty removes it.
        """

        return self._call(
            change_group.build_request(
                conversation_id=read_id(conversation_id),
                body=ChangeGroup(
                    subject=subject,
                    description=description,
                ),
            ),
            change_group.parse_response,
        )

    def add_group_participants(
        self,
        conversation_id: str | UUID,
        *,
        participants: list[str],
        idempotency_key: None | str | Unset = UNSET,
    ) -> AddedParticipants:
        """Add Group Participants.

        Add people to a group; the answer says who could not be added.

        Required scope: `groups:write`.

        Args:
            participants: Each is a phone number with its country code, as people write it (5 to 15 digits,
                `+` or `00` optional; spaces, dots, dashes, slashes and brackets are dropped), or a
                JID; a person named twice is added once.
            idempotency_key: A name for this request, 1 to 255 characters, quoted or not: a repeat within 24
                hours gets the first answer, and nothing is done twice.
        """

        return self._call(
            add_group_participants.build_request(
                conversation_id=read_id(conversation_id),
                idempotency_key=idempotency_key,
                body=AddParticipants(
                    participants=participants,
                ),
            ),
            add_group_participants.parse_response,
        )

    def remove_group_participant(
        self,
        conversation_id: str | UUID,
        jid: str,
    ) -> None:
        """Remove Group Participant.

        Remove somebody from a group.

        Required scope: `groups:write`.
        """

        return self._call(
            remove_group_participant.build_request(
                conversation_id=read_id(conversation_id),
                jid=jid,
            ),
            remove_group_participant.parse_response,
        )

    def get_group_invite_link(
        self,
        conversation_id: str | UUID,
    ) -> GroupInviteLink:
        """Get Group Invite Link.

        Get the link through which people join a group.

        Required scope: `groups:write`.
        """

        return self._call(
            get_group_invite_link.build_request(
                conversation_id=read_id(conversation_id),
            ),
            get_group_invite_link.parse_response,
        )

    def leave_group(
        self,
        conversation_id: str | UUID,
        *,
        idempotency_key: None | str | Unset = UNSET,
    ) -> LeftGroup:
        """Leave Group.

        Leave a group. Its conversation stays.

        Required scope: `groups:write`.

        Args:
            idempotency_key: A name for this request, 1 to 255 characters, quoted or not: a repeat within 24
                hours gets the first answer, and nothing is done twice.
        """

        return self._call(
            leave_group.build_request(
                conversation_id=read_id(conversation_id),
                idempotency_key=idempotency_key,
            ),
            leave_group.parse_response,
        )

    def check_contacts(
        self,
        *,
        phone_numbers: list[str],
        chat_account_id: None | Unset | str | UUID = UNSET,
        idempotency_key: None | str | Unset = UNSET,
    ) -> CheckedNumbers:
        """Check Contacts.

        Ask the chat network which phone numbers it knows.

        Required scope: `contacts:write`.

        Args:
            phone_numbers: Each as people write it, with its country code.
            chat_account_id: The account that asks; default: the organization's primary account.
            idempotency_key: A name for this request, 1 to 255 characters, quoted or not: a repeat within 24
                hours gets the first answer, and nothing is done twice.
        """

        return self._call(
            check_contacts.build_request(
                idempotency_key=idempotency_key,
                body=CheckNumbers(
                    phone_numbers=phone_numbers,
                    chat_account_id=read_id(chat_account_id),
                ),
            ),
            check_contacts.parse_response,
        )

    def sync_contacts(
        self,
        *,
        chat_account_id: str | UUID,
        idempotency_key: None | str | Unset = UNSET,
    ) -> SyncStarted:
        """Sync Contacts.

        Start fetching an account's contacts; while that runs, a second call returns the same job.

        Required scope: `contacts:write`.

        Args:
            chat_account_id: The connected account to synchronize.
            idempotency_key: A name for this request, 1 to 255 characters, quoted or not: a repeat within 24
                hours gets the first answer, and nothing is done twice.
        """

        return self._call(
            sync_contacts.build_request(
                idempotency_key=idempotency_key,
                body=SyncContacts(
                    chat_account_id=read_id(chat_account_id),
                ),
            ),
            sync_contacts.parse_response,
        )

    def get_contact_sync(
        self,
        job_id: str | UUID,
    ) -> SyncState:
        """Get Contact Sync.

        Read the progress of a contact synchronization, by the `job_id` returned at its start.

        Required scope: `contacts:read`.
        """

        return self._call(
            get_contact_sync.build_request(
                job_id=read_id(job_id),
            ),
            get_contact_sync.parse_response,
        )

    def list_contacts(
        self,
        *,
        limit: int | Unset = 50,
        cursor: None | str | Unset = UNSET,
        search: None | str | Unset = UNSET,
        label_id: None | Unset | str | UUID = UNSET,
        phone_number: None | str | Unset = UNSET,
    ) -> ContactList:
        """List Contacts.

        List the organization's contacts, newest first. A page of a filtered list checks 10,000
        contacts at most, so it may be short, or empty, and still have a `next_cursor`. A key that is
        limited to certain accounts sees only contacts that have a conversation with one of them.

        Required scope: `contacts:read`.

        Args:
            limit: Maximum number of entries.
            cursor: Where to continue: the `next_cursor` of the previous page. Without it, the newest
                entries.
            search: Part of a name, in any case, or of the phone number, in any notation.
            label_id: Only those with this label.
            phone_number: Only the one with this number, in any notation.
        """

        return self._call(
            list_contacts.build_request(
                limit=limit,
                cursor=cursor,
                search=search,
                label_id=read_id(label_id),
                phone_number=phone_number,
            ),
            list_contacts.parse_response,
        )

    def iterate_contacts(
        self,
        *,
        limit: int | Unset = 50,
        search: None | str | Unset = UNSET,
        label_id: None | Unset | str | UUID = UNSET,
        phone_number: None | str | Unset = UNSET,
    ) -> Iterator[Contact]:
        """List Contacts, page by page, until there are no more."""
        return self._iterate(
            lambda cursor: list_contacts.build_request(
                limit=limit,
                cursor=cursor,
                search=search,
                label_id=read_id(label_id),
                phone_number=phone_number,
            ),
            list_contacts.parse_response,
            lambda page: page.contacts,
        )

    def get_contact(
        self,
        contact_id: str | UUID,
    ) -> Contact:
        """Get Contact.

        Read a contact. When two turned out to be one person, both ids lead to the one that was
        kept.

        Required scope: `contacts:read`.
        """

        return self._call(
            get_contact.build_request(
                contact_id=read_id(contact_id),
            ),
            get_contact.parse_response,
        )

    def change_contact(
        self,
        contact_id: str | UUID,
        *,
        name: None | str | Unset = UNSET,
        attributes: dict[str, Any] | ChangeContactAttributes | Unset = UNSET,
        label_ids: Sequence[str | UUID] | Unset = UNSET,
    ) -> Contact:
        """Change Contact.

        Change the given fields of a contact, all or none. `attributes` and `label_ids` replace the
        existing ones.

        Required scope: `contacts:write`.

        Args:
            name: Your name for the contact, which a phone's address book does not replace; null goes
                back to the address book's.
            attributes: Your own data about the contact, which replaces what was there: texts of at most 500
                characters, numbers, true, false and null.
            label_ids: The complete new list of labels.
        """

        return self._call(
            change_contact.build_request(
                contact_id=read_id(contact_id),
                body=ChangeContact(
                    name=name,
                    attributes=read_object(attributes),
                    label_ids=read_ids(label_ids),
                ),
            ),
            change_contact.parse_response,
        )

    def get_contact_profile_picture(
        self,
        contact_id: str | UUID,
        *,
        chat_account_id: None | Unset | str | UUID = UNSET,
        preview: bool | Unset = False,
    ) -> ProfilePicture:
        """Get Contact Profile Picture.

        Find a contact's profile picture, in object storage or on the chat network.

        Required scope: `contacts:read`.

        Args:
            chat_account_id: The account to look with; default: the primary connected account.
            preview: True for the thumbnail.
        """

        return self._call(
            get_contact_profile_picture.build_request(
                contact_id=read_id(contact_id),
                chat_account_id=read_id(chat_account_id),
                preview=preview,
            ),
            get_contact_profile_picture.parse_response,
        )

    def list_media(
        self,
        *,
        media_type: None | str | Unset = UNSET,
        origin: None | str | Unset = UNSET,
        chat_account_id: None | Unset | str | UUID = UNSET,
        limit: int | Unset = 50,
        cursor: None | str | Unset = UNSET,
    ) -> MediaList:
        """List Media.

        List files, newest first: uploaded, fetched and received ones. `stored_bytes` says how much
        of the plan's quota is used; received files do not count. A page checks a limited number of
        files: a filtered one may hold fewer than `limit`, even none, and still have a `next_cursor`.

        Required scope: `messages:read`.

        Args:
            media_type: Only of this type, such as `image/png`, or of this kind, `image`.
            origin: Only `upload`, or only `inbound`: sent to one of your devices.
            chat_account_id: Only what came in through this device.
            limit: Maximum number of entries.
            cursor: Where to continue: the `next_cursor` of the previous page. Without it, the newest
                entries.
        """

        return self._call(
            list_media.build_request(
                media_type=media_type,
                origin=origin,
                chat_account_id=read_id(chat_account_id),
                limit=limit,
                cursor=cursor,
            ),
            list_media.parse_response,
        )

    def iterate_media(
        self,
        *,
        media_type: None | str | Unset = UNSET,
        origin: None | str | Unset = UNSET,
        chat_account_id: None | Unset | str | UUID = UNSET,
        limit: int | Unset = 50,
    ) -> Iterator[MediaFile]:
        """List Media, page by page, until there are no more."""
        return self._iterate(
            lambda cursor: list_media.build_request(
                media_type=media_type,
                origin=origin,
                chat_account_id=read_id(chat_account_id),
                limit=limit,
                cursor=cursor,
            ),
            list_media.parse_response,
            lambda page: page.media,
        )

    def upload_media(
        self,
        *,
        body: File,
        file_name: None | str | Unset = UNSET,
        idempotency_key: None | str | Unset = UNSET,
    ) -> MediaFile:
        """Upload Media.

        Upload a file, to send in messages by its id. The body is the file itself, up to the size
        that the plan allows (64 MiB by default). Its first bytes have to match its `Content-Type`;
        without one, or with `application/octet-stream`, the bytes alone decide.

        Required scope: `messages:write`.

        Args:
            file_name: The file's name, at most 255 bytes in UTF-8: without `/`, `\\\\` and control
                characters. Recipients of the file as a document see it.
            idempotency_key: A name for this request, 1 to 255 characters, quoted or not: a repeat within 24
                hours gets the first answer, and nothing is done twice.
        """

        return self._call(
            upload_media.build_request(
                file_name=file_name,
                idempotency_key=idempotency_key,
                body=body,
            ),
            upload_media.parse_response,
        )

    def get_media(
        self,
        media_id: str | UUID,
    ) -> MediaFile:
        """Get Media.

        Read a file's record. Its `url`, new at every read, gives access to the file for an hour,
        without a key.

        Required scope: `messages:read`.
        """

        return self._call(
            get_media.build_request(
                media_id=read_id(media_id),
            ),
            get_media.parse_response,
        )

    def delete_media(
        self,
        media_id: str | UUID,
    ) -> None:
        """Delete Media.

        Delete a file, which frees its place in the quota at once. While a message with the file
        waits to be sent, the answer is 409 `media_in_use`. Other messages with it stay, without their
        file.

        Required scope: `messages:write`.
        """

        return self._call(
            delete_media.build_request(
                media_id=read_id(media_id),
            ),
            delete_media.parse_response,
        )

    def list_labels(
        self,
        *,
        limit: int | Unset = 50,
        offset: int | Unset = 0,
    ) -> LabelList:
        """List Labels.

        List the organization's labels by name.

        Required scope: `conversations:read`.

        Args:
            limit: Maximum number of entries.
            offset: Number of entries to skip.
        """

        return self._call(
            list_labels.build_request(
                limit=limit,
                offset=offset,
            ),
            list_labels.parse_response,
        )

    def create_label(
        self,
        *,
        name: str,
        color: str | Unset = UNSET,
        idempotency_key: None | str | Unset = UNSET,
    ) -> Label:
        """Create Label.

        Create a label. An organization can have 200. A key that is limited to certain devices can't
        create one: all devices share the labels.

        Required scope: `conversations:write`.

        Args:
            name: A name that no other label has, regardless of case and accents.
            color: Its color, as `#rrggbb`. Default: `"#6b7280"`.
            idempotency_key: A name for this request, 1 to 255 characters, quoted or not: a repeat within 24
                hours gets the first answer, and nothing is done twice.
        """

        return self._call(
            create_label.build_request(
                idempotency_key=idempotency_key,
                body=CreateLabel(
                    name=name,
                    color=color,
                ),
            ),
            create_label.parse_response,
        )

    def delete_label(
        self,
        label_id: str | UUID,
    ) -> None:
        """Delete Label.

        Delete a label, and remove it from all conversations and contacts. A key that is limited to
        certain devices can't.

        Required scope: `conversations:write`.
        """

        return self._call(
            delete_label.build_request(
                label_id=read_id(label_id),
            ),
            delete_label.parse_response,
        )

    def change_label(
        self,
        label_id: str | UUID,
        *,
        name: str | Unset = UNSET,
        color: str | Unset = UNSET,
    ) -> Label:
        """Change Label.

        Change a label's name or color everywhere. A key that is limited to certain devices can't:
        all devices share the labels.

        Required scope: `conversations:write`.

        Args:
            name: The new name.
            color: The new color, as `#rrggbb`.
        """

        return self._call(
            change_label.build_request(
                label_id=read_id(label_id),
                body=ChangeLabel(
                    name=name,
                    color=color,
                ),
            ),
            change_label.parse_response,
        )

    def list_devices(
        self,
        *,
        limit: int | Unset = 50,
        offset: int | Unset = 0,
        status: None | str | Unset = UNSET,
        search: None | str | Unset = UNSET,
        sort_by: DeviceSort | Unset = UNSET,
        sort_order: SortOrder | Unset = UNSET,
    ) -> DeviceList:
        """List Devices.

        List the organization's devices.

        Required scope: `admin:read`.

        Args:
            limit: Maximum number of entries.
            offset: Number of entries to skip.
            status: Only devices in this state, such as `connected`, `disconnected`.
            search: Part of a device name or session name, in any case, or of a phone number, in any
                notation, such as `+1 (555) 010`.
            sort_by: The fields by which devices can be sorted.
            sort_order: The order: ascending or descending.
        """

        return self._call(
            list_devices.build_request(
                limit=limit,
                offset=offset,
                status=status,
                search=search,
                sort_by=sort_by,
                sort_order=sort_order,
            ),
            list_devices.parse_response,
        )

    def create_device(
        self,
        *,
        network: str,
        name: str,
        session_name: None | str | Unset = UNSET,
        settings: dict[str, Any] | CreateDeviceSettings | Unset = UNSET,
        idempotency_key: None | str | Unset = UNSET,
    ) -> DeviceDetails:
        """Create Device.

        Connect a device to a chat network, with the network's form. It starts connecting or pairing
        automatically; the device's pairing says what a person has to do. The first device of an
        organization becomes the primary one. A key that is limited to certain devices can't connect
        another.

        Required scope: `admin:write`.

        Args:
            network: The network's name.
            name: The name that people see.
            session_name: Its name in requests, unique in the organization; default: made from `name`.
            settings: Values of the network's form, by the field's name, all as strings. Secret values are
                encrypted, and never shown again.
            idempotency_key: A name for this request, 1 to 255 characters, quoted or not: a repeat within 24
                hours gets the first answer, and nothing is done twice.
        """

        return self._call(
            create_device.build_request(
                idempotency_key=idempotency_key,
                body=CreateDevice(
                    network=network,
                    name=name,
                    session_name=session_name,
                    settings=read_object(settings),
                ),
            ),
            create_device.parse_response,
        )

    def get_device(
        self,
        device_id: str | UUID,
    ) -> DeviceDetails:
        """Get Device.

        Read a device, with the number of messages that wait to be sent through it.

        Required scope: `admin:read`.
        """

        return self._call(
            get_device.build_request(
                device_id=read_id(device_id),
            ),
            get_device.parse_response,
        )

    def delete_device(
        self,
        device_id: str | UUID,
    ) -> None:
        """Delete Device.

        Remove a device. Its conversations and messages stay. Messages waiting to be sent are
        canceled; those that may have been sent fail. A connected device has to be logged out first.

        Required scope: `admin:write`.
        """

        return self._call(
            delete_device.build_request(
                device_id=read_id(device_id),
            ),
            delete_device.parse_response,
        )

    def change_device(
        self,
        device_id: str | UUID,
        *,
        name: str | Unset = UNSET,
        is_primary: bool | Unset = UNSET,
        message_logging_enabled: bool | Unset = UNSET,
        auto_warmer_enabled: bool | Unset = UNSET,
        send_rate: int | None | Unset = UNSET,
        settings: dict[str, Any] | ChangeDeviceSettings | Unset = UNSET,
    ) -> DeviceDetails:
        """Change Device.

        Change a device; fields that are left out stay as they are. This reopens its connection.
        `settings` replaces the values that it names; an empty value means the form's default. A key
        that is limited to certain devices can't make another device the primary one.

        Required scope: `admin:write`.

        Args:
            name: The name that people see.
            is_primary: True makes it the one used when a request names none.
            message_logging_enabled: Whether the contents of its messages are kept.
            auto_warmer_enabled: Whether its daily limit grows over its first days.
            send_rate: Maximum messages a minute; null is no limit.
            settings: Values of the network's form, by the field's name, all as strings. Secret values are
                encrypted, and never shown again.
        """

        return self._call(
            change_device.build_request(
                device_id=read_id(device_id),
                body=ChangeDevice(
                    name=name,
                    is_primary=is_primary,
                    message_logging_enabled=message_logging_enabled,
                    auto_warmer_enabled=auto_warmer_enabled,
                    send_rate=send_rate,
                    settings=read_object(settings),
                ),
            ),
            change_device.parse_response,
        )

    def get_device_pairing(
        self,
        device_id: str | UUID,
        *,
        accept: None | str | Unset = UNSET,
    ) -> Pairing:
        """Get Device Pairing.

        Read what a person has to do to pair a device: scan a QR code, or type a code. The code
        changes every few seconds until somebody uses it: ask again when it expires. With
        `Accept: image/png` the answer is the QR code as a picture, to show unchanged; while there is
        none, it is 409 `no_qr_code`.

        Required scope: `admin:read`.

        Args:
            accept: `image/png` for the QR code as a picture.
        """

        return self._call(
            get_device_pairing.build_request(
                device_id=read_id(device_id),
                accept=accept,
            ),
            get_device_pairing.parse_response,
        )

    def pair_device(
        self,
        device_id: str | UUID,
        *,
        method: PairDeviceMethod,
        phone_number: None | str | Unset = UNSET,
        idempotency_key: None | str | Unset = UNSET,
    ) -> Pairing:
        """Pair Device.

        Start pairing a device, also one that was logged out, or change the method. The answer does
        not wait for the chat network: read the code to scan or type a moment later, with
        `getDevicePairing`.

        Required scope: `admin:write`.

        Args:
            method: `qr`: scan a QR code. `code`: type a code on the phone.
            phone_number: The number of the phone on which the code is typed; default: the one given before.
            idempotency_key: A name for this request, 1 to 255 characters, quoted or not: a repeat within 24
                hours gets the first answer, and nothing is done twice.
        """

        return self._call(
            pair_device.build_request(
                device_id=read_id(device_id),
                idempotency_key=idempotency_key,
                body=PairDevice(
                    method=method,
                    phone_number=phone_number,
                ),
            ),
            pair_device.parse_response,
        )

    def reconnect_device(
        self,
        device_id: str | UUID,
        *,
        idempotency_key: None | str | Unset = UNSET,
    ) -> Device:
        """Reconnect Device.

        Reopen a device's connection; a logged-out device starts pairing again.

        Required scope: `admin:write`.

        Args:
            idempotency_key: A name for this request, 1 to 255 characters, quoted or not: a repeat within 24
                hours gets the first answer, and nothing is done twice.
        """

        return self._call(
            reconnect_device.build_request(
                device_id=read_id(device_id),
                idempotency_key=idempotency_key,
            ),
            reconnect_device.parse_response,
        )

    def log_out_device(
        self,
        device_id: str | UUID,
        *,
        idempotency_key: None | str | Unset = UNSET,
    ) -> Device:
        """Log Out Device.

        End a device's registration on its network. Its queue is kept; it can be paired again.

        Required scope: `admin:write`.

        Args:
            idempotency_key: A name for this request, 1 to 255 characters, quoted or not: a repeat within 24
                hours gets the first answer, and nothing is done twice.
        """

        return self._call(
            log_out_device.build_request(
                device_id=read_id(device_id),
                idempotency_key=idempotency_key,
            ),
            log_out_device.parse_response,
        )

    def list_networks(
        self,
    ) -> NetworkList:
        """List Networks.

        List the chat networks, with their capabilities and the form that connects a device.

        Required scope: `admin:read`.
        """

        return self._call(
            list_networks.build_request(),
            list_networks.parse_response,
        )

    def list_org_webhook_events(
        self,
        *,
        limit: int | Unset = 50,
        offset: int | Unset = 0,
    ) -> WebhookEventList:
        """List Org Webhook Events.

        List deliveries across all webhooks of the organization, newest first.

        Required scope: `webhooks:read`.

        Args:
            limit: Maximum number of entries.
            offset: Number of entries to skip.
        """

        return self._call(
            list_org_webhook_events.build_request(
                limit=limit,
                offset=offset,
            ),
            list_org_webhook_events.parse_response,
        )

    def list_webhook_subscriptions(
        self,
        *,
        limit: int | Unset = 50,
        offset: int | Unset = 0,
    ) -> SubscriptionList:
        """List Webhook Subscriptions.

        List the organization's webhooks, oldest first; a key that is limited to certain accounts
        sees those that take only events of these.

        Required scope: `webhooks:read`.

        Args:
            limit: Maximum number of entries.
            offset: Number of entries to skip.
        """

        return self._call(
            list_webhook_subscriptions.build_request(
                limit=limit,
                offset=offset,
            ),
            list_webhook_subscriptions.parse_response,
        )

    def create_webhook_subscription(
        self,
        *,
        url: str,
        events: list[EventPattern],
        description: str | Unset = UNSET,
        enabled: bool | Unset = UNSET,
        headers: dict[str, Any] | None | Unset | WebhookHeaders = UNSET,
        filter_: dict[str, Any] | None | SubscriptionFilter | Unset = UNSET,
        batch: dict[str, Any] | BatchOptions | None | Unset = UNSET,
        idempotency_key: None | str | Unset = UNSET,
    ) -> CreatedSubscription:
        """Create Webhook Subscription.

        Subscribe a URL to events. Only this answer shows its signing secret; the dashboard can
        show it again. Events also require the scope to read what they show: `messages:read` for
        messages, `conversations:read` for conversations, `contacts:read` for contacts, and all three
        for `*`. With a key that is limited to certain accounts, the webhook gets only events of
        these accounts.

        Required scope: `webhooks:write`.

        Args:
            url: An http or https URL without user name and password.
            events: Event types, or the patterns `*`, `message.*`, `device.*`.
            description: What it is for. Default: `""`.
            enabled: Whether to post at once. Default: `true`.
            batch: Without it, each event has its own request.
            idempotency_key: A name for this request, 1 to 255 characters, quoted or not: a repeat within 24
                hours gets the first answer, and nothing is done twice.
        """

        return self._call(
            create_webhook_subscription.build_request(
                idempotency_key=idempotency_key,
                body=CreateSubscription(
                    url=url,
                    events=events,
                    description=description,
                    enabled=enabled,
                    headers=read_object(headers),
                    filter_=read_object(filter_),
                    batch=read_object(batch),
                ),
            ),
            create_webhook_subscription.parse_response,
        )

    def get_webhook_subscription(
        self,
        subscription_id: str | UUID,
    ) -> Subscription:
        """Get Webhook Subscription.

        Read a webhook. Its secret and the values of its custom headers are not shown.

        Required scope: `webhooks:read`.
        """

        return self._call(
            get_webhook_subscription.build_request(
                subscription_id=read_id(subscription_id),
            ),
            get_webhook_subscription.parse_response,
        )

    def delete_webhook_subscription(
        self,
        subscription_id: str | UUID,
    ) -> None:
        """Delete Webhook Subscription.

        Delete a webhook and cancel its pending deliveries. Its deliveries stay listed.

        Required scope: `webhooks:write`.
        """

        return self._call(
            delete_webhook_subscription.build_request(
                subscription_id=read_id(subscription_id),
            ),
            delete_webhook_subscription.parse_response,
        )

    def update_webhook_subscription(
        self,
        subscription_id: str | UUID,
        *,
        url: str | Unset = UNSET,
        events: list[EventPattern] | Unset = UNSET,
        description: str | Unset = UNSET,
        enabled: bool | Unset = UNSET,
        headers: dict[str, Any] | None | Unset | WebhookHeaders = UNSET,
        filter_: dict[str, Any] | None | SubscriptionFilter | Unset = UNSET,
        batch: dict[str, Any] | BatchOptions | None | Unset = UNSET,
    ) -> Subscription:
        """Update Webhook Subscription.

        Change the given fields. Pending deliveries go to the new URL, with the new headers. New
        events or a new filter require the scopes to read what the events show. A new URL requires
        `messages:read`, `conversations:read` and `contacts:read`, since any event may be pending.
        Enabling a webhook posts its pending deliveries and forgets earlier failures. Events already in
        a batch stay in it.

        Required scope: `webhooks:write`.

        Args:
            url: An http or https URL without user name and password.
            events: Event types, or the patterns `*`, `message.*`, `device.*`.
            description: What it is for.
        """

        return self._call(
            update_webhook_subscription.build_request(
                subscription_id=read_id(subscription_id),
                body=ChangeSubscription(
                    url=url,
                    events=events,
                    description=description,
                    enabled=enabled,
                    headers=read_object(headers),
                    filter_=read_object(filter_),
                    batch=read_object(batch),
                ),
            ),
            update_webhook_subscription.parse_response,
        )

    def ping_webhook_subscription(
        self,
        subscription_id: str | UUID,
        *,
        idempotency_key: None | str | Unset = UNSET,
    ) -> PingSent:
        """Ping Webhook Subscription.

        Post a `webhook.ping` to this webhook only, whatever it subscribes to.

        Required scope: `webhooks:write`.

        Args:
            idempotency_key: A name for this request, 1 to 255 characters, quoted or not: a repeat within 24
                hours gets the first answer, and nothing is done twice.
        """

        return self._call(
            ping_webhook_subscription.build_request(
                subscription_id=read_id(subscription_id),
                idempotency_key=idempotency_key,
            ),
            ping_webhook_subscription.parse_response,
        )

    def rotate_webhook_secret(
        self,
        subscription_id: str | UUID,
        *,
        grace_seconds: int | Unset = UNSET,
        idempotency_key: None | str | Unset = UNSET,
    ) -> CreatedSubscription:
        """Rotate Webhook Secret.

        Give a webhook a new secret. Only this answer shows it; the dashboard can show it again.
        During the grace period the old one signs, too, as do older ones until their own grace periods
        end.

        Required scope: `webhooks:write`.

        Args:
            grace_seconds: How long requests also carry the old secret's signature. Default: `86400`.
            idempotency_key: A name for this request, 1 to 255 characters, quoted or not: a repeat within 24
                hours gets the first answer, and nothing is done twice.
        """

        return self._call(
            rotate_webhook_secret.build_request(
                subscription_id=read_id(subscription_id),
                idempotency_key=idempotency_key,
                body=RotateSecret(
                    grace_seconds=grace_seconds,
                ),
            ),
            rotate_webhook_secret.parse_response,
        )

    def replay_webhook_events(
        self,
        subscription_id: str | UUID,
        *,
        since: datetime.datetime,
        until: datetime.datetime,
        status: None | ReplayStatus | Unset = UNSET,
        cursor: None | str | Unset = UNSET,
        idempotency_key: None | str | Unset = UNSET,
    ) -> ReplayProgress:
        """Replay Webhook Events.

        Post the events of a time range to this webhook again, each under its `webhook-id`.

        That includes events it was never sent: from before it was made, or while it was disabled. One
        call checks 2,000 events and queues those that the webhook takes; while the answer has a
        `next_cursor`, repeat the call with it. Nothing continues by itself.

        Required scope: `webhooks:write`.

        Args:
            since: Events from that time on.
            until: Events before that time.
            status: Only events whose delivery to this webhook was made in that time and has this
                status. Without it, all events of that time that the webhook takes.
            cursor: The `next_cursor` of the previous call.
            idempotency_key: A name for this request, 1 to 255 characters, quoted or not: a repeat within 24
                hours gets the first answer, and nothing is done twice.
        """

        return self._call(
            replay_webhook_events.build_request(
                subscription_id=read_id(subscription_id),
                idempotency_key=idempotency_key,
                body=ReplayEvents(
                    since=since,
                    until=until,
                    status=status,
                    cursor=cursor,
                ),
            ),
            replay_webhook_events.parse_response,
        )

    def list_webhook_deliveries(
        self,
        subscription_id: str | UUID,
        *,
        limit: int | Unset = 50,
        cursor: None | str | Unset = UNSET,
        status: None | str | Unset = UNSET,
    ) -> DeliveryList:
        """List Webhook Deliveries.

        List a webhook's deliveries, newest first. A page checks 10,000 deliveries of the
        organization at most: it may hold fewer than `limit`, even none, and have a `next_cursor`.

        Required scope: `webhooks:read`.

        Args:
            limit: Maximum number of entries.
            cursor: Where to continue: the `next_cursor` of the previous page. Without it, the newest
                entries.
            status: Only deliveries in this state, such as `failed`.
        """

        return self._call(
            list_webhook_deliveries.build_request(
                subscription_id=read_id(subscription_id),
                limit=limit,
                cursor=cursor,
                status=status,
            ),
            list_webhook_deliveries.parse_response,
        )

    def iterate_webhook_deliveries(
        self,
        subscription_id: str | UUID,
        *,
        limit: int | Unset = 50,
        status: None | str | Unset = UNSET,
    ) -> Iterator[Delivery]:
        """List Webhook Deliveries, page by page, until there are no more."""
        return self._iterate(
            lambda cursor: list_webhook_deliveries.build_request(
                subscription_id=read_id(subscription_id),
                limit=limit,
                cursor=cursor,
                status=status,
            ),
            list_webhook_deliveries.parse_response,
            lambda page: page.deliveries,
        )

    def get_webhook_delivery(
        self,
        delivery_id: str | UUID,
    ) -> DeliveryDetails:
        """Get Webhook Delivery.

        Read a delivery: its event, and each attempt with the endpoint's answer. This also requires
        the scope to read what the event shows, such as `messages:read`. An event in a batch has the
        attempts of its batch.

        Required scope: `webhooks:read`.
        """

        return self._call(
            get_webhook_delivery.build_request(
                delivery_id=read_id(delivery_id),
            ),
            get_webhook_delivery.parse_response,
        )

    def redeliver_webhook_event(
        self,
        delivery_id: str | UUID,
        *,
        idempotency_key: None | str | Unset = UNSET,
    ) -> Delivery:
        """Redeliver Webhook Event.

        Post the event of a delivery again, as a new delivery with the same `webhook-id`. This also
        requires the scope to read what the event shows, such as `messages:read`. If the webhook takes
        batches, the event is posted in a new one.

        Required scope: `webhooks:write`.

        Args:
            idempotency_key: A name for this request, 1 to 255 characters, quoted or not: a repeat within 24
                hours gets the first answer, and nothing is done twice.
        """

        return self._call(
            redeliver_webhook_event.build_request(
                delivery_id=read_id(delivery_id),
                idempotency_key=idempotency_key,
            ),
            redeliver_webhook_event.parse_response,
        )

    def list_events(
        self,
        *,
        after: None | str | Unset = UNSET,
        types: None | str | Unset = UNSET,
        chat_account_id: None | Unset | str | UUID = UNSET,
        limit: int | Unset = 50,
        wait: int | Unset = 0,
        last_event_id: None | str | Unset = UNSET,
    ) -> EventPage:
        """List Events.

        Read events after a cursor, oldest first: as a page, or, with `Accept: text/event-stream`, as
        a stream of server-sent events whose ids are cursors. A client that keeps the cursor misses
        nothing and gets nothing twice. A page may hold no events and still move the cursor. A page
        without events whose cursor is the one you sent means that there is nothing more for now.

        Required scope: `webhooks:read`.

        Args:
            after: Where to continue: the `next_cursor` of the previous page, or `oldest` for all
                events that are kept. Without it, only events from now on.
            types: Only events of these types, separated by commas: `message.received`, `device.*`.
                They require the scope to read what they show: `messages:read`, `conversations:read`
                or `contacts:read`, `*` all three. Without it, all events that the key may read.
            chat_account_id: Only of this account.
            limit: Maximum number of entries; streams ignore it.
            wait: Seconds to wait if there is nothing yet; streams ignore it.
            last_event_id: The id of the last event from a stream; takes precedence over `after`.
        """

        return self._call(
            list_events.build_request(
                after=after,
                types=types,
                chat_account_id=read_id(chat_account_id),
                limit=limit,
                wait=wait,
                last_event_id=last_event_id,
            ),
            list_events.parse_response,
        )

    def list_api_keys(
        self,
        *,
        limit: int | Unset = 50,
        offset: int | Unset = 0,
    ) -> ApiKeyList:
        """List Api Keys.

        List the organization's API keys, newest first, including revoked ones. A key that is limited
        to certain devices sees only keys that are limited to these, too.

        Required scope: `admin:write`.

        Args:
            limit: Maximum number of entries.
            offset: Number of entries to skip.
        """

        return self._call(
            list_api_keys.build_request(
                limit=limit,
                offset=offset,
            ),
            list_api_keys.parse_response,
        )

    def create_api_key(
        self,
        *,
        name: str,
        scopes: list[str] | None | Unset = UNSET,
        expires_at: datetime.datetime | None | Unset = UNSET,
        chat_account_ids: Sequence[str | UUID] | None | Unset = UNSET,
        idempotency_key: None | str | Unset = UNSET,
    ) -> CreatedApiKey:
        """Create Api Key.

        Create an API key. The answer contains its secret, which is shown only this once. A key can't
        create one with more scopes or devices than its own, or one that lives longer.

        Required scope: `admin:write`.

        Args:
            name: What it is for.
            scopes: Null: everything.
            expires_at: Null: it never expires.
            chat_account_ids: The only devices it may use. Null: all, including future ones.
            idempotency_key: A name for this request, 1 to 255 characters, quoted or not: a repeat within 24
                hours gets the first answer, and nothing is done twice.
        """

        return self._call(
            create_api_key.build_request(
                idempotency_key=idempotency_key,
                body=CreateApiKey(
                    name=name,
                    scopes=scopes,
                    expires_at=expires_at,
                    chat_account_ids=read_ids(chat_account_ids),
                ),
            ),
            create_api_key.parse_response,
        )

    def revoke_api_key(
        self,
        key_id: str | UUID,
    ) -> None:
        """Revoke Api Key.

        Revoke a key for good, on every node within a second. It stays in the list, as revoked;
        revoking it again changes nothing. A key can't revoke one that lives longer than itself.

        Required scope: `admin:write`.
        """

        return self._call(
            revoke_api_key.build_request(
                key_id=read_id(key_id),
            ),
            revoke_api_key.parse_response,
        )

    def rotate_api_key(
        self,
        key_id: str | UUID,
        *,
        grace_seconds: int | Unset = UNSET,
        idempotency_key: None | str | Unset = UNSET,
    ) -> CreatedApiKey:
        """Rotate Api Key.

        Give a key a new secret, which is shown only this once. The old one stays valid for a grace
        period. Rotating again does not shorten the grace period of older secrets; at most four are
        valid at once. A key can't rotate one that lives longer than itself.

        Required scope: `admin:write`.

        Args:
            grace_seconds: How long the old secret stays valid. Default: `86400`.
            idempotency_key: A name for this request, 1 to 255 characters, quoted or not: a repeat within 24
                hours gets the first answer, and nothing is done twice.
        """

        return self._call(
            rotate_api_key.build_request(
                key_id=read_id(key_id),
                idempotency_key=idempotency_key,
                body=RotateApiKey(
                    grace_seconds=grace_seconds,
                ),
            ),
            rotate_api_key.parse_response,
        )


class AsyncOperations(ABC):
    """Every operation of the API. An answer that is an error is raised as `ApiError`."""

    @abstractmethod
    async def _call(
        self, request: Request, parse: Callable[[httpx.Response], Answer]
    ) -> Answer: ...

    @abstractmethod
    def _iterate(
        self,
        request_page: Callable[[str | Unset], Request],
        parse: Callable[[httpx.Response], SomePage],
        items_of: Callable[[SomePage], list[Item]],
    ) -> AsyncIterator[Item]: ...

    async def send_button_message(
        self,
        *,
        phone_number: str,
        body: str,
        buttons: Sequence[dict[str, Any] | ButtonInput],
        footer: None | str | Unset = UNSET,
        chat_account_id: None | Unset | str | UUID = UNSET,
        idempotency_key: None | str | Unset = UNSET,
    ) -> SendResult:
        """Send Button Message.

        Store a message with interactive quick-reply buttons and send it as soon as possible.

        The answer comes once the message is on disk; it does not wait for the chat network. While
        its account is disconnected, the message waits.

        Required scope: `messages:write`.

        Args:
            phone_number: The recipient: a phone number with its country code, as people write it (5 to 15
                digits, `+` or `00` optional; spaces, dots, dashes, slashes and brackets are
                dropped), or a JID.
            body: The text.
            buttons: Their ids and their titles must be unique within the message.
            footer: A line shown below the buttons.
            chat_account_id: The account that sends; default: the organization's primary account.
            idempotency_key: A name for this request, 1 to 255 characters, quoted or not: a repeat within 24
                hours gets the first answer, and nothing is done twice.
        """

        return await self._call(
            send_button_message.build_request(
                idempotency_key=idempotency_key,
                body=SendButtons(
                    phone_number=phone_number,
                    body=body,
                    buttons=read_objects(buttons),
                    footer=footer,
                    chat_account_id=read_id(chat_account_id),
                ),
            ),
            send_button_message.parse_response,
        )

    async def list_messages(
        self,
        *,
        conversation_id: None | Unset | str | UUID = UNSET,
        chat_account_id: None | Unset | str | UUID = UNSET,
        contact_id: None | Unset | str | UUID = UNSET,
        phone_number: None | str | Unset = UNSET,
        direction: None | str | Unset = UNSET,
        status: None | str | Unset = UNSET,
        message_type: None | str | Unset = UNSET,
        batch_id: None | Unset | str | UUID = UNSET,
        chat_message_id: None | str | Unset = UNSET,
        run_id: None | str | Unset = UNSET,
        since: datetime.datetime | None | Unset = UNSET,
        until: datetime.datetime | None | Unset = UNSET,
        search: None | str | Unset = UNSET,
        limit: int | Unset = 50,
        cursor: None | str | Unset = UNSET,
    ) -> MessageList:
        """List Messages.

        List messages, newest first; a message must match all given filters. A page checks a limited
        number of messages, so that every page costs the same: a filtered one may hold fewer than
        `limit`, even none, and still have a `next_cursor`. A search finds a new message a few seconds
        after it was stored, and never one of an account that keeps no contents.

        Required scope: `messages:read`.

        Args:
            conversation_id: Only of this conversation.
            chat_account_id: Only of this account.
            contact_id: Only to or from this person; in groups, their own messages.
            phone_number: Only to or from this phone number, in any notation, or this JID; with a group's JID,
                the messages in it.
            direction: Only `inbound` or only `outbound` ones.
            status: Only in this status, such as `failed`.
            message_type: Only of this kind, such as `text`.
            batch_id: Only of this batch.
            chat_message_id: Only with this id on the chat network.
            run_id: Only of the send that returned this `run_id`.
            since: Only made at this time or later.
            until: Only made before this time.
            search: Only with all these words, in any case, with accents or without; the last may be the
                beginning of a word.
            limit: Maximum number of entries.
            cursor: Where to continue: the `next_cursor` of the previous page. Without it, the newest
                entries.
        """

        return await self._call(
            list_messages.build_request(
                conversation_id=read_id(conversation_id),
                chat_account_id=read_id(chat_account_id),
                contact_id=read_id(contact_id),
                phone_number=phone_number,
                direction=direction,
                status=status,
                message_type=message_type,
                batch_id=read_id(batch_id),
                chat_message_id=chat_message_id,
                run_id=run_id,
                since=since,
                until=until,
                search=search,
                limit=limit,
                cursor=cursor,
            ),
            list_messages.parse_response,
        )

    def iterate_messages(
        self,
        *,
        conversation_id: None | Unset | str | UUID = UNSET,
        chat_account_id: None | Unset | str | UUID = UNSET,
        contact_id: None | Unset | str | UUID = UNSET,
        phone_number: None | str | Unset = UNSET,
        direction: None | str | Unset = UNSET,
        status: None | str | Unset = UNSET,
        message_type: None | str | Unset = UNSET,
        batch_id: None | Unset | str | UUID = UNSET,
        chat_message_id: None | str | Unset = UNSET,
        run_id: None | str | Unset = UNSET,
        since: datetime.datetime | None | Unset = UNSET,
        until: datetime.datetime | None | Unset = UNSET,
        search: None | str | Unset = UNSET,
        limit: int | Unset = 50,
    ) -> AsyncIterator[Message]:
        """List Messages, page by page, until there are no more."""
        return self._iterate(
            lambda cursor: list_messages.build_request(
                conversation_id=read_id(conversation_id),
                chat_account_id=read_id(chat_account_id),
                contact_id=read_id(contact_id),
                phone_number=phone_number,
                direction=direction,
                status=status,
                message_type=message_type,
                batch_id=read_id(batch_id),
                chat_message_id=chat_message_id,
                run_id=run_id,
                since=since,
                until=until,
                search=search,
                limit=limit,
                cursor=cursor,
            ),
            list_messages.parse_response,
            lambda page: page.messages,
        )

    async def send_message(
        self,
        *,
        content: dict[str, Any]
        | AudioInput
        | ButtonsInput
        | ContactInput
        | DocumentInput
        | ImageInput
        | LinkButtonInput
        | ListInput
        | LocationInput
        | LocationRequestInput
        | PollInput
        | StickerInput
        | TextInput
        | VideoInput,
        phone_number: None | str | Unset = UNSET,
        conversation_id: None | Unset | str | UUID = UNSET,
        contact_id: None | Unset | str | UUID = UNSET,
        chat_account_id: None | Unset | str | UUID = UNSET,
        reply_to_message_id: None | Unset | str | UUID = UNSET,
        scheduled_for: datetime.datetime | None | Unset = UNSET,
        expires_at: datetime.datetime | None | Unset = UNSET,
        fallback: Literal["text"] | None | Unset = UNSET,
        metadata: dict[str, Any] | Metadata | None | Unset = UNSET,
        idempotency_key: None | str | Unset = UNSET,
    ) -> SendResult:
        """Send Message.

        Store a message of any kind and send it as soon as possible, or at its scheduled time.

        The answer comes once the message is on disk; it does not wait for the chat network. While its
        account is disconnected, the message waits. Messages to one recipient go out in the order in
        which they were accepted.

        Required scope: `messages:write`.

        Args:
            content: The content to send, distinguished by `type`.
            phone_number: The recipient: a phone number with its country code, as people write it (5 to 15
                digits, `+` or `00` optional; spaces, dots, dashes, slashes and brackets are
                dropped), or a JID.
            conversation_id: The conversation to write in, through its own account.
            contact_id: The contact to write to.
            chat_account_id: The account that sends; default: the conversation's, else the organization's primary
                account.
            reply_to_message_id: A message of the same conversation that this one answers.
            scheduled_for: When to send it, at most 366 days ahead; default: now.
            expires_at: A message not sent by then fails, with the reason `expired`.
            fallback: `text`: if the network lacks this kind, send it as a text. Choices are numbered, and
                an answer comes back as if it had been chosen.
            metadata: Values of your own, for records and webhooks.
            idempotency_key: A name for this request, 1 to 255 characters, quoted or not: a repeat within 24
                hours gets the first answer, and nothing is done twice.
        """

        return await self._call(
            send_message.build_request(
                idempotency_key=idempotency_key,
                body=SendMessageInput(
                    content=read_object(content),
                    phone_number=phone_number,
                    conversation_id=read_id(conversation_id),
                    contact_id=read_id(contact_id),
                    chat_account_id=read_id(chat_account_id),
                    reply_to_message_id=read_id(reply_to_message_id),
                    scheduled_for=scheduled_for,
                    expires_at=expires_at,
                    fallback=fallback,
                    metadata=read_object(metadata),
                ),
            ),
            send_message.parse_response,
        )

    async def get_message_stats(
        self,
    ) -> MessageStatistics:
        """Get Message Stats.

        Count the organization's messages by state and direction, including deleted ones.

        Required scope: `messages:read`.
        """

        return await self._call(
            get_message_stats.build_request(),
            get_message_stats.parse_response,
        )

    async def get_message(
        self,
        message_id: str | UUID,
    ) -> Message:
        """Get Message.

        Read a message with its timeline.

        Required scope: `messages:read`.
        """

        return await self._call(
            get_message.build_request(
                message_id=read_id(message_id),
            ),
            get_message.parse_response,
        )

    async def delete_message(
        self,
        message_id: str | UUID,
    ) -> ChangeResult:
        """Delete Message.

        Delete a message for everyone. A waiting message is canceled, unless an attempt may have sent
        it. Otherwise `message.deleted` follows once the network has deleted it, or `message.failed`
        with `change` if that failed. A repeat while the deletion waits gets the same `change_id`.

        Required scope: `messages:write`.
        """

        return await self._call(
            delete_message.build_request(
                message_id=read_id(message_id),
            ),
            delete_message.parse_response,
        )

    async def edit_message(
        self,
        message_id: str | UUID,
        *,
        content: dict[str, Any]
        | AudioInput
        | ButtonsInput
        | ContactInput
        | DocumentInput
        | ImageInput
        | LinkButtonInput
        | ListInput
        | LocationInput
        | LocationRequestInput
        | PollInput
        | StickerInput
        | TextInput
        | VideoInput,
    ) -> ChangeResult:
        """Edit Message.

        Change the content of a message. A waiting message is changed at once. One that was sent, or
        may have been, is edited on the network, after earlier changes; then `message.edited` follows,
        or `message.failed` with `change` if that failed.

        Required scope: `messages:write`.

        Args:
            content: The content to send, distinguished by `type`.
        """

        return await self._call(
            edit_message.build_request(
                message_id=read_id(message_id),
                body=EditMessageInput(
                    content=read_object(content),
                ),
            ),
            edit_message.parse_response,
        )

    async def cancel_message(
        self,
        message_id: str | UUID,
        *,
        idempotency_key: None | str | Unset = UNSET,
    ) -> Message:
        """Cancel Message.

        Cancel a message that has certainly not been sent, and return it. A message that is already
        canceled is returned the same way. One that may be on the phone, because the network did not
        answer an attempt to send it, can't be canceled, only deleted.

        Required scope: `messages:write`.

        Args:
            idempotency_key: A name for this request, 1 to 255 characters, quoted or not: a repeat within 24
                hours gets the first answer, and nothing is done twice.
        """

        return await self._call(
            cancel_message.build_request(
                message_id=read_id(message_id),
                idempotency_key=idempotency_key,
            ),
            cancel_message.parse_response,
        )

    async def set_message_reaction(
        self,
        message_id: str | UUID,
        *,
        emoji: str,
    ) -> ChangeResult:
        """Set Message Reaction.

        React to a message in the account's name; the reaction replaces an earlier one.
        `message.reaction` follows once the network has accepted it, or `message.failed` with `change`
        if it did not.

        Required scope: `messages:write`.

        Args:
            emoji: One emoji, such as 👍. It replaces an earlier one.
        """

        return await self._call(
            set_message_reaction.build_request(
                message_id=read_id(message_id),
                body=ReactionInput(
                    emoji=emoji,
                ),
            ),
            set_message_reaction.parse_response,
        )

    async def delete_message_reaction(
        self,
        message_id: str | UUID,
    ) -> ChangeResult:
        """Delete Message Reaction.

        Remove the account's reaction to a message.

        Required scope: `messages:write`.
        """

        return await self._call(
            delete_message_reaction.build_request(
                message_id=read_id(message_id),
            ),
            delete_message_reaction.parse_response,
        )

    async def get_message_history(
        self,
        message_id: str | UUID,
    ) -> MessageHistory:
        """Get Message History.

        Find out why a message did not arrive: its steps with their times and reasons, its attempts
        on the chat network, and its webhook deliveries with each attempt. Deliveries require the scope
        `webhooks:read`, the account's name in the explanation `admin:read`.

        Required scope: `messages:read`.
        """

        return await self._call(
            get_message_history.build_request(
                message_id=read_id(message_id),
            ),
            get_message_history.parse_response,
        )

    async def create_conversation_group(
        self,
        *,
        chat_account_id: str | UUID,
        subject: str,
        participants: list[str],
        idempotency_key: None | str | Unset = UNSET,
    ) -> CreatedGroup:
        """Create Conversation Group.

        Create a group on the chat network and store its conversation.

        The answer waits for the chat network, 30 seconds unless the operator has set another time.
        After that the work continues: a repeat with the same `Idempotency-Key` waits for its result.

        Required scope: `groups:write`.

        Args:
            chat_account_id: The connected account that creates the group.
            subject: The group's name.
            participants: Each is a phone number with its country code, as people write it (5 to 15 digits,
                `+` or `00` optional; spaces, dots, dashes, slashes and brackets are dropped), or a
                JID; a person named twice is added once.
            idempotency_key: A name for this request, 1 to 255 characters, quoted or not: a repeat within 24
                hours gets the first answer, and nothing is done twice.
        """

        return await self._call(
            create_conversation_group.build_request(
                idempotency_key=idempotency_key,
                body=CreateGroup(
                    chat_account_id=read_id(chat_account_id),
                    subject=subject,
                    participants=participants,
                ),
            ),
            create_conversation_group.parse_response,
        )

    async def list_conversations(
        self,
        *,
        limit: int | Unset = 50,
        cursor: None | str | Unset = UNSET,
        status: None | str | Unset = UNSET,
        assignee_user_id: None | Unset | str | UUID = UNSET,
        label_id: None | Unset | str | UUID = UNSET,
        chat_account_id: None | Unset | str | UUID = UNSET,
        contact_id: None | Unset | str | UUID = UNSET,
        phone_number: None | str | Unset = UNSET,
        unread: bool | None | Unset = UNSET,
        is_group: bool | None | Unset = UNSET,
        search: None | str | Unset = UNSET,
    ) -> ConversationList:
        """List Conversations.

        List conversations, newest activity first; those without messages come last. Conversations
        that get a message after the first page was read come last, some of them for the second time: a
        client that continues until `next_cursor` is null sees each at least once. A page of a filtered
        list checks 10,000 conversations at most, so it may be short, or empty, and still have a
        `next_cursor`.

        Required scope: `conversations:read`.

        Args:
            limit: Maximum number of entries.
            cursor: Where to continue: the `next_cursor` of the previous page. Without it, the newest
                entries.
            status: Only those in this state, such as `open`.
            assignee_user_id: Only those assigned to this member.
            label_id: Only those with this label.
            chat_account_id: Only those of this account.
            contact_id: Only those with this person.
            phone_number: Only those with this phone number, in any notation, or this JID, also a group's.
            unread: Only those with unread messages, or without.
            is_group: Only groups, or only those with one person.
            search: Part of the name of the contact or group, in any case, of the phone number, in any
                notation, or of the remote JID.
        """

        return await self._call(
            list_conversations.build_request(
                limit=limit,
                cursor=cursor,
                status=status,
                assignee_user_id=read_id(assignee_user_id),
                label_id=read_id(label_id),
                chat_account_id=read_id(chat_account_id),
                contact_id=read_id(contact_id),
                phone_number=phone_number,
                unread=unread,
                is_group=is_group,
                search=search,
            ),
            list_conversations.parse_response,
        )

    def iterate_conversations(
        self,
        *,
        limit: int | Unset = 50,
        status: None | str | Unset = UNSET,
        assignee_user_id: None | Unset | str | UUID = UNSET,
        label_id: None | Unset | str | UUID = UNSET,
        chat_account_id: None | Unset | str | UUID = UNSET,
        contact_id: None | Unset | str | UUID = UNSET,
        phone_number: None | str | Unset = UNSET,
        unread: bool | None | Unset = UNSET,
        is_group: bool | None | Unset = UNSET,
        search: None | str | Unset = UNSET,
    ) -> AsyncIterator[Conversation]:
        """List Conversations, page by page, until there are no more."""
        return self._iterate(
            lambda cursor: list_conversations.build_request(
                limit=limit,
                cursor=cursor,
                status=status,
                assignee_user_id=read_id(assignee_user_id),
                label_id=read_id(label_id),
                chat_account_id=read_id(chat_account_id),
                contact_id=read_id(contact_id),
                phone_number=phone_number,
                unread=unread,
                is_group=is_group,
                search=search,
            ),
            list_conversations.parse_response,
            lambda page: page.conversations,
        )

    async def get_conversation(
        self,
        conversation_id: str | UUID,
    ) -> Conversation:
        """Get Conversation.

        Read a conversation.

        Required scope: `conversations:read`.
        """

        return await self._call(
            get_conversation.build_request(
                conversation_id=read_id(conversation_id),
            ),
            get_conversation.parse_response,
        )

    async def change_conversation(
        self,
        conversation_id: str | UUID,
        *,
        status: ChosenStatus | Unset = UNSET,
        assignee_user_id: None | Unset | str | UUID = UNSET,
        agent_paused: bool | Unset = UNSET,
        pinned: bool | Unset = UNSET,
        subject: None | str | Unset = UNSET,
        label_ids: Sequence[str | UUID] | Unset = UNSET,
        snoozed_until: datetime.datetime | None | Unset = UNSET,
    ) -> Conversation:
        """Change Conversation.

        Change the given fields of a conversation, all or none. A snoozed conversation reopens at
        `snoozed_until`, or when somebody writes. A label that does not exist is answered 404.

        Required scope: `conversations:write`.

        Args:
            status: The statuses of a conversation that a client can set and filter by.
            assignee_user_id: The member it is assigned to; null for nobody.
            agent_paused: Whether automatic answers are paused.
            pinned: Whether it is pinned above all others; 50 can be pinned.
            subject: A description for colleagues.
            label_ids: The complete new list of labels.
            snoozed_until: When a snoozed conversation reopens by itself; null: only when somebody writes.
        """

        return await self._call(
            change_conversation.build_request(
                conversation_id=read_id(conversation_id),
                body=ChangeConversation(
                    status=status,
                    assignee_user_id=read_id(assignee_user_id),
                    agent_paused=agent_paused,
                    pinned=pinned,
                    subject=subject,
                    label_ids=read_ids(label_ids),
                    snoozed_until=snoozed_until,
                ),
            ),
            change_conversation.parse_response,
        )

    async def mark_conversation_read(
        self,
        conversation_id: str | UUID,
        *,
        idempotency_key: None | str | Unset = UNSET,
    ) -> Conversation:
        """Mark Conversation Read.

        Set the number of unread messages to 0 and their status to `read`, and mark them as read on
        the chat network. Networks with read receipts get those for the newest 100, if the account is
        connected. Messages that the account's owner reads or answers on their phone become read, too.

        Required scope: `conversations:write`.

        Args:
            idempotency_key: A name for this request, 1 to 255 characters, quoted or not: a repeat within 24
                hours gets the first answer, and nothing is done twice.
        """

        return await self._call(
            mark_conversation_read.build_request(
                conversation_id=read_id(conversation_id),
                idempotency_key=idempotency_key,
            ),
            mark_conversation_read.parse_response,
        )

    async def list_conversation_notes(
        self,
        conversation_id: str | UUID,
        *,
        limit: int | Unset = 50,
        cursor: None | str | Unset = UNSET,
    ) -> NoteList:
        """List Conversation Notes.

        List colleagues' notes about a conversation, newest first.

        Required scope: `conversations:read`.

        Args:
            limit: Maximum number of entries.
            cursor: Where to continue: the `next_cursor` of the previous page. Without it, the newest
                entries.
        """

        return await self._call(
            list_conversation_notes.build_request(
                conversation_id=read_id(conversation_id),
                limit=limit,
                cursor=cursor,
            ),
            list_conversation_notes.parse_response,
        )

    def iterate_conversation_notes(
        self,
        conversation_id: str | UUID,
        *,
        limit: int | Unset = 50,
    ) -> AsyncIterator[Note]:
        """List Conversation Notes, page by page, until there are no more."""
        return self._iterate(
            lambda cursor: list_conversation_notes.build_request(
                conversation_id=read_id(conversation_id),
                limit=limit,
                cursor=cursor,
            ),
            list_conversation_notes.parse_response,
            lambda page: page.notes,
        )

    async def create_conversation_note(
        self,
        conversation_id: str | UUID,
        *,
        body: str,
        idempotency_key: None | str | Unset = UNSET,
    ) -> Note:
        """Create Conversation Note.

        Write a note about a conversation for colleagues. Its contact never sees it.

        Required scope: `conversations:write`.

        Args:
            body: The text.
            idempotency_key: A name for this request, 1 to 255 characters, quoted or not: a repeat within 24
                hours gets the first answer, and nothing is done twice.
        """

        return await self._call(
            create_conversation_note.build_request(
                conversation_id=read_id(conversation_id),
                idempotency_key=idempotency_key,
                body=WriteNote(
                    body=body,
                ),
            ),
            create_conversation_note.parse_response,
        )

    async def show_typing(
        self,
        conversation_id: str | UUID,
        *,
        is_typing: bool | Unset = UNSET,
        idempotency_key: None | str | Unset = UNSET,
    ) -> TypingShown:
        """Show Typing.

        Show the other side that somebody is typing. Networks stop showing it after some seconds.

        Required scope: `conversations:write`.

        Args:
            is_typing: False withdraws the indicator. Default: `true`.
            idempotency_key: A name for this request, 1 to 255 characters, quoted or not: a repeat within 24
                hours gets the first answer, and nothing is done twice.
        """

        return await self._call(
            show_typing.build_request(
                conversation_id=read_id(conversation_id),
                idempotency_key=idempotency_key,
                body=ShowTyping(
                    is_typing=is_typing,
                ),
            ),
            show_typing.parse_response,
        )

    async def list_members(
        self,
        *,
        limit: int | Unset = 50,
        offset: int | Unset = 0,
    ) -> MemberList:
        """List Members.

        List the people of the organization by name. A conversation can be assigned to each of them,
        with their `id` as `assignee_user_id`.

        Required scope: `conversations:read`.

        Args:
            limit: Maximum number of entries.
            offset: Number of entries to skip.
        """

        return await self._call(
            list_members.build_request(
                limit=limit,
                offset=offset,
            ),
            list_members.parse_response,
        )

    async def join_group(
        self,
        *,
        session_name: str,
        invite_link: str,
        idempotency_key: None | str | Unset = UNSET,
    ) -> JoinedGroup:
        """Join Group.

        Join a group through an invite link; the answer waits for the chat network.

        Required scope: `groups:write`.

        Args:
            session_name: The connected account's session name within the organization.
            invite_link: The link in the network's own form.
            idempotency_key: A name for this request, 1 to 255 characters, quoted or not: a repeat within 24
                hours gets the first answer, and nothing is done twice.
        """

        return await self._call(
            join_group.build_request(
                idempotency_key=idempotency_key,
                body=JoinGroup(
                    session_name=session_name,
                    invite_link=invite_link,
                ),
            ),
            join_group.parse_response,
        )

    async def get_group(
        self,
        conversation_id: str | UUID,
    ) -> Group:
        """Get Group.

        Ask the chat network for a group's name and participants.

        Required scope: `groups:read`.
        """

        return await self._call(
            get_group.build_request(
                conversation_id=read_id(conversation_id),
            ),
            get_group.parse_response,
        )

    async def change_group(
        self,
        conversation_id: str | UUID,
        *,
        subject: str | Unset = UNSET,
        description: str | Unset = UNSET,
    ) -> Group:
        """Change Group.

        Change a group's name, description or both, and return the group as it is then.

        Required scope: `groups:write`.

        Args:
            subject: The group's name.
            description: The group's description; empty removes it.
        """

        return await self._call(
            change_group.build_request(
                conversation_id=read_id(conversation_id),
                body=ChangeGroup(
                    subject=subject,
                    description=description,
                ),
            ),
            change_group.parse_response,
        )

    async def add_group_participants(
        self,
        conversation_id: str | UUID,
        *,
        participants: list[str],
        idempotency_key: None | str | Unset = UNSET,
    ) -> AddedParticipants:
        """Add Group Participants.

        Add people to a group; the answer says who could not be added.

        Required scope: `groups:write`.

        Args:
            participants: Each is a phone number with its country code, as people write it (5 to 15 digits,
                `+` or `00` optional; spaces, dots, dashes, slashes and brackets are dropped), or a
                JID; a person named twice is added once.
            idempotency_key: A name for this request, 1 to 255 characters, quoted or not: a repeat within 24
                hours gets the first answer, and nothing is done twice.
        """

        return await self._call(
            add_group_participants.build_request(
                conversation_id=read_id(conversation_id),
                idempotency_key=idempotency_key,
                body=AddParticipants(
                    participants=participants,
                ),
            ),
            add_group_participants.parse_response,
        )

    async def remove_group_participant(
        self,
        conversation_id: str | UUID,
        jid: str,
    ) -> None:
        """Remove Group Participant.

        Remove somebody from a group.

        Required scope: `groups:write`.
        """

        return await self._call(
            remove_group_participant.build_request(
                conversation_id=read_id(conversation_id),
                jid=jid,
            ),
            remove_group_participant.parse_response,
        )

    async def get_group_invite_link(
        self,
        conversation_id: str | UUID,
    ) -> GroupInviteLink:
        """Get Group Invite Link.

        Get the link through which people join a group.

        Required scope: `groups:write`.
        """

        return await self._call(
            get_group_invite_link.build_request(
                conversation_id=read_id(conversation_id),
            ),
            get_group_invite_link.parse_response,
        )

    async def leave_group(
        self,
        conversation_id: str | UUID,
        *,
        idempotency_key: None | str | Unset = UNSET,
    ) -> LeftGroup:
        """Leave Group.

        Leave a group. Its conversation stays.

        Required scope: `groups:write`.

        Args:
            idempotency_key: A name for this request, 1 to 255 characters, quoted or not: a repeat within 24
                hours gets the first answer, and nothing is done twice.
        """

        return await self._call(
            leave_group.build_request(
                conversation_id=read_id(conversation_id),
                idempotency_key=idempotency_key,
            ),
            leave_group.parse_response,
        )

    async def check_contacts(
        self,
        *,
        phone_numbers: list[str],
        chat_account_id: None | Unset | str | UUID = UNSET,
        idempotency_key: None | str | Unset = UNSET,
    ) -> CheckedNumbers:
        """Check Contacts.

        Ask the chat network which phone numbers it knows.

        Required scope: `contacts:write`.

        Args:
            phone_numbers: Each as people write it, with its country code.
            chat_account_id: The account that asks; default: the organization's primary account.
            idempotency_key: A name for this request, 1 to 255 characters, quoted or not: a repeat within 24
                hours gets the first answer, and nothing is done twice.
        """

        return await self._call(
            check_contacts.build_request(
                idempotency_key=idempotency_key,
                body=CheckNumbers(
                    phone_numbers=phone_numbers,
                    chat_account_id=read_id(chat_account_id),
                ),
            ),
            check_contacts.parse_response,
        )

    async def sync_contacts(
        self,
        *,
        chat_account_id: str | UUID,
        idempotency_key: None | str | Unset = UNSET,
    ) -> SyncStarted:
        """Sync Contacts.

        Start fetching an account's contacts; while that runs, a second call returns the same job.

        Required scope: `contacts:write`.

        Args:
            chat_account_id: The connected account to synchronize.
            idempotency_key: A name for this request, 1 to 255 characters, quoted or not: a repeat within 24
                hours gets the first answer, and nothing is done twice.
        """

        return await self._call(
            sync_contacts.build_request(
                idempotency_key=idempotency_key,
                body=SyncContacts(
                    chat_account_id=read_id(chat_account_id),
                ),
            ),
            sync_contacts.parse_response,
        )

    async def get_contact_sync(
        self,
        job_id: str | UUID,
    ) -> SyncState:
        """Get Contact Sync.

        Read the progress of a contact synchronization, by the `job_id` returned at its start.

        Required scope: `contacts:read`.
        """

        return await self._call(
            get_contact_sync.build_request(
                job_id=read_id(job_id),
            ),
            get_contact_sync.parse_response,
        )

    async def list_contacts(
        self,
        *,
        limit: int | Unset = 50,
        cursor: None | str | Unset = UNSET,
        search: None | str | Unset = UNSET,
        label_id: None | Unset | str | UUID = UNSET,
        phone_number: None | str | Unset = UNSET,
    ) -> ContactList:
        """List Contacts.

        List the organization's contacts, newest first. A page of a filtered list checks 10,000
        contacts at most, so it may be short, or empty, and still have a `next_cursor`. A key that is
        limited to certain accounts sees only contacts that have a conversation with one of them.

        Required scope: `contacts:read`.

        Args:
            limit: Maximum number of entries.
            cursor: Where to continue: the `next_cursor` of the previous page. Without it, the newest
                entries.
            search: Part of a name, in any case, or of the phone number, in any notation.
            label_id: Only those with this label.
            phone_number: Only the one with this number, in any notation.
        """

        return await self._call(
            list_contacts.build_request(
                limit=limit,
                cursor=cursor,
                search=search,
                label_id=read_id(label_id),
                phone_number=phone_number,
            ),
            list_contacts.parse_response,
        )

    def iterate_contacts(
        self,
        *,
        limit: int | Unset = 50,
        search: None | str | Unset = UNSET,
        label_id: None | Unset | str | UUID = UNSET,
        phone_number: None | str | Unset = UNSET,
    ) -> AsyncIterator[Contact]:
        """List Contacts, page by page, until there are no more."""
        return self._iterate(
            lambda cursor: list_contacts.build_request(
                limit=limit,
                cursor=cursor,
                search=search,
                label_id=read_id(label_id),
                phone_number=phone_number,
            ),
            list_contacts.parse_response,
            lambda page: page.contacts,
        )

    async def get_contact(
        self,
        contact_id: str | UUID,
    ) -> Contact:
        """Get Contact.

        Read a contact. When two turned out to be one person, both ids lead to the one that was
        kept.

        Required scope: `contacts:read`.
        """

        return await self._call(
            get_contact.build_request(
                contact_id=read_id(contact_id),
            ),
            get_contact.parse_response,
        )

    async def change_contact(
        self,
        contact_id: str | UUID,
        *,
        name: None | str | Unset = UNSET,
        attributes: dict[str, Any] | ChangeContactAttributes | Unset = UNSET,
        label_ids: Sequence[str | UUID] | Unset = UNSET,
    ) -> Contact:
        """Change Contact.

        Change the given fields of a contact, all or none. `attributes` and `label_ids` replace the
        existing ones.

        Required scope: `contacts:write`.

        Args:
            name: Your name for the contact, which a phone's address book does not replace; null goes
                back to the address book's.
            attributes: Your own data about the contact, which replaces what was there: texts of at most 500
                characters, numbers, true, false and null.
            label_ids: The complete new list of labels.
        """

        return await self._call(
            change_contact.build_request(
                contact_id=read_id(contact_id),
                body=ChangeContact(
                    name=name,
                    attributes=read_object(attributes),
                    label_ids=read_ids(label_ids),
                ),
            ),
            change_contact.parse_response,
        )

    async def get_contact_profile_picture(
        self,
        contact_id: str | UUID,
        *,
        chat_account_id: None | Unset | str | UUID = UNSET,
        preview: bool | Unset = False,
    ) -> ProfilePicture:
        """Get Contact Profile Picture.

        Find a contact's profile picture, in object storage or on the chat network.

        Required scope: `contacts:read`.

        Args:
            chat_account_id: The account to look with; default: the primary connected account.
            preview: True for the thumbnail.
        """

        return await self._call(
            get_contact_profile_picture.build_request(
                contact_id=read_id(contact_id),
                chat_account_id=read_id(chat_account_id),
                preview=preview,
            ),
            get_contact_profile_picture.parse_response,
        )

    async def list_media(
        self,
        *,
        media_type: None | str | Unset = UNSET,
        origin: None | str | Unset = UNSET,
        chat_account_id: None | Unset | str | UUID = UNSET,
        limit: int | Unset = 50,
        cursor: None | str | Unset = UNSET,
    ) -> MediaList:
        """List Media.

        List files, newest first: uploaded, fetched and received ones. `stored_bytes` says how much
        of the plan's quota is used; received files do not count. A page checks a limited number of
        files: a filtered one may hold fewer than `limit`, even none, and still have a `next_cursor`.

        Required scope: `messages:read`.

        Args:
            media_type: Only of this type, such as `image/png`, or of this kind, `image`.
            origin: Only `upload`, or only `inbound`: sent to one of your devices.
            chat_account_id: Only what came in through this device.
            limit: Maximum number of entries.
            cursor: Where to continue: the `next_cursor` of the previous page. Without it, the newest
                entries.
        """

        return await self._call(
            list_media.build_request(
                media_type=media_type,
                origin=origin,
                chat_account_id=read_id(chat_account_id),
                limit=limit,
                cursor=cursor,
            ),
            list_media.parse_response,
        )

    def iterate_media(
        self,
        *,
        media_type: None | str | Unset = UNSET,
        origin: None | str | Unset = UNSET,
        chat_account_id: None | Unset | str | UUID = UNSET,
        limit: int | Unset = 50,
    ) -> AsyncIterator[MediaFile]:
        """List Media, page by page, until there are no more."""
        return self._iterate(
            lambda cursor: list_media.build_request(
                media_type=media_type,
                origin=origin,
                chat_account_id=read_id(chat_account_id),
                limit=limit,
                cursor=cursor,
            ),
            list_media.parse_response,
            lambda page: page.media,
        )

    async def upload_media(
        self,
        *,
        body: File,
        file_name: None | str | Unset = UNSET,
        idempotency_key: None | str | Unset = UNSET,
    ) -> MediaFile:
        """Upload Media.

        Upload a file, to send in messages by its id. The body is the file itself, up to the size
        that the plan allows (64 MiB by default). Its first bytes have to match its `Content-Type`;
        without one, or with `application/octet-stream`, the bytes alone decide.

        Required scope: `messages:write`.

        Args:
            file_name: The file's name, at most 255 bytes in UTF-8: without `/`, `\\\\` and control
                characters. Recipients of the file as a document see it.
            idempotency_key: A name for this request, 1 to 255 characters, quoted or not: a repeat within 24
                hours gets the first answer, and nothing is done twice.
        """

        return await self._call(
            upload_media.build_request(
                file_name=file_name,
                idempotency_key=idempotency_key,
                body=body,
            ),
            upload_media.parse_response,
        )

    async def get_media(
        self,
        media_id: str | UUID,
    ) -> MediaFile:
        """Get Media.

        Read a file's record. Its `url`, new at every read, gives access to the file for an hour,
        without a key.

        Required scope: `messages:read`.
        """

        return await self._call(
            get_media.build_request(
                media_id=read_id(media_id),
            ),
            get_media.parse_response,
        )

    async def delete_media(
        self,
        media_id: str | UUID,
    ) -> None:
        """Delete Media.

        Delete a file, which frees its place in the quota at once. While a message with the file
        waits to be sent, the answer is 409 `media_in_use`. Other messages with it stay, without their
        file.

        Required scope: `messages:write`.
        """

        return await self._call(
            delete_media.build_request(
                media_id=read_id(media_id),
            ),
            delete_media.parse_response,
        )

    async def list_labels(
        self,
        *,
        limit: int | Unset = 50,
        offset: int | Unset = 0,
    ) -> LabelList:
        """List Labels.

        List the organization's labels by name.

        Required scope: `conversations:read`.

        Args:
            limit: Maximum number of entries.
            offset: Number of entries to skip.
        """

        return await self._call(
            list_labels.build_request(
                limit=limit,
                offset=offset,
            ),
            list_labels.parse_response,
        )

    async def create_label(
        self,
        *,
        name: str,
        color: str | Unset = UNSET,
        idempotency_key: None | str | Unset = UNSET,
    ) -> Label:
        """Create Label.

        Create a label. An organization can have 200. A key that is limited to certain devices can't
        create one: all devices share the labels.

        Required scope: `conversations:write`.

        Args:
            name: A name that no other label has, regardless of case and accents.
            color: Its color, as `#rrggbb`. Default: `"#6b7280"`.
            idempotency_key: A name for this request, 1 to 255 characters, quoted or not: a repeat within 24
                hours gets the first answer, and nothing is done twice.
        """

        return await self._call(
            create_label.build_request(
                idempotency_key=idempotency_key,
                body=CreateLabel(
                    name=name,
                    color=color,
                ),
            ),
            create_label.parse_response,
        )

    async def delete_label(
        self,
        label_id: str | UUID,
    ) -> None:
        """Delete Label.

        Delete a label, and remove it from all conversations and contacts. A key that is limited to
        certain devices can't.

        Required scope: `conversations:write`.
        """

        return await self._call(
            delete_label.build_request(
                label_id=read_id(label_id),
            ),
            delete_label.parse_response,
        )

    async def change_label(
        self,
        label_id: str | UUID,
        *,
        name: str | Unset = UNSET,
        color: str | Unset = UNSET,
    ) -> Label:
        """Change Label.

        Change a label's name or color everywhere. A key that is limited to certain devices can't:
        all devices share the labels.

        Required scope: `conversations:write`.

        Args:
            name: The new name.
            color: The new color, as `#rrggbb`.
        """

        return await self._call(
            change_label.build_request(
                label_id=read_id(label_id),
                body=ChangeLabel(
                    name=name,
                    color=color,
                ),
            ),
            change_label.parse_response,
        )

    async def list_devices(
        self,
        *,
        limit: int | Unset = 50,
        offset: int | Unset = 0,
        status: None | str | Unset = UNSET,
        search: None | str | Unset = UNSET,
        sort_by: DeviceSort | Unset = UNSET,
        sort_order: SortOrder | Unset = UNSET,
    ) -> DeviceList:
        """List Devices.

        List the organization's devices.

        Required scope: `admin:read`.

        Args:
            limit: Maximum number of entries.
            offset: Number of entries to skip.
            status: Only devices in this state, such as `connected`, `disconnected`.
            search: Part of a device name or session name, in any case, or of a phone number, in any
                notation, such as `+1 (555) 010`.
            sort_by: The fields by which devices can be sorted.
            sort_order: The order: ascending or descending.
        """

        return await self._call(
            list_devices.build_request(
                limit=limit,
                offset=offset,
                status=status,
                search=search,
                sort_by=sort_by,
                sort_order=sort_order,
            ),
            list_devices.parse_response,
        )

    async def create_device(
        self,
        *,
        network: str,
        name: str,
        session_name: None | str | Unset = UNSET,
        settings: dict[str, Any] | CreateDeviceSettings | Unset = UNSET,
        idempotency_key: None | str | Unset = UNSET,
    ) -> DeviceDetails:
        """Create Device.

        Connect a device to a chat network, with the network's form. It starts connecting or pairing
        automatically; the device's pairing says what a person has to do. The first device of an
        organization becomes the primary one. A key that is limited to certain devices can't connect
        another.

        Required scope: `admin:write`.

        Args:
            network: The network's name.
            name: The name that people see.
            session_name: Its name in requests, unique in the organization; default: made from `name`.
            settings: Values of the network's form, by the field's name, all as strings. Secret values are
                encrypted, and never shown again.
            idempotency_key: A name for this request, 1 to 255 characters, quoted or not: a repeat within 24
                hours gets the first answer, and nothing is done twice.
        """

        return await self._call(
            create_device.build_request(
                idempotency_key=idempotency_key,
                body=CreateDevice(
                    network=network,
                    name=name,
                    session_name=session_name,
                    settings=read_object(settings),
                ),
            ),
            create_device.parse_response,
        )

    async def get_device(
        self,
        device_id: str | UUID,
    ) -> DeviceDetails:
        """Get Device.

        Read a device, with the number of messages that wait to be sent through it.

        Required scope: `admin:read`.
        """

        return await self._call(
            get_device.build_request(
                device_id=read_id(device_id),
            ),
            get_device.parse_response,
        )

    async def delete_device(
        self,
        device_id: str | UUID,
    ) -> None:
        """Delete Device.

        Remove a device. Its conversations and messages stay. Messages waiting to be sent are
        canceled; those that may have been sent fail. A connected device has to be logged out first.

        Required scope: `admin:write`.
        """

        return await self._call(
            delete_device.build_request(
                device_id=read_id(device_id),
            ),
            delete_device.parse_response,
        )

    async def change_device(
        self,
        device_id: str | UUID,
        *,
        name: str | Unset = UNSET,
        is_primary: bool | Unset = UNSET,
        message_logging_enabled: bool | Unset = UNSET,
        auto_warmer_enabled: bool | Unset = UNSET,
        send_rate: int | None | Unset = UNSET,
        settings: dict[str, Any] | ChangeDeviceSettings | Unset = UNSET,
    ) -> DeviceDetails:
        """Change Device.

        Change a device; fields that are left out stay as they are. This reopens its connection.
        `settings` replaces the values that it names; an empty value means the form's default. A key
        that is limited to certain devices can't make another device the primary one.

        Required scope: `admin:write`.

        Args:
            name: The name that people see.
            is_primary: True makes it the one used when a request names none.
            message_logging_enabled: Whether the contents of its messages are kept.
            auto_warmer_enabled: Whether its daily limit grows over its first days.
            send_rate: Maximum messages a minute; null is no limit.
            settings: Values of the network's form, by the field's name, all as strings. Secret values are
                encrypted, and never shown again.
        """

        return await self._call(
            change_device.build_request(
                device_id=read_id(device_id),
                body=ChangeDevice(
                    name=name,
                    is_primary=is_primary,
                    message_logging_enabled=message_logging_enabled,
                    auto_warmer_enabled=auto_warmer_enabled,
                    send_rate=send_rate,
                    settings=read_object(settings),
                ),
            ),
            change_device.parse_response,
        )

    async def get_device_pairing(
        self,
        device_id: str | UUID,
        *,
        accept: None | str | Unset = UNSET,
    ) -> Pairing:
        """Get Device Pairing.

        Read what a person has to do to pair a device: scan a QR code, or type a code. The code
        changes every few seconds until somebody uses it: ask again when it expires. With
        `Accept: image/png` the answer is the QR code as a picture, to show unchanged; while there is
        none, it is 409 `no_qr_code`.

        Required scope: `admin:read`.

        Args:
            accept: `image/png` for the QR code as a picture.
        """

        return await self._call(
            get_device_pairing.build_request(
                device_id=read_id(device_id),
                accept=accept,
            ),
            get_device_pairing.parse_response,
        )

    async def pair_device(
        self,
        device_id: str | UUID,
        *,
        method: PairDeviceMethod,
        phone_number: None | str | Unset = UNSET,
        idempotency_key: None | str | Unset = UNSET,
    ) -> Pairing:
        """Pair Device.

        Start pairing a device, also one that was logged out, or change the method. The answer does
        not wait for the chat network: read the code to scan or type a moment later, with
        `getDevicePairing`.

        Required scope: `admin:write`.

        Args:
            method: `qr`: scan a QR code. `code`: type a code on the phone.
            phone_number: The number of the phone on which the code is typed; default: the one given before.
            idempotency_key: A name for this request, 1 to 255 characters, quoted or not: a repeat within 24
                hours gets the first answer, and nothing is done twice.
        """

        return await self._call(
            pair_device.build_request(
                device_id=read_id(device_id),
                idempotency_key=idempotency_key,
                body=PairDevice(
                    method=method,
                    phone_number=phone_number,
                ),
            ),
            pair_device.parse_response,
        )

    async def reconnect_device(
        self,
        device_id: str | UUID,
        *,
        idempotency_key: None | str | Unset = UNSET,
    ) -> Device:
        """Reconnect Device.

        Reopen a device's connection; a logged-out device starts pairing again.

        Required scope: `admin:write`.

        Args:
            idempotency_key: A name for this request, 1 to 255 characters, quoted or not: a repeat within 24
                hours gets the first answer, and nothing is done twice.
        """

        return await self._call(
            reconnect_device.build_request(
                device_id=read_id(device_id),
                idempotency_key=idempotency_key,
            ),
            reconnect_device.parse_response,
        )

    async def log_out_device(
        self,
        device_id: str | UUID,
        *,
        idempotency_key: None | str | Unset = UNSET,
    ) -> Device:
        """Log Out Device.

        End a device's registration on its network. Its queue is kept; it can be paired again.

        Required scope: `admin:write`.

        Args:
            idempotency_key: A name for this request, 1 to 255 characters, quoted or not: a repeat within 24
                hours gets the first answer, and nothing is done twice.
        """

        return await self._call(
            log_out_device.build_request(
                device_id=read_id(device_id),
                idempotency_key=idempotency_key,
            ),
            log_out_device.parse_response,
        )

    async def list_networks(
        self,
    ) -> NetworkList:
        """List Networks.

        List the chat networks, with their capabilities and the form that connects a device.

        Required scope: `admin:read`.
        """

        return await self._call(
            list_networks.build_request(),
            list_networks.parse_response,
        )

    async def list_org_webhook_events(
        self,
        *,
        limit: int | Unset = 50,
        offset: int | Unset = 0,
    ) -> WebhookEventList:
        """List Org Webhook Events.

        List deliveries across all webhooks of the organization, newest first.

        Required scope: `webhooks:read`.

        Args:
            limit: Maximum number of entries.
            offset: Number of entries to skip.
        """

        return await self._call(
            list_org_webhook_events.build_request(
                limit=limit,
                offset=offset,
            ),
            list_org_webhook_events.parse_response,
        )

    async def list_webhook_subscriptions(
        self,
        *,
        limit: int | Unset = 50,
        offset: int | Unset = 0,
    ) -> SubscriptionList:
        """List Webhook Subscriptions.

        List the organization's webhooks, oldest first; a key that is limited to certain accounts
        sees those that take only events of these.

        Required scope: `webhooks:read`.

        Args:
            limit: Maximum number of entries.
            offset: Number of entries to skip.
        """

        return await self._call(
            list_webhook_subscriptions.build_request(
                limit=limit,
                offset=offset,
            ),
            list_webhook_subscriptions.parse_response,
        )

    async def create_webhook_subscription(
        self,
        *,
        url: str,
        events: list[EventPattern],
        description: str | Unset = UNSET,
        enabled: bool | Unset = UNSET,
        headers: dict[str, Any] | None | Unset | WebhookHeaders = UNSET,
        filter_: dict[str, Any] | None | SubscriptionFilter | Unset = UNSET,
        batch: dict[str, Any] | BatchOptions | None | Unset = UNSET,
        idempotency_key: None | str | Unset = UNSET,
    ) -> CreatedSubscription:
        """Create Webhook Subscription.

        Subscribe a URL to events. Only this answer shows its signing secret; the dashboard can
        show it again. Events also require the scope to read what they show: `messages:read` for
        messages, `conversations:read` for conversations, `contacts:read` for contacts, and all three
        for `*`. With a key that is limited to certain accounts, the webhook gets only events of
        these accounts.

        Required scope: `webhooks:write`.

        Args:
            url: An http or https URL without user name and password.
            events: Event types, or the patterns `*`, `message.*`, `device.*`.
            description: What it is for. Default: `""`.
            enabled: Whether to post at once. Default: `true`.
            batch: Without it, each event has its own request.
            idempotency_key: A name for this request, 1 to 255 characters, quoted or not: a repeat within 24
                hours gets the first answer, and nothing is done twice.
        """

        return await self._call(
            create_webhook_subscription.build_request(
                idempotency_key=idempotency_key,
                body=CreateSubscription(
                    url=url,
                    events=events,
                    description=description,
                    enabled=enabled,
                    headers=read_object(headers),
                    filter_=read_object(filter_),
                    batch=read_object(batch),
                ),
            ),
            create_webhook_subscription.parse_response,
        )

    async def get_webhook_subscription(
        self,
        subscription_id: str | UUID,
    ) -> Subscription:
        """Get Webhook Subscription.

        Read a webhook. Its secret and the values of its custom headers are not shown.

        Required scope: `webhooks:read`.
        """

        return await self._call(
            get_webhook_subscription.build_request(
                subscription_id=read_id(subscription_id),
            ),
            get_webhook_subscription.parse_response,
        )

    async def delete_webhook_subscription(
        self,
        subscription_id: str | UUID,
    ) -> None:
        """Delete Webhook Subscription.

        Delete a webhook and cancel its pending deliveries. Its deliveries stay listed.

        Required scope: `webhooks:write`.
        """

        return await self._call(
            delete_webhook_subscription.build_request(
                subscription_id=read_id(subscription_id),
            ),
            delete_webhook_subscription.parse_response,
        )

    async def update_webhook_subscription(
        self,
        subscription_id: str | UUID,
        *,
        url: str | Unset = UNSET,
        events: list[EventPattern] | Unset = UNSET,
        description: str | Unset = UNSET,
        enabled: bool | Unset = UNSET,
        headers: dict[str, Any] | None | Unset | WebhookHeaders = UNSET,
        filter_: dict[str, Any] | None | SubscriptionFilter | Unset = UNSET,
        batch: dict[str, Any] | BatchOptions | None | Unset = UNSET,
    ) -> Subscription:
        """Update Webhook Subscription.

        Change the given fields. Pending deliveries go to the new URL, with the new headers. New
        events or a new filter require the scopes to read what the events show. A new URL requires
        `messages:read`, `conversations:read` and `contacts:read`, since any event may be pending.
        Enabling a webhook posts its pending deliveries and forgets earlier failures. Events already in
        a batch stay in it.

        Required scope: `webhooks:write`.

        Args:
            url: An http or https URL without user name and password.
            events: Event types, or the patterns `*`, `message.*`, `device.*`.
            description: What it is for.
        """

        return await self._call(
            update_webhook_subscription.build_request(
                subscription_id=read_id(subscription_id),
                body=ChangeSubscription(
                    url=url,
                    events=events,
                    description=description,
                    enabled=enabled,
                    headers=read_object(headers),
                    filter_=read_object(filter_),
                    batch=read_object(batch),
                ),
            ),
            update_webhook_subscription.parse_response,
        )

    async def ping_webhook_subscription(
        self,
        subscription_id: str | UUID,
        *,
        idempotency_key: None | str | Unset = UNSET,
    ) -> PingSent:
        """Ping Webhook Subscription.

        Post a `webhook.ping` to this webhook only, whatever it subscribes to.

        Required scope: `webhooks:write`.

        Args:
            idempotency_key: A name for this request, 1 to 255 characters, quoted or not: a repeat within 24
                hours gets the first answer, and nothing is done twice.
        """

        return await self._call(
            ping_webhook_subscription.build_request(
                subscription_id=read_id(subscription_id),
                idempotency_key=idempotency_key,
            ),
            ping_webhook_subscription.parse_response,
        )

    async def rotate_webhook_secret(
        self,
        subscription_id: str | UUID,
        *,
        grace_seconds: int | Unset = UNSET,
        idempotency_key: None | str | Unset = UNSET,
    ) -> CreatedSubscription:
        """Rotate Webhook Secret.

        Give a webhook a new secret. Only this answer shows it; the dashboard can show it again.
        During the grace period the old one signs, too, as do older ones until their own grace periods
        end.

        Required scope: `webhooks:write`.

        Args:
            grace_seconds: How long requests also carry the old secret's signature. Default: `86400`.
            idempotency_key: A name for this request, 1 to 255 characters, quoted or not: a repeat within 24
                hours gets the first answer, and nothing is done twice.
        """

        return await self._call(
            rotate_webhook_secret.build_request(
                subscription_id=read_id(subscription_id),
                idempotency_key=idempotency_key,
                body=RotateSecret(
                    grace_seconds=grace_seconds,
                ),
            ),
            rotate_webhook_secret.parse_response,
        )

    async def replay_webhook_events(
        self,
        subscription_id: str | UUID,
        *,
        since: datetime.datetime,
        until: datetime.datetime,
        status: None | ReplayStatus | Unset = UNSET,
        cursor: None | str | Unset = UNSET,
        idempotency_key: None | str | Unset = UNSET,
    ) -> ReplayProgress:
        """Replay Webhook Events.

        Post the events of a time range to this webhook again, each under its `webhook-id`.

        That includes events it was never sent: from before it was made, or while it was disabled. One
        call checks 2,000 events and queues those that the webhook takes; while the answer has a
        `next_cursor`, repeat the call with it. Nothing continues by itself.

        Required scope: `webhooks:write`.

        Args:
            since: Events from that time on.
            until: Events before that time.
            status: Only events whose delivery to this webhook was made in that time and has this
                status. Without it, all events of that time that the webhook takes.
            cursor: The `next_cursor` of the previous call.
            idempotency_key: A name for this request, 1 to 255 characters, quoted or not: a repeat within 24
                hours gets the first answer, and nothing is done twice.
        """

        return await self._call(
            replay_webhook_events.build_request(
                subscription_id=read_id(subscription_id),
                idempotency_key=idempotency_key,
                body=ReplayEvents(
                    since=since,
                    until=until,
                    status=status,
                    cursor=cursor,
                ),
            ),
            replay_webhook_events.parse_response,
        )

    async def list_webhook_deliveries(
        self,
        subscription_id: str | UUID,
        *,
        limit: int | Unset = 50,
        cursor: None | str | Unset = UNSET,
        status: None | str | Unset = UNSET,
    ) -> DeliveryList:
        """List Webhook Deliveries.

        List a webhook's deliveries, newest first. A page checks 10,000 deliveries of the
        organization at most: it may hold fewer than `limit`, even none, and have a `next_cursor`.

        Required scope: `webhooks:read`.

        Args:
            limit: Maximum number of entries.
            cursor: Where to continue: the `next_cursor` of the previous page. Without it, the newest
                entries.
            status: Only deliveries in this state, such as `failed`.
        """

        return await self._call(
            list_webhook_deliveries.build_request(
                subscription_id=read_id(subscription_id),
                limit=limit,
                cursor=cursor,
                status=status,
            ),
            list_webhook_deliveries.parse_response,
        )

    def iterate_webhook_deliveries(
        self,
        subscription_id: str | UUID,
        *,
        limit: int | Unset = 50,
        status: None | str | Unset = UNSET,
    ) -> AsyncIterator[Delivery]:
        """List Webhook Deliveries, page by page, until there are no more."""
        return self._iterate(
            lambda cursor: list_webhook_deliveries.build_request(
                subscription_id=read_id(subscription_id),
                limit=limit,
                cursor=cursor,
                status=status,
            ),
            list_webhook_deliveries.parse_response,
            lambda page: page.deliveries,
        )

    async def get_webhook_delivery(
        self,
        delivery_id: str | UUID,
    ) -> DeliveryDetails:
        """Get Webhook Delivery.

        Read a delivery: its event, and each attempt with the endpoint's answer. This also requires
        the scope to read what the event shows, such as `messages:read`. An event in a batch has the
        attempts of its batch.

        Required scope: `webhooks:read`.
        """

        return await self._call(
            get_webhook_delivery.build_request(
                delivery_id=read_id(delivery_id),
            ),
            get_webhook_delivery.parse_response,
        )

    async def redeliver_webhook_event(
        self,
        delivery_id: str | UUID,
        *,
        idempotency_key: None | str | Unset = UNSET,
    ) -> Delivery:
        """Redeliver Webhook Event.

        Post the event of a delivery again, as a new delivery with the same `webhook-id`. This also
        requires the scope to read what the event shows, such as `messages:read`. If the webhook takes
        batches, the event is posted in a new one.

        Required scope: `webhooks:write`.

        Args:
            idempotency_key: A name for this request, 1 to 255 characters, quoted or not: a repeat within 24
                hours gets the first answer, and nothing is done twice.
        """

        return await self._call(
            redeliver_webhook_event.build_request(
                delivery_id=read_id(delivery_id),
                idempotency_key=idempotency_key,
            ),
            redeliver_webhook_event.parse_response,
        )

    async def list_events(
        self,
        *,
        after: None | str | Unset = UNSET,
        types: None | str | Unset = UNSET,
        chat_account_id: None | Unset | str | UUID = UNSET,
        limit: int | Unset = 50,
        wait: int | Unset = 0,
        last_event_id: None | str | Unset = UNSET,
    ) -> EventPage:
        """List Events.

        Read events after a cursor, oldest first: as a page, or, with `Accept: text/event-stream`, as
        a stream of server-sent events whose ids are cursors. A client that keeps the cursor misses
        nothing and gets nothing twice. A page may hold no events and still move the cursor. A page
        without events whose cursor is the one you sent means that there is nothing more for now.

        Required scope: `webhooks:read`.

        Args:
            after: Where to continue: the `next_cursor` of the previous page, or `oldest` for all
                events that are kept. Without it, only events from now on.
            types: Only events of these types, separated by commas: `message.received`, `device.*`.
                They require the scope to read what they show: `messages:read`, `conversations:read`
                or `contacts:read`, `*` all three. Without it, all events that the key may read.
            chat_account_id: Only of this account.
            limit: Maximum number of entries; streams ignore it.
            wait: Seconds to wait if there is nothing yet; streams ignore it.
            last_event_id: The id of the last event from a stream; takes precedence over `after`.
        """

        return await self._call(
            list_events.build_request(
                after=after,
                types=types,
                chat_account_id=read_id(chat_account_id),
                limit=limit,
                wait=wait,
                last_event_id=last_event_id,
            ),
            list_events.parse_response,
        )

    async def list_api_keys(
        self,
        *,
        limit: int | Unset = 50,
        offset: int | Unset = 0,
    ) -> ApiKeyList:
        """List Api Keys.

        List the organization's API keys, newest first, including revoked ones. A key that is limited
        to certain devices sees only keys that are limited to these, too.

        Required scope: `admin:write`.

        Args:
            limit: Maximum number of entries.
            offset: Number of entries to skip.
        """

        return await self._call(
            list_api_keys.build_request(
                limit=limit,
                offset=offset,
            ),
            list_api_keys.parse_response,
        )

    async def create_api_key(
        self,
        *,
        name: str,
        scopes: list[str] | None | Unset = UNSET,
        expires_at: datetime.datetime | None | Unset = UNSET,
        chat_account_ids: Sequence[str | UUID] | None | Unset = UNSET,
        idempotency_key: None | str | Unset = UNSET,
    ) -> CreatedApiKey:
        """Create Api Key.

        Create an API key. The answer contains its secret, which is shown only this once. A key can't
        create one with more scopes or devices than its own, or one that lives longer.

        Required scope: `admin:write`.

        Args:
            name: What it is for.
            scopes: Null: everything.
            expires_at: Null: it never expires.
            chat_account_ids: The only devices it may use. Null: all, including future ones.
            idempotency_key: A name for this request, 1 to 255 characters, quoted or not: a repeat within 24
                hours gets the first answer, and nothing is done twice.
        """

        return await self._call(
            create_api_key.build_request(
                idempotency_key=idempotency_key,
                body=CreateApiKey(
                    name=name,
                    scopes=scopes,
                    expires_at=expires_at,
                    chat_account_ids=read_ids(chat_account_ids),
                ),
            ),
            create_api_key.parse_response,
        )

    async def revoke_api_key(
        self,
        key_id: str | UUID,
    ) -> None:
        """Revoke Api Key.

        Revoke a key for good, on every node within a second. It stays in the list, as revoked;
        revoking it again changes nothing. A key can't revoke one that lives longer than itself.

        Required scope: `admin:write`.
        """

        return await self._call(
            revoke_api_key.build_request(
                key_id=read_id(key_id),
            ),
            revoke_api_key.parse_response,
        )

    async def rotate_api_key(
        self,
        key_id: str | UUID,
        *,
        grace_seconds: int | Unset = UNSET,
        idempotency_key: None | str | Unset = UNSET,
    ) -> CreatedApiKey:
        """Rotate Api Key.

        Give a key a new secret, which is shown only this once. The old one stays valid for a grace
        period. Rotating again does not shorten the grace period of older secrets; at most four are
        valid at once. A key can't rotate one that lives longer than itself.

        Required scope: `admin:write`.

        Args:
            grace_seconds: How long the old secret stays valid. Default: `86400`.
            idempotency_key: A name for this request, 1 to 255 characters, quoted or not: a repeat within 24
                hours gets the first answer, and nothing is done twice.
        """

        return await self._call(
            rotate_api_key.build_request(
                key_id=read_id(key_id),
                idempotency_key=idempotency_key,
                body=RotateApiKey(
                    grace_seconds=grace_seconds,
                ),
            ),
            rotate_api_key.parse_response,
        )
