"""Contains all the data models used in inputs/outputs"""

from .add_participants import AddParticipants
from .added_participants import AddedParticipants
from .api_key import ApiKey
from .api_key_list import ApiKeyList
from .audio_content import AudioContent
from .audio_input import AudioInput
from .author import Author
from .batch_options import BatchOptions
from .batch_record import BatchRecord
from .button_input import ButtonInput
from .button_reply_content import ButtonReplyContent
from .buttons_content import ButtonsContent
from .buttons_input import ButtonsInput
from .change_contact import ChangeContact
from .change_contact_attributes import ChangeContactAttributes
from .change_conversation import ChangeConversation
from .change_device import ChangeDevice
from .change_device_settings import ChangeDeviceSettings
from .change_group import ChangeGroup
from .change_label import ChangeLabel
from .change_result import ChangeResult
from .change_subscription import ChangeSubscription
from .changed_message import ChangedMessage
from .check_numbers import CheckNumbers
from .checked_number import CheckedNumber
from .checked_numbers import CheckedNumbers
from .choice import Choice
from .chosen_status import ChosenStatus
from .contact import Contact
from .contact_address import ContactAddress
from .contact_attributes import ContactAttributes
from .contact_content import ContactContent
from .contact_input import ContactInput
from .contact_list import ContactList
from .contact_updated_event import ContactUpdatedEvent
from .contacts_synced_event import ContactsSyncedEvent
from .content_button_input import ContentButtonInput
from .conversation import Conversation
from .conversation_list import ConversationList
from .conversation_updated_event import ConversationUpdatedEvent
from .create_api_key import CreateApiKey
from .create_device import CreateDevice
from .create_device_settings import CreateDeviceSettings
from .create_group import CreateGroup
from .create_label import CreateLabel
from .create_subscription import CreateSubscription
from .created_api_key import CreatedApiKey
from .created_group import CreatedGroup
from .created_subscription import CreatedSubscription
from .delivery import Delivery
from .delivery_attempt import DeliveryAttempt
from .delivery_details import DeliveryDetails
from .delivery_list import DeliveryList
from .device import Device
from .device_connected_event import DeviceConnectedEvent
from .device_details import DeviceDetails
from .device_details_settings import DeviceDetailsSettings
from .device_disconnected_event import DeviceDisconnectedEvent
from .device_list import DeviceList
from .device_logged_out_event import DeviceLoggedOutEvent
from .device_pairing_event import DevicePairingEvent
from .device_restricted_event import DeviceRestrictedEvent
from .device_restriction import DeviceRestriction
from .device_sort import DeviceSort
from .device_unrestricted_event import DeviceUnrestrictedEvent
from .document_content import DocumentContent
from .document_input import DocumentInput
from .edit_message_input import EditMessageInput
from .error_body import ErrorBody
from .event_page import EventPage
from .event_pattern import EventPattern
from .failed_change import FailedChange
from .filtered_chat_type import FilteredChatType
from .group import Group
from .group_invite_link import GroupInviteLink
from .group_participant import GroupParticipant
from .http_validation_error import HTTPValidationError
from .image_content import ImageContent
from .image_input import ImageInput
from .inbound_message import InboundMessage
from .join_group import JoinGroup
from .joined_group import JoinedGroup
from .label import Label
from .label_list import LabelList
from .left_group import LeftGroup
from .link_button_content import LinkButtonContent
from .link_button_input import LinkButtonInput
from .link_preview import LinkPreview
from .list_content import ListContent
from .list_input import ListInput
from .list_reply_content import ListReplyContent
from .list_row import ListRow
from .list_section import ListSection
from .location_content import LocationContent
from .location_input import LocationInput
from .location_request_content import LocationRequestContent
from .location_request_input import LocationRequestInput
from .logged_contact_updated_event import LoggedContactUpdatedEvent
from .logged_contacts_synced_event import LoggedContactsSyncedEvent
from .logged_conversation_updated_event import LoggedConversationUpdatedEvent
from .logged_device_connected_event import LoggedDeviceConnectedEvent
from .logged_device_disconnected_event import LoggedDeviceDisconnectedEvent
from .logged_device_logged_out_event import LoggedDeviceLoggedOutEvent
from .logged_device_pairing_event import LoggedDevicePairingEvent
from .logged_device_restricted_event import LoggedDeviceRestrictedEvent
from .logged_device_unrestricted_event import LoggedDeviceUnrestrictedEvent
from .logged_message_canceled_event import LoggedMessageCanceledEvent
from .logged_message_deleted_event import LoggedMessageDeletedEvent
from .logged_message_delivered_event import LoggedMessageDeliveredEvent
from .logged_message_edited_event import LoggedMessageEditedEvent
from .logged_message_failed_event import LoggedMessageFailedEvent
from .logged_message_reaction_event import LoggedMessageReactionEvent
from .logged_message_read_event import LoggedMessageReadEvent
from .logged_message_received_event import LoggedMessageReceivedEvent
from .logged_message_sent_event import LoggedMessageSentEvent
from .logged_unknown_event import LoggedUnknownEvent
from .logged_unknown_event_data import LoggedUnknownEventData
from .logged_webhook_ping_event import LoggedWebhookPingEvent
from .media_file import MediaFile
from .media_list import MediaList
from .member import Member
from .member_list import MemberList
from .message import Message
from .message_canceled_event import MessageCanceledEvent
from .message_deleted_event import MessageDeletedEvent
from .message_delivered_event import MessageDeliveredEvent
from .message_delivery import MessageDelivery
from .message_delivery_attempt import MessageDeliveryAttempt
from .message_edited_event import MessageEditedEvent
from .message_event import MessageEvent
from .message_failed_event import MessageFailedEvent
from .message_history import MessageHistory
from .message_list import MessageList
from .message_reaction import MessageReaction
from .message_reaction_event import MessageReactionEvent
from .message_read_event import MessageReadEvent
from .message_received_event import MessageReceivedEvent
from .message_referral import MessageReferral
from .message_sender import MessageSender
from .message_sent_by import MessageSentBy
from .message_sent_event import MessageSentEvent
from .message_statistics import MessageStatistics
from .message_statistics_by_direction import MessageStatisticsByDirection
from .message_statistics_by_status import MessageStatisticsByStatus
from .message_statistics_outbound_by_status import MessageStatisticsOutboundByStatus
from .message_step import MessageStep
from .metadata import Metadata
from .network import Network
from .network_attempts import NetworkAttempts
from .network_capabilities import NetworkCapabilities
from .network_form_field import NetworkFormField
from .network_limits import NetworkLimits
from .network_list import NetworkList
from .note import Note
from .note_list import NoteList
from .order_content import OrderContent
from .ordered_item import OrderedItem
from .outbound_message import OutboundMessage
from .pair_device import PairDevice
from .pair_device_method import PairDeviceMethod
from .pairing import Pairing
from .ping import Ping
from .ping_sent import PingSent
from .poll_content import PollContent
from .poll_input import PollInput
from .poll_vote_content import PollVoteContent
from .pressed_button import PressedButton
from .profile_picture import ProfilePicture
from .reaction_input import ReactionInput
from .refused_participant import RefusedParticipant
from .replay_events import ReplayEvents
from .replay_progress import ReplayProgress
from .replay_status import ReplayStatus
from .reported_device import ReportedDevice
from .rotate_api_key import RotateApiKey
from .rotate_secret import RotateSecret
from .row_input import RowInput
from .section_input import SectionInput
from .send_buttons import SendButtons
from .send_message_input import SendMessageInput
from .send_result import SendResult
from .show_typing import ShowTyping
from .sort_order import SortOrder
from .sticker_content import StickerContent
from .sticker_input import StickerInput
from .subscription import Subscription
from .subscription_filter import SubscriptionFilter
from .subscription_filter_record import SubscriptionFilterRecord
from .subscription_list import SubscriptionList
from .sync_contacts import SyncContacts
from .sync_started import SyncStarted
from .sync_state import SyncState
from .system_content import SystemContent
from .text_content import TextContent
from .text_input import TextInput
from .typing_shown import TypingShown
from .unknown_content import UnknownContent
from .unknown_event import UnknownEvent
from .unknown_event_data import UnknownEventData
from .updated_contact import UpdatedContact
from .updated_conversation import UpdatedConversation
from .validation_error import ValidationError
from .validation_error_context import ValidationErrorContext
from .variable_values import VariableValues
from .video_content import VideoContent
from .video_input import VideoInput
from .webhook_event import WebhookEvent
from .webhook_event_list import WebhookEventList
from .webhook_headers import WebhookHeaders
from .webhook_ping_event import WebhookPingEvent
from .write_note import WriteNote

__all__ = (
    "AddedParticipants",
    "AddParticipants",
    "ApiKey",
    "ApiKeyList",
    "AudioContent",
    "AudioInput",
    "Author",
    "BatchOptions",
    "BatchRecord",
    "ButtonInput",
    "ButtonReplyContent",
    "ButtonsContent",
    "ButtonsInput",
    "ChangeContact",
    "ChangeContactAttributes",
    "ChangeConversation",
    "ChangeDevice",
    "ChangeDeviceSettings",
    "ChangedMessage",
    "ChangeGroup",
    "ChangeLabel",
    "ChangeResult",
    "ChangeSubscription",
    "CheckedNumber",
    "CheckedNumbers",
    "CheckNumbers",
    "Choice",
    "ChosenStatus",
    "Contact",
    "ContactAddress",
    "ContactAttributes",
    "ContactContent",
    "ContactInput",
    "ContactList",
    "ContactsSyncedEvent",
    "ContactUpdatedEvent",
    "ContentButtonInput",
    "Conversation",
    "ConversationList",
    "ConversationUpdatedEvent",
    "CreateApiKey",
    "CreatedApiKey",
    "CreateDevice",
    "CreateDeviceSettings",
    "CreatedGroup",
    "CreatedSubscription",
    "CreateGroup",
    "CreateLabel",
    "CreateSubscription",
    "Delivery",
    "DeliveryAttempt",
    "DeliveryDetails",
    "DeliveryList",
    "Device",
    "DeviceConnectedEvent",
    "DeviceDetails",
    "DeviceDetailsSettings",
    "DeviceDisconnectedEvent",
    "DeviceList",
    "DeviceLoggedOutEvent",
    "DevicePairingEvent",
    "DeviceRestrictedEvent",
    "DeviceRestriction",
    "DeviceSort",
    "DeviceUnrestrictedEvent",
    "DocumentContent",
    "DocumentInput",
    "EditMessageInput",
    "ErrorBody",
    "EventPage",
    "EventPattern",
    "FailedChange",
    "FilteredChatType",
    "Group",
    "GroupInviteLink",
    "GroupParticipant",
    "HTTPValidationError",
    "ImageContent",
    "ImageInput",
    "InboundMessage",
    "JoinedGroup",
    "JoinGroup",
    "Label",
    "LabelList",
    "LeftGroup",
    "LinkButtonContent",
    "LinkButtonInput",
    "LinkPreview",
    "ListContent",
    "ListInput",
    "ListReplyContent",
    "ListRow",
    "ListSection",
    "LocationContent",
    "LocationInput",
    "LocationRequestContent",
    "LocationRequestInput",
    "LoggedContactsSyncedEvent",
    "LoggedContactUpdatedEvent",
    "LoggedConversationUpdatedEvent",
    "LoggedDeviceConnectedEvent",
    "LoggedDeviceDisconnectedEvent",
    "LoggedDeviceLoggedOutEvent",
    "LoggedDevicePairingEvent",
    "LoggedDeviceRestrictedEvent",
    "LoggedDeviceUnrestrictedEvent",
    "LoggedMessageCanceledEvent",
    "LoggedMessageDeletedEvent",
    "LoggedMessageDeliveredEvent",
    "LoggedMessageEditedEvent",
    "LoggedMessageFailedEvent",
    "LoggedMessageReactionEvent",
    "LoggedMessageReadEvent",
    "LoggedMessageReceivedEvent",
    "LoggedMessageSentEvent",
    "LoggedUnknownEvent",
    "LoggedUnknownEventData",
    "LoggedWebhookPingEvent",
    "MediaFile",
    "MediaList",
    "Member",
    "MemberList",
    "Message",
    "MessageCanceledEvent",
    "MessageDeletedEvent",
    "MessageDeliveredEvent",
    "MessageDelivery",
    "MessageDeliveryAttempt",
    "MessageEditedEvent",
    "MessageEvent",
    "MessageFailedEvent",
    "MessageHistory",
    "MessageList",
    "MessageReaction",
    "MessageReactionEvent",
    "MessageReadEvent",
    "MessageReceivedEvent",
    "MessageReferral",
    "MessageSender",
    "MessageSentBy",
    "MessageSentEvent",
    "MessageStatistics",
    "MessageStatisticsByDirection",
    "MessageStatisticsByStatus",
    "MessageStatisticsOutboundByStatus",
    "MessageStep",
    "Metadata",
    "Network",
    "NetworkAttempts",
    "NetworkCapabilities",
    "NetworkFormField",
    "NetworkLimits",
    "NetworkList",
    "Note",
    "NoteList",
    "OrderContent",
    "OrderedItem",
    "OutboundMessage",
    "PairDevice",
    "PairDeviceMethod",
    "Pairing",
    "Ping",
    "PingSent",
    "PollContent",
    "PollInput",
    "PollVoteContent",
    "PressedButton",
    "ProfilePicture",
    "ReactionInput",
    "RefusedParticipant",
    "ReplayEvents",
    "ReplayProgress",
    "ReplayStatus",
    "ReportedDevice",
    "RotateApiKey",
    "RotateSecret",
    "RowInput",
    "SectionInput",
    "SendButtons",
    "SendMessageInput",
    "SendResult",
    "ShowTyping",
    "SortOrder",
    "StickerContent",
    "StickerInput",
    "Subscription",
    "SubscriptionFilter",
    "SubscriptionFilterRecord",
    "SubscriptionList",
    "SyncContacts",
    "SyncStarted",
    "SyncState",
    "SystemContent",
    "TextContent",
    "TextInput",
    "TypingShown",
    "UnknownContent",
    "UnknownEvent",
    "UnknownEventData",
    "UpdatedContact",
    "UpdatedConversation",
    "ValidationError",
    "ValidationErrorContext",
    "VariableValues",
    "VideoContent",
    "VideoInput",
    "WebhookEvent",
    "WebhookEventList",
    "WebhookHeaders",
    "WebhookPingEvent",
    "WriteNote",
)
