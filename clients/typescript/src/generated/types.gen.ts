// Generated from ../openapi.json by `npm run generate`: do not edit.
/* eslint-disable */

export type ClientOptions = {
    baseUrl: `${string}://${string}` | (string & {});
};

export type Webhooks = OnMessageReceivedWebhookRequest | OnMessageSentWebhookRequest | OnMessageDeliveredWebhookRequest | OnMessageReadWebhookRequest | OnMessageFailedWebhookRequest | OnMessageCanceledWebhookRequest | OnMessageEditedWebhookRequest | OnMessageDeletedWebhookRequest | OnMessageReactionWebhookRequest | OnConversationUpdatedWebhookRequest | OnContactUpdatedWebhookRequest | OnContactsSyncedWebhookRequest | OnDevicePairingWebhookRequest | OnDeviceConnectedWebhookRequest | OnDeviceDisconnectedWebhookRequest | OnDeviceLoggedOutWebhookRequest | OnDeviceRestrictedWebhookRequest | OnDeviceUnrestrictedWebhookRequest | OnWebhookPingWebhookRequest | OnBatchWebhookRequest;

/**
 * AddParticipants
 *
 * People to add to a group.
 */
export type AddParticipants = {
    /**
     * Each is a phone number with its country code, as people write it (5 to 15 digits, `+` or `00` optional; spaces, dots, dashes, slashes and brackets are dropped), or a JID; a person named twice is added once.
     */
    participants: Array<string>;
};

/**
 * AddedParticipants
 *
 * Who was added to a group, and who was not.
 */
export type AddedParticipants = {
    added: Array<string>;
    refused: Array<RefusedParticipant>;
};

/**
 * ApiKey
 *
 * An API key of the organization, without its secret.
 */
export type ApiKey = {
    id: string;
    /**
     * The public part of the key, by which the audit log names it.
     */
    key_id: string;
    name: string;
    /**
     * The first characters of the key.
     */
    display_prefix: string;
    created_at: string;
    updated_at: string;
    /**
     * The scopes of the key; null means all.
     */
    scopes?: Array<string> | null;
    /**
     * The only devices it may use; null is all of them.
     */
    chat_account_ids?: Array<string> | null;
    expires_at?: string | null;
    last_used_at?: string | null;
    /**
     * The address from which it was used last, as the gateway sees it.
     */
    last_used_address?: string | null;
    revoked_at?: string | null;
    /**
     * When each secret before the last rotation expires or has expired.
     */
    old_secrets_expire_at: Array<string>;
};

/**
 * ApiKeyList
 *
 * One page of keys, newest first, revoked ones too; `total` counts them all.
 */
export type ApiKeyList = {
    api_keys: Array<ApiKey>;
    total: number;
    limit: number;
    offset: number;
};

/**
 * AudioContent
 *
 * A sound.
 */
export type AudioContent = {
    type: 'audio';
    /**
     * A MIME type.
     */
    media_type: string;
    caption?: string | null;
    file_name?: string | null;
    /**
     * In bytes, as the sender stated it.
     */
    size?: number | null;
    /**
     * Its id in the gateway, if it was uploaded or fetched.
     */
    media_id?: string | null;
    /**
     * Whether it is a voice message.
     */
    voice: boolean;
};

/**
 * AudioInput
 *
 * A sound.
 */
export type AudioInput = {
    /**
     * The id of an uploaded file.
     */
    media_id?: string | null;
    /**
     * Where to fetch the file, before the answer: `https`, at a public address, within 20 s.
     */
    url?: string | null;
    /**
     * The file's name for the recipient, under the same rules as for an upload; default: its own name.
     */
    file_name?: string | null;
    type: 'audio';
    /**
     * Send it as a voice message. Default: `false`.
     */
    voice?: boolean;
};

/**
 * Author
 *
 * The author of a note or a change.
 */
export type Author = {
    /**
     * `api_key`, `user`, or `operator` for the command line.
     */
    kind: string;
    /**
     * The public part of an API key, or a person's id.
     */
    id?: string | null;
    /**
     * The name of the key or the person at that time.
     */
    name: string;
};

/**
 * BatchOptions
 *
 * Post events together, as a `batch`.
 */
export type BatchOptions = {
    /**
     * Maximum number of events.
     */
    max_events: number;
    /**
     * How long the first event waits for others. Default: `0`.
     */
    max_wait_ms?: number;
};

/**
 * BatchRecord
 *
 * How events are posted together.
 */
export type BatchRecord = {
    max_events: number;
    max_wait_ms: number;
};

/**
 * ButtonInput
 *
 * One quick-reply button.
 */
export type ButtonInput = {
    /**
     * Comes back when the button is pressed; one line, no blank at either end, unique within the message.
     */
    id: string;
    /**
     * The button's label: one line, not blank, unique within the message.
     */
    title: string;
};

/**
 * ButtonReplyContent
 *
 * A button that was pressed.
 */
export type ButtonReplyContent = {
    type: 'button_reply';
    id: string;
    title: string;
};

/**
 * ButtonsContent
 *
 * A text with quick-reply buttons.
 */
export type ButtonsContent = {
    type: 'buttons';
    body: string;
    buttons: Array<Choice>;
    header?: string | null;
    footer?: string | null;
};

/**
 * ButtonsInput
 *
 * A text with one to three quick-reply buttons.
 */
export type ButtonsInput = {
    type: 'buttons';
    /**
     * The text.
     */
    body: string;
    /**
     * Their ids and their titles must be unique within the message.
     */
    buttons: Array<ContentButtonInput>;
    /**
     * A line shown above the text.
     */
    header?: string | null;
    /**
     * A line shown below the buttons.
     */
    footer?: string | null;
};

/**
 * ChangeContact
 *
 * The fields to change; those not given stay as they are.
 */
export type ChangeContact = {
    /**
     * Your name for the contact, which a phone's address book does not replace; null goes back to the address book's.
     */
    name?: string | null;
    /**
     * Your own data about the contact, which replaces what was there: texts of at most 500 characters, numbers, true, false and null.
     */
    attributes?: {
        [key: string]: string | boolean | number | number | null;
    };
    /**
     * The complete new list of labels.
     */
    label_ids?: Array<string>;
};

/**
 * ChangeConversation
 *
 * The fields to change; those not given stay as they are.
 */
export type ChangeConversation = {
    /**
     * The new state.
     */
    status?: ChosenStatus;
    /**
     * The member it is assigned to; null for nobody.
     */
    assignee_user_id?: string | null;
    /**
     * Whether automatic answers are paused.
     */
    agent_paused?: boolean;
    /**
     * Whether it is pinned above all others; 50 can be pinned.
     */
    pinned?: boolean;
    /**
     * A description for colleagues.
     */
    subject?: string | null;
    /**
     * The complete new list of labels.
     */
    label_ids?: Array<string>;
    /**
     * When a snoozed conversation reopens by itself; null: only when somebody writes.
     */
    snoozed_until?: string | null;
};

/**
 * ChangeDevice
 *
 * The fields of a device to change; those left out stay.
 */
export type ChangeDevice = {
    /**
     * The name that people see.
     */
    name?: string;
    /**
     * True makes it the one used when a request names none.
     */
    is_primary?: boolean;
    /**
     * Whether the contents of its messages are kept.
     */
    message_logging_enabled?: boolean;
    /**
     * Whether its daily limit grows over its first days.
     */
    auto_warmer_enabled?: boolean;
    /**
     * Maximum messages a minute; null is no limit.
     */
    send_rate?: number | null;
    /**
     * Values of the network's form, by the field's name, all as strings. Secret values are encrypted, and never shown again.
     */
    settings?: {
        [key: string]: string;
    };
};

/**
 * ChangeGroup
 *
 * The fields of a group to change; those not given stay.
 */
export type ChangeGroup = {
    /**
     * The group's name.
     */
    subject?: string;
    /**
     * The group's description; empty removes it.
     */
    description?: string;
};

/**
 * ChangeLabel
 *
 * The fields to change; those not given stay as they are.
 */
export type ChangeLabel = {
    /**
     * The new name.
     */
    name?: string;
    /**
     * The new color, as `#rrggbb`.
     */
    color?: string;
};

/**
 * ChangeResult
 *
 * An accepted change: it is queued, or was made at once because the message was waiting.
 */
export type ChangeResult = {
    success: boolean;
    message_id: string;
    /**
     * Events about the outcome of a queued change name it; null for a change that was made at once, which only the record shows.
     */
    change_id?: string | null;
    /**
     * `queued`, or `done` for a message that nothing had begun to send.
     */
    status: string;
    /**
     * The correlation id that every log line of this change carries.
     */
    run_id: string;
};

/**
 * ChangeSubscription
 *
 * The fields to change; those absent stay. `headers` replaces all of them; null removes them;
 * it also removes a filter and turns off batches.
 */
export type ChangeSubscription = {
    /**
     * An http or https URL without user name and password.
     */
    url?: string;
    /**
     * Event types, or the patterns `*`, `message.*`, `device.*`.
     */
    events?: Array<EventPattern>;
    /**
     * What it is for.
     */
    description?: string;
    enabled?: boolean;
    headers?: WebhookHeaders | null;
    filter?: SubscriptionFilter | null;
    batch?: BatchOptions | null;
};

/**
 * With one person or with a group. Known values: `individual`, `group`. More may be added.
 */
export type ChatType = string;

/**
 * CheckNumbers
 *
 * Phone numbers to look for on a chat network.
 */
export type CheckNumbers = {
    /**
     * Each as people write it, with its country code.
     */
    phone_numbers: Array<string>;
    /**
     * The account that asks; default: the organization's primary account.
     */
    chat_account_id?: string | null;
};

/**
 * CheckedNumber
 *
 * Whether a phone number is on the chat network.
 */
export type CheckedNumber = {
    /**
     * `+` and digits.
     */
    phone_number: string;
    exists: boolean;
    /**
     * Their address on the network.
     */
    jid?: string | null;
};

/**
 * CheckedNumbers
 *
 * The numbers in the order in which they were asked for, each once.
 */
export type CheckedNumbers = {
    contacts: Array<CheckedNumber>;
};

/**
 * Choice
 *
 * A choice: a button or a row of a list.
 */
export type Choice = {
    id: string;
    title: string;
};

/**
 * ChosenStatus
 *
 * The statuses of a conversation that a client can set and filter by.
 */
export type ChosenStatus = 'open' | 'pending' | 'snoozed' | 'closed';

/**
 * Contact
 *
 * A person known to the organization.
 */
export type Contact = {
    id: string;
    /**
     * `+` and digits when known, else null.
     */
    phone_number?: string | null;
    /**
     * The organization's name for the contact.
     */
    name?: string | null;
    /**
     * The name the contact uses on the chat network.
     */
    chat_name?: string | null;
    /**
     * The organization's name, else the network's.
     */
    display_name?: string | null;
    /**
     * The organization's own data about the contact.
     */
    attributes: ContactAttributes;
    labels: Array<Label>;
    addresses: Array<ContactAddress>;
    /**
     * A signed link to a stored picture, which works for one hour.
     */
    profile_picture_url?: string | null;
    created_at: string;
    updated_at: string;
};

/**
 * ContactAddress
 *
 * How a chat network identifies the person.
 */
export type ContactAddress = {
    network: string;
    jid: string;
};

/**
 * Your own data about the contact, by name.
 */
export type ContactAttributes = {
    [key: string]: string | number | number | boolean | null;
};

/**
 * ContactContent
 *
 * Somebody's card. If several came at once, `name`, `phones` and `vcard` contain them all.
 */
export type ContactContent = {
    type: 'contact';
    name: string;
    /**
     * As the network gave it (version 2.1, RFC 2426 or 6350): untrusted text.
     */
    vcard: string;
    /**
     * The phone numbers, each once: `+` and digits where that is clear, else as the card has it.
     */
    phones: Array<string>;
};

/**
 * ContactInput
 *
 * Somebody's card: their phone numbers, or a whole vCard.
 */
export type ContactInput = {
    type: 'contact';
    name: string;
    /**
     * Phone numbers.
     */
    phones?: Array<string> | null;
    /**
     * A vCard (RFC 2426 or 6350), instead of `phones`.
     */
    vcard?: string | null;
};

/**
 * ContactList
 *
 * One page of contacts, newest first. A page of a filtered list may be short, or empty, and
 * still have a `next_cursor`.
 */
export type ContactList = {
    contacts: Array<Contact>;
    /**
     * The `cursor` of the next page; null on the last one.
     */
    next_cursor: string | null;
};

/**
 * ContentButtonInput
 *
 * One quick-reply button.
 */
export type ContentButtonInput = {
    /**
     * Comes back when the button is pressed; one line, no blank at either end, unique within the message.
     */
    id: string;
    /**
     * The button's label: one line, not blank, unique within the message.
     */
    title: string;
};

/**
 * The content to send, distinguished by `type`.
 */
export type ContentInput = ({
    type: 'text';
} & TextInput) | ({
    type: 'buttons';
} & ButtonsInput) | ({
    type: 'list';
} & ListInput) | ({
    type: 'link_button';
} & LinkButtonInput) | ({
    type: 'image';
} & ImageInput) | ({
    type: 'video';
} & VideoInput) | ({
    type: 'audio';
} & AudioInput) | ({
    type: 'document';
} & DocumentInput) | ({
    type: 'sticker';
} & StickerInput) | ({
    type: 'location';
} & LocationInput) | ({
    type: 'location_request';
} & LocationRequestInput) | ({
    type: 'contact';
} & ContactInput) | ({
    type: 'poll';
} & PollInput);

/**
 * Conversation
 *
 * Everything said between one account and one person or group.
 */
export type Conversation = {
    id: string;
    /**
     * The connected account that owns the conversation.
     */
    chat_account_id: string;
    /**
     * The network's identifier of the person or group.
     */
    remote_jid: string;
    status: ConversationStatus;
    unread_count: number;
    created_at: string;
    updated_at: string;
    contact_id?: string | null;
    phone_number?: string | null;
    is_group?: boolean | null;
    group_subject?: string | null;
    assignee_user_id?: string | null;
    agent_paused?: boolean | null;
    subject?: string | null;
    last_message_preview?: string | null;
    last_message_at?: string | null;
    last_inbound_at?: string | null;
    last_outbound_at?: string | null;
    contact_name?: string | null;
    /**
     * The name the contact uses on the chat network.
     */
    contact_chat_name?: string | null;
    contact_profile_picture_url?: string | null;
    /**
     * The best name for people: the contact's name, else the one on the chat network.
     */
    display_name?: string | null;
    pinned?: boolean | null;
    chat_group_id?: string | null;
    /**
     * When a snoozed conversation reopens by itself; null: only when somebody writes.
     */
    snoozed_until?: string | null;
    labels?: Array<Label> | null;
};

/**
 * ConversationList
 *
 * One page of conversations. A page of a filtered list may be short, or empty, and still have a
 * `next_cursor`. `contact_profile_picture_url` is null here.
 */
export type ConversationList = {
    conversations: Array<Conversation>;
    /**
     * The `cursor` of the next page; null on the last one.
     */
    next_cursor: string | null;
};

/**
 * The status of a conversation. Known values: `open`, `pending`, `snoozed`, `closed`. More may be added.
 */
export type ConversationStatus = string;

/**
 * CreateApiKey
 *
 * A new key. It can't do more than the key that makes it.
 */
export type CreateApiKey = {
    /**
     * What it is for.
     */
    name: string;
    /**
     * Null: everything.
     */
    scopes?: Array<string> | null;
    /**
     * Null: it never expires.
     */
    expires_at?: string | null;
    /**
     * The only devices it may use. Null: all, including future ones.
     */
    chat_account_ids?: Array<string> | null;
};

/**
 * CreateDevice
 *
 * A device to connect.
 */
export type CreateDevice = {
    /**
     * The network's name.
     */
    network: string;
    /**
     * The name that people see.
     */
    name: string;
    /**
     * Its name in requests, unique in the organization; default: made from `name`.
     */
    session_name?: string | null;
    /**
     * Values of the network's form, by the field's name, all as strings. Secret values are encrypted, and never shown again.
     */
    settings?: {
        [key: string]: string;
    };
};

/**
 * CreateGroup
 *
 * A group to create on the chat network.
 */
export type CreateGroup = {
    /**
     * The connected account that creates the group.
     */
    chat_account_id: string;
    /**
     * The group's name.
     */
    subject: string;
    /**
     * Each is a phone number with its country code, as people write it (5 to 15 digits, `+` or `00` optional; spaces, dots, dashes, slashes and brackets are dropped), or a JID; a person named twice is added once.
     */
    participants: Array<string>;
};

/**
 * CreateLabel
 *
 * A label for conversations and contacts.
 */
export type CreateLabel = {
    /**
     * A name that no other label has, regardless of case and accents.
     */
    name: string;
    /**
     * Its color, as `#rrggbb`. Default: `"#6b7280"`.
     */
    color?: string;
};

/**
 * CreateSubscription
 *
 * The URL and the events to post to it.
 */
export type CreateSubscription = {
    /**
     * An http or https URL without user name and password.
     */
    url: string;
    /**
     * Event types, or the patterns `*`, `message.*`, `device.*`.
     */
    events: Array<EventPattern>;
    /**
     * What it is for. Default: `""`.
     */
    description?: string;
    /**
     * Whether to post at once. Default: `true`.
     */
    enabled?: boolean;
    headers?: WebhookHeaders | null;
    filter?: SubscriptionFilter | null;
    /**
     * Without it, each event has its own request.
     */
    batch?: BatchOptions | null;
};

/**
 * CreatedApiKey
 *
 * An API key with its new secret, which is shown only this once.
 */
export type CreatedApiKey = {
    id: string;
    /**
     * The public part of the key, by which the audit log names it.
     */
    key_id: string;
    name: string;
    /**
     * The first characters of the key.
     */
    display_prefix: string;
    created_at: string;
    updated_at: string;
    /**
     * The scopes of the key; null means all.
     */
    scopes?: Array<string> | null;
    /**
     * The only devices it may use; null is all of them.
     */
    chat_account_ids?: Array<string> | null;
    expires_at?: string | null;
    last_used_at?: string | null;
    /**
     * The address from which it was used last, as the gateway sees it.
     */
    last_used_address?: string | null;
    revoked_at?: string | null;
    /**
     * When each secret before the last rotation expires or has expired.
     */
    old_secrets_expire_at: Array<string>;
    /**
     * The whole key, to send as `Authorization: Bearer <key>`.
     */
    api_key: string;
};

/**
 * CreatedGroup
 *
 * The group and its conversation.
 */
export type CreatedGroup = {
    conversation_id: string;
    group_jid: string;
    subject: string;
};

/**
 * CreatedSubscription
 *
 * A webhook with its secret, which the API shows only now, and the dashboard later, too.
 */
export type CreatedSubscription = {
    id: string;
    url: string;
    description: string;
    /**
     * Types, and the patterns `*`, `message.*`, `device.*`.
     */
    events: Array<string>;
    enabled: boolean;
    disabled_reason?: string | null;
    disabled_at?: string | null;
    /**
     * The first failure after the last success.
     */
    failing_since?: string | null;
    /**
     * The names of its custom headers; their values are never shown.
     */
    header_names: Array<string>;
    /**
     * Null if it takes every event of its types.
     */
    filter?: SubscriptionFilterRecord | null;
    /**
     * Null if each event has its own request.
     */
    batch?: BatchRecord | null;
    /**
     * When each secret before the last rotation expires, the newest first.
     */
    old_secrets_expire_at: Array<string>;
    created_at: string;
    updated_at: string;
    /**
     * Signs every request: `whsec_` and 32 bytes in base64.
     */
    secret: string;
};

/**
 * Delivery
 *
 * The delivery of one event to one webhook.
 */
export type Delivery = {
    id: string;
    webhook_id: string;
    webhook_url: string;
    event_type: EventType;
    status: DeliveryStatus;
    retry_count: number;
    created_at: string;
    response_code?: number | null;
    error_message?: string | null;
    delivered_at?: string | null;
    /**
     * The `webhook-id` of its requests, unless it is in a batch.
     */
    event_id: string;
    attempt_count: number;
    next_attempt_at?: string | null;
    /**
     * The `webhook-id` of the batch that it is posted in; null outside of one.
     */
    delivery_batch_id?: string | null;
};

/**
 * DeliveryAttempt
 *
 * One POST and its outcome.
 */
export type DeliveryAttempt = {
    number: number;
    started_at: string;
    duration_ms: number;
    response_code?: number | null;
    /**
     * The first 1 KiB of the answer.
     */
    response_body?: string | null;
    error_message?: string | null;
    /**
     * The IP address of the connection.
     */
    address?: string | null;
};

/**
 * DeliveryDetails
 *
 * A delivery with its event and each of its attempts.
 */
export type DeliveryDetails = {
    id: string;
    webhook_id: string;
    webhook_url: string;
    event_type: EventType;
    status: DeliveryStatus;
    retry_count: number;
    created_at: string;
    response_code?: number | null;
    error_message?: string | null;
    delivered_at?: string | null;
    /**
     * The `webhook-id` of its requests, unless it is in a batch.
     */
    event_id: string;
    attempt_count: number;
    next_attempt_at?: string | null;
    /**
     * The `webhook-id` of the batch that it is posted in; null outside of one.
     */
    delivery_batch_id?: string | null;
    /**
     * `{type, timestamp, data}` as posted; null when it is no longer kept.
     */
    payload?: PostedEvent | null;
    attempts: Array<DeliveryAttempt>;
};

/**
 * DeliveryList
 *
 * One page of deliveries, newest first.
 */
export type DeliveryList = {
    deliveries: Array<Delivery>;
    /**
     * Send it as `cursor` for the next page; null on the last.
     */
    next_cursor?: string | null;
};

/**
 * The status of a delivery; `failed` is final. Known values: `pending`, `delivering`, `delivered`, `failed`, `canceled`. More may be added.
 */
export type DeliveryStatus = string;

/**
 * Device
 *
 * An account of the organization on a chat network.
 */
export type Device = {
    id: string;
    name: string;
    session_name: string;
    status: DeviceStatus;
    is_primary: boolean;
    message_logging_enabled: boolean;
    auto_warmer_enabled: boolean;
    total_messages_sent: number;
    total_messages_received: number;
    contacts_synced_count: number;
    created_at: string;
    updated_at: string;
    phone_number?: string | null;
    last_connected_at?: string | null;
    last_health_check_at?: string | null;
    last_contact_sync_at?: string | null;
    last_contact_sync_status?: string | null;
    /**
     * The name of the chat network, as in the list of networks.
     */
    network: string;
    restriction?: DeviceRestriction | null;
};

/**
 * DeviceDetails
 *
 * A device with its queue, its send rate and those of its settings that are not secret.
 */
export type DeviceDetails = {
    id: string;
    name: string;
    session_name: string;
    status: DeviceStatus;
    is_primary: boolean;
    message_logging_enabled: boolean;
    auto_warmer_enabled: boolean;
    total_messages_sent: number;
    total_messages_received: number;
    contacts_synced_count: number;
    created_at: string;
    updated_at: string;
    phone_number?: string | null;
    last_connected_at?: string | null;
    last_health_check_at?: string | null;
    last_contact_sync_at?: string | null;
    last_contact_sync_status?: string | null;
    /**
     * The name of the chat network, as in the list of networks.
     */
    network: string;
    restriction?: DeviceRestriction | null;
    /**
     * Number of waiting messages, including held ones; 10000 means at least that many.
     */
    queued_messages: number;
    /**
     * Number of messages that the restriction holds back; they go out when it ends.
     */
    held_messages: number;
    /**
     * Since when the device has had no connection; null while it is connected.
     */
    disconnected_since?: string | null;
    /**
     * Maximum messages a minute; null is no limit.
     */
    send_rate?: number | null;
    /**
     * Values of the network's form, by the field's name, without those that are secret.
     */
    settings: {
        [key: string]: string;
    };
};

/**
 * DeviceList
 *
 * One page of devices; `total` counts all that match the filter.
 */
export type DeviceList = {
    devices: Array<DeviceDetails>;
    total: number;
    limit: number;
    offset: number;
};

/**
 * DeviceRestriction
 *
 * A temporary restriction of a device by the chat network; messages it affects wait.
 */
export type DeviceRestriction = {
    /**
     * `new_conversations`: no messages to people without a conversation with the device.
     */
    kind: string;
    until: string;
    reason?: string | null;
};

/**
 * DeviceSort
 *
 * The fields by which devices can be sorted.
 */
export type DeviceSort = 'created_at' | 'updated_at' | 'name' | 'status' | 'last_connected_at';

/**
 * Whether a device can send. Known values: `pairing`, `connecting`, `connected`, `disconnected`, `logged_out`. More may be added.
 */
export type DeviceStatus = string;

/**
 * DocumentContent
 *
 * Any file.
 */
export type DocumentContent = {
    type: 'document';
    /**
     * A MIME type.
     */
    media_type: string;
    caption?: string | null;
    file_name?: string | null;
    /**
     * In bytes, as the sender stated it.
     */
    size?: number | null;
    /**
     * Its id in the gateway, if it was uploaded or fetched.
     */
    media_id?: string | null;
};

/**
 * DocumentInput
 *
 * Any file.
 */
export type DocumentInput = {
    /**
     * The id of an uploaded file.
     */
    media_id?: string | null;
    /**
     * Where to fetch the file, before the answer: `https`, at a public address, within 20 s.
     */
    url?: string | null;
    /**
     * The file's name for the recipient, under the same rules as for an upload; default: its own name.
     */
    file_name?: string | null;
    /**
     * A text below it.
     */
    caption?: string | null;
    type: 'document';
};

/**
 * EditMessageInput
 *
 * The new content of a message.
 */
export type EditMessageInput = {
    /**
     * Content of the same kind as the message; for a file, the caption as a `text`.
     */
    content: ContentInput;
};

/**
 * EventPage
 *
 * Events, oldest first, and where to continue.
 */
export type EventPage = {
    events: Array<LoggedEvent>;
    /**
     * Send it as `after` to continue, even if there were no events.
     */
    next_cursor: string;
};

/**
 * An event type, or a pattern of several.
 */
export type EventPattern = '*' | 'message.*' | 'device.*' | 'message.received' | 'message.sent' | 'message.delivered' | 'message.read' | 'message.failed' | 'message.canceled' | 'message.edited' | 'message.deleted' | 'message.reaction' | 'conversation.updated' | 'contact.updated' | 'contacts.synced' | 'device.pairing' | 'device.connected' | 'device.disconnected' | 'device.logged_out' | 'device.restricted' | 'device.unrestricted' | 'webhook.ping';

/**
 * The type of an event. Known values: `message.received`, `message.sent`, `message.delivered`, `message.read`, `message.failed`, `message.canceled`, `message.edited`, `message.deleted`, `message.reaction`, `conversation.updated`, `contact.updated`, `contacts.synced`, `device.pairing`, `device.connected`, `device.disconnected`, `device.logged_out`, `device.restricted`, `device.unrestricted`, `webhook.ping`. More may be added.
 */
export type EventType = string;

/**
 * FilteredChatType
 *
 * With one person or with a group.
 */
export type FilteredChatType = 'individual' | 'group';

/**
 * Group
 *
 * A group as the chat network shows it to the account.
 */
export type Group = {
    conversation_id: string;
    chat_account_id: string;
    group_jid: string;
    subject: string;
    description: string;
    owner_jid?: string | null;
    /**
     * ISO 8601; null if the network does not say.
     */
    created_at?: string | null;
    participants: Array<GroupParticipant>;
};

/**
 * GroupInviteLink
 *
 * The link through which people join a group.
 */
export type GroupInviteLink = {
    invite_link: string;
};

/**
 * GroupParticipant
 *
 * A participant of a group.
 */
export type GroupParticipant = {
    /**
     * Their address on the chat network.
     */
    jid: string;
    /**
     * `owner`, `admin` or `member`.
     */
    role: string;
    phone_number?: string | null;
    name?: string | null;
};

/**
 * HTTPValidationError
 */
export type HttpValidationError = {
    /**
     * Detail
     */
    detail?: Array<ValidationError>;
};

/**
 * ImageContent
 *
 * A picture.
 */
export type ImageContent = {
    type: 'image';
    /**
     * A MIME type.
     */
    media_type: string;
    caption?: string | null;
    file_name?: string | null;
    /**
     * In bytes, as the sender stated it.
     */
    size?: number | null;
    /**
     * Its id in the gateway, if it was uploaded or fetched.
     */
    media_id?: string | null;
};

/**
 * ImageInput
 *
 * A picture.
 */
export type ImageInput = {
    /**
     * The id of an uploaded file.
     */
    media_id?: string | null;
    /**
     * Where to fetch the file, before the answer: `https`, at a public address, within 20 s.
     */
    url?: string | null;
    /**
     * The file's name for the recipient, under the same rules as for an upload; default: its own name.
     */
    file_name?: string | null;
    /**
     * A text below it.
     */
    caption?: string | null;
    type: 'image';
};

/**
 * JoinGroup
 *
 * A group to join through its invite link.
 */
export type JoinGroup = {
    /**
     * The connected account's session name within the organization.
     */
    session_name: string;
    /**
     * The link in the network's own form.
     */
    invite_link: string;
};

/**
 * JoinedGroup
 *
 * The group that was joined.
 */
export type JoinedGroup = {
    success: boolean;
    jid: string;
    name: string;
    /**
     * The owner of the group; empty if the network does not say.
     */
    owner_jid: string;
    /**
     * When it was created, in ISO 8601; empty if the network does not say.
     */
    group_created: string;
};

/**
 * Label
 *
 * A label that people put on conversations and contacts.
 */
export type Label = {
    id: string;
    organization_id: string;
    name: string;
    color: string;
    created_at: string;
};

/**
 * LabelList
 *
 * A page of labels by name; `total` counts all of them.
 */
export type LabelList = {
    labels: Array<Label>;
    total: number;
    limit: number;
    offset: number;
};

/**
 * LeftGroup
 *
 * The account is no longer in the group. Its conversation stays.
 */
export type LeftGroup = {
    success: boolean;
};

/**
 * LinkButtonContent
 *
 * A text with a button that opens a page.
 */
export type LinkButtonContent = {
    type: 'link_button';
    body: string;
    /**
     * The button's label.
     */
    title: string;
    /**
     * The page's address.
     */
    url: string;
    header?: string | null;
    footer?: string | null;
};

/**
 * LinkButtonInput
 *
 * A text with a button that opens a page.
 */
export type LinkButtonInput = {
    type: 'link_button';
    /**
     * The text.
     */
    body: string;
    /**
     * The button's label: one line, not blank.
     */
    title: string;
    /**
     * The page's address: `https`.
     */
    url: string;
    /**
     * A line shown above the text.
     */
    header?: string | null;
    /**
     * A line shown below the text.
     */
    footer?: string | null;
};

/**
 * LinkPreview
 *
 * A page's description of itself.
 */
export type LinkPreview = {
    url: string;
    title: string;
    description: string;
};

/**
 * ListContent
 *
 * A text with a button that opens a list to choose one row from.
 */
export type ListContent = {
    type: 'list';
    body: string;
    /**
     * The title of the button that opens the list.
     */
    button: string;
    sections: Array<ListSection>;
    footer?: string | null;
};

/**
 * ListInput
 *
 * A text with a button that opens a list to choose one row from.
 */
export type ListInput = {
    type: 'list';
    /**
     * The text.
     */
    body: string;
    /**
     * The title of the button that opens the list.
     */
    button: string;
    /**
     * With at most 10 rows in all.
     */
    sections: Array<SectionInput>;
    /**
     * A line shown below the text.
     */
    footer?: string | null;
};

/**
 * ListReplyContent
 *
 * A row of a list that was chosen.
 */
export type ListReplyContent = {
    type: 'list_reply';
    id: string;
    title: string;
    description?: string | null;
};

/**
 * ListRow
 *
 * A row of a list.
 */
export type ListRow = {
    id: string;
    title: string;
    description?: string | null;
};

/**
 * ListSection
 *
 * Rows of a list that belong together.
 */
export type ListSection = {
    rows: Array<ListRow>;
    title?: string | null;
};

/**
 * LocationContent
 *
 * A place.
 */
export type LocationContent = {
    type: 'location';
    /**
     * Degrees north.
     */
    latitude: number;
    /**
     * Degrees east.
     */
    longitude: number;
    name?: string | null;
    address?: string | null;
};

/**
 * LocationInput
 *
 * A place.
 */
export type LocationInput = {
    type: 'location';
    /**
     * Degrees north.
     */
    latitude: number;
    /**
     * Degrees east.
     */
    longitude: number;
    name?: string | null;
    address?: string | null;
};

/**
 * LocationRequestContent
 *
 * A request for somebody's location, with a button that answers with a `location`.
 */
export type LocationRequestContent = {
    type: 'location_request';
    body: string;
};

/**
 * LocationRequestInput
 *
 * A request for somebody's location, with a button that answers with a `location`.
 */
export type LocationRequestInput = {
    type: 'location_request';
    /**
     * The text.
     */
    body: string;
};

/**
 * LoggedEvent
 *
 * An event: the body that is posted to webhooks, and its id. A `type` that is not listed here was added later: in TypeScript handle it in `default`, as the word `unknown` itself never occurs.
 */
export type LoggedEvent = ({
    type: 'message.received';
} & LoggedMessageReceivedEvent) | ({
    type: 'message.sent';
} & LoggedMessageSentEvent) | ({
    type: 'message.delivered';
} & LoggedMessageDeliveredEvent) | ({
    type: 'message.read';
} & LoggedMessageReadEvent) | ({
    type: 'message.failed';
} & LoggedMessageFailedEvent) | ({
    type: 'message.canceled';
} & LoggedMessageCanceledEvent) | ({
    type: 'message.edited';
} & LoggedMessageEditedEvent) | ({
    type: 'message.deleted';
} & LoggedMessageDeletedEvent) | ({
    type: 'message.reaction';
} & LoggedMessageReactionEvent) | ({
    type: 'conversation.updated';
} & LoggedConversationUpdatedEvent) | ({
    type: 'contact.updated';
} & LoggedContactUpdatedEvent) | ({
    type: 'contacts.synced';
} & LoggedContactsSyncedEvent) | ({
    type: 'device.pairing';
} & LoggedDevicePairingEvent) | ({
    type: 'device.connected';
} & LoggedDeviceConnectedEvent) | ({
    type: 'device.disconnected';
} & LoggedDeviceDisconnectedEvent) | ({
    type: 'device.logged_out';
} & LoggedDeviceLoggedOutEvent) | ({
    type: 'device.restricted';
} & LoggedDeviceRestrictedEvent) | ({
    type: 'device.unrestricted';
} & LoggedDeviceUnrestrictedEvent) | ({
    type: 'webhook.ping';
} & LoggedWebhookPingEvent) | ({
    type: 'unknown';
} & LoggedUnknownEvent);

/**
 * MediaFile
 *
 * A file as clients see it. `url` works for an hour; `sha256` is in hexadecimal digits.
 */
export type MediaFile = {
    id: string;
    media_type: string;
    size: number;
    sha256: string;
    file_name?: string | null;
    url: string;
    expires_at?: string | null;
    created_at: string;
    /**
     * `upload`, or `inbound` for a file that was sent to a device.
     */
    origin: string;
    /**
     * The device through which the file came in.
     */
    chat_account_id?: string | null;
};

/**
 * MediaList
 *
 * A page of files, newest first, and the size of all uploads of the organization.
 */
export type MediaList = {
    media: Array<MediaFile>;
    /**
     * The `cursor` of the next page; null on the last one.
     */
    next_cursor: string | null;
    /**
     * Bytes that the organization's uploads take.
     */
    stored_bytes: number;
    /**
     * `media_bytes` of the organization's plan; null is no limit.
     */
    stored_bytes_limit: number | null;
};

/**
 * Member
 *
 * A person of the organization, as clients see them.
 */
export type Member = {
    /**
     * What `assignee_user_id` of a conversation takes.
     */
    id: string;
    name: string;
    /**
     * `owner`, `admin`, `agent` or `viewer`.
     */
    role: string;
};

/**
 * MemberList
 *
 * A page of members by name; `total` counts all of them.
 */
export type MemberList = {
    members: Array<Member>;
    total: number;
    limit: number;
    offset: number;
};

/**
 * Message
 *
 * A message with its timeline.
 */
export type Message = {
    id: string;
    /**
     * `+` and digits when known, else the remote JID.
     */
    phone_number: string;
    /**
     * The message as text.
     */
    content: string;
    status: MessageStatus;
    direction: MessageDirection;
    retry_count: number;
    chat_account_id: string;
    created_at: string;
    updated_at: string;
    chat_type?: ChatType | null;
    group_jid?: string | null;
    group_name?: string | null;
    message_type?: MessageType | null;
    /**
     * A MIME type.
     */
    media_type?: string | null;
    media_url?: string | null;
    failure_reason?: string | null;
    /**
     * The message's id on the chat network.
     */
    chat_message_id?: string | null;
    variable_values?: VariableValues | null;
    contact_id?: string | null;
    contact_name?: string | null;
    campaign_id?: string | null;
    batch_id?: string | null;
    scheduled_for?: string | null;
    queued_at?: string | null;
    sent_at?: string | null;
    delivered_at?: string | null;
    read_at?: string | null;
    failed_at?: string | null;
    /**
     * The complete content of the message, by its kind: a chosen row with its id, a place with its coordinates, a card with its vCard. Null if the account keeps no contents.
     */
    typed_content?: TypedContent | null;
    /**
     * In a group, the author; null for the account's own messages.
     */
    sender?: MessageSender | null;
    /**
     * Null for a message to somebody with whom the account had no conversation, until the network has named the recipient.
     */
    conversation_id?: string | null;
    /**
     * The id of the message that it answers, if that is known.
     */
    reply_to_message_id?: string | null;
    /**
     * Null for received messages.
     */
    sent_by?: MessageSentBy | null;
    /**
     * As returned by the send.
     */
    run_id?: string | null;
    /**
     * As given in the send.
     */
    metadata?: Metadata | null;
    expires_at?: string | null;
    edited_at?: string | null;
    /**
     * When it was deleted for everyone.
     */
    deleted_at?: string | null;
    reactions?: Array<MessageReaction>;
    /**
     * The advertisement that led to the message, or the status that it answers.
     */
    referral?: MessageReferral | null;
};

/**
 * MessageDelivery
 *
 * The delivery of one event of the message to one webhook, with each attempt.
 */
export type MessageDelivery = {
    id: string;
    event_id: string;
    event_type: EventType;
    webhook_id: string;
    webhook_url: string;
    status: DeliveryStatus;
    created_at: string;
    delivered_at?: string | null;
    next_attempt_at?: string | null;
    attempts: Array<MessageDeliveryAttempt>;
};

/**
 * MessageDeliveryAttempt
 *
 * One POST and its answer.
 */
export type MessageDeliveryAttempt = {
    number: number;
    started_at: string;
    duration_ms: number;
    response_code?: number | null;
    /**
     * The first 1 KiB of the answer.
     */
    response_body?: string | null;
    error_message?: string | null;
    /**
     * The IP address of the connection.
     */
    address?: string | null;
};

/**
 * The direction of a message: to you or from you. Known values: `inbound`, `outbound`. More may be added.
 */
export type MessageDirection = string;

/**
 * MessageEvent
 *
 * An event that the message made.
 */
export type MessageEvent = {
    /**
     * The `webhook-id` of the requests that report it.
     */
    id: string;
    type: EventType;
    created_at: string;
};

/**
 * MessageHistory
 *
 * The history of a message, as far as it is kept.
 */
export type MessageHistory = {
    message: Message;
    /**
     * An explanation in sentences for people, the most important first.
     */
    explanation: Array<string>;
    /**
     * In the order in which they were reached. Of more than 20 failed attempts, the first and the newest are listed.
     */
    steps: Array<MessageStep>;
    network_attempts: NetworkAttempts;
    /**
     * Oldest first.
     */
    events: Array<MessageEvent>;
    /**
     * The last 20, oldest first; for a key that is limited to some devices those to webhooks that it sees. Null without the scope `webhooks:read`.
     */
    deliveries?: Array<MessageDelivery> | null;
};

/**
 * MessageList
 *
 * One page of messages, newest first.
 */
export type MessageList = {
    messages: Array<Message>;
    /**
     * The `cursor` of the next page; null on the last one. A page may hold fewer than `limit`, even none, and still have a next one.
     */
    next_cursor?: string | null;
};

/**
 * MessageReaction
 *
 * Somebody's reaction to the message.
 */
export type MessageReaction = {
    emoji: string;
    /**
     * Their address on the chat network; null for the account.
     */
    jid?: string | null;
    at: string;
};

/**
 * MessageReferral
 *
 * The advertisement or post that led somebody to write, as far as it is known.
 */
export type MessageReferral = {
    /**
     * The advertisement's id.
     */
    source_id?: string | null;
    /**
     * Such as `ad` or `post`.
     */
    source_type?: string | null;
    source_url?: string | null;
    headline?: string | null;
    body?: string | null;
    /**
     * The id of the click, for reporting conversions to Meta.
     */
    ctwa_clid?: string | null;
};

/**
 * MessageSender
 *
 * The author of a message in a group, as far as known.
 */
export type MessageSender = {
    contact_id?: string | null;
    /**
     * Their address on the chat network.
     */
    jid?: string | null;
    phone_number?: string | null;
    name?: string | null;
};

/**
 * MessageSentBy
 *
 * The sender of an outbound message: a key, a person, an agent or the owner's phone.
 */
export type MessageSentBy = {
    /**
     * `api_key`, `user`, `agent` (an AI tool) or `phone`.
     */
    kind: string;
    /**
     * The key's public id, or the person's.
     */
    id?: string | null;
    name?: string | null;
};

/**
 * MessageStatistics
 *
 * Message counts, which deleting old messages does not lower. Statuses without messages are
 * absent.
 */
export type MessageStatistics = {
    total: number;
    by_status: {
        [key: string]: number;
    };
    by_direction: {
        [key: string]: number;
    };
    outbound_by_status: {
        [key: string]: number;
    };
    /**
     * The last 7 UTC days, today included.
     */
    last_7_days: number;
    /**
     * The last 30 UTC days, today included.
     */
    last_30_days: number;
};

/**
 * The status of a message; an inbound one is `received` or `read`. Known values: `scheduled`, `queued`, `sending`, `sent`, `delivered`, `read`, `failed`, `canceled`, `received`. More may be added.
 */
export type MessageStatus = string;

/**
 * MessageStep
 *
 * A status that the message has reached, or a failed attempt to send it.
 */
export type MessageStep = {
    /**
     * `sending` for a failed attempt.
     */
    status: MessageStatus;
    at: string;
    /**
     * Why the message or the attempt failed, in words.
     */
    reason?: string | null;
};

/**
 * The kind of a message's content. Known values: `text`, `buttons`, `button_reply`, `list`, `list_reply`, `poll`, `poll_vote`, `link_button`, `image`, `video`, `audio`, `document`, `sticker`, `location`, `location_request`, `contact`, `order`, `system`, `reaction`. More may be added.
 */
export type MessageType = string;

/**
 * Values of your own, for records and webhooks: at most 16 keys of 40 characters, values of 500.
 */
export type Metadata = {
    [key: string]: string;
};

/**
 * Network
 *
 * A chat network that a device can be connected to.
 */
export type Network = {
    name: string;
    /**
     * The name of the network for people.
     */
    title: string;
    capabilities: NetworkCapabilities;
    limits: NetworkLimits;
    form: Array<NetworkFormField>;
};

/**
 * NetworkAttempts
 *
 * The attempts to hand the message to the chat network.
 */
export type NetworkAttempts = {
    /**
     * The number of attempts that failed temporarily.
     */
    failed: number;
    /**
     * Why the last attempt failed; null once the message is sent.
     */
    last_error?: string | null;
    /**
     * The earliest time of the next attempt; null if none is planned.
     */
    next_attempt_at?: string | null;
};

/**
 * NetworkCapabilities
 *
 * The capabilities of a chat network.
 */
export type NetworkCapabilities = {
    /**
     * The kinds of messages that can be sent.
     */
    content: Array<string>;
    /**
     * The changes that a sent message allows, of `edited`, `deleted` and `reaction`.
     */
    changes: Array<string>;
    /**
     * Whether a message can quote another one.
     */
    replies: boolean;
    /**
     * Whether a text can mention people.
     */
    mentions: boolean;
    create_group: boolean;
    join_group: boolean;
    /**
     * Whether groups can be read, changed and left, and people added and removed.
     */
    manage_groups: boolean;
    /**
     * Whether an account's contacts can be synchronized.
     */
    contacts: boolean;
    /**
     * Whether phone numbers can be looked up on the network.
     */
    number_checks: boolean;
    /**
     * Whether profile pictures can be fetched.
     */
    pictures: boolean;
    /**
     * Whether a typing indicator can be shown.
     */
    typing: boolean;
    /**
     * Whether the network sends read receipts.
     */
    read_marks: boolean;
    /**
     * Whether the network shows a message that was sent twice only once.
     */
    deduplicates_by_id: boolean;
    /**
     * The ways to pair a device with a phone; empty if it connects without pairing.
     */
    pairing_methods: Array<string>;
    /**
     * Whether the network is simulated, with virtual people.
     */
    simulator: boolean;
};

/**
 * NetworkFormField
 *
 * One field of the form that connects a device; its value is a string, whatever its kind.
 */
export type NetworkFormField = {
    /**
     * The member of `settings`.
     */
    name: string;
    label: string;
    /**
     * `text`, `password`, `number`, `integer`, `boolean` or `phone_number`. A number is written as one, an integer without a point, a boolean as `true` or `false`, a phone number as people write it; it is kept as `+` and digits.
     */
    kind: string;
    required: boolean;
    /**
     * Whether the value is encrypted, and never shown again.
     */
    secret: boolean;
    default?: string | null;
    help: string;
    /**
     * The least number; null is no bound.
     */
    minimum?: number | null;
    /**
     * The largest number; null is no bound.
     */
    maximum?: number | null;
};

/**
 * NetworkLimits
 *
 * The limits of a network.
 */
export type NetworkLimits = {
    /**
     * The largest number of participants of a new group.
     */
    max_participants: number;
    /**
     * The largest file; the plan may allow less.
     */
    max_file_bytes: number;
    /**
     * How long after sending a message can be edited; null is no limit.
     */
    edit_seconds?: number | null;
    /**
     * How long after sending a message can be deleted; null is no limit.
     */
    delete_seconds?: number | null;
    /**
     * Messages a minute of a new device; null is no limit.
     */
    send_rate?: number | null;
};

/**
 * NetworkList
 *
 * Every network that is installed here.
 */
export type NetworkList = {
    networks: Array<Network>;
};

/**
 * Note
 *
 * A note for colleagues about a conversation; its contact never sees it.
 */
export type Note = {
    id: string;
    conversation_id: string;
    body: string;
    author: Author;
    created_at: string;
};

/**
 * NoteList
 *
 * One page of notes, newest first.
 */
export type NoteList = {
    notes: Array<Note>;
    /**
     * The `cursor` of the next page; null on the last one.
     */
    next_cursor: string | null;
};

/**
 * OrderContent
 *
 * A customer's order.
 */
export type OrderContent = {
    type: 'order';
    order_id: string;
    /**
     * The customer's note.
     */
    text?: string | null;
    title?: string | null;
    item_count?: number | null;
    /**
     * A decimal number, such as `25.00`.
     */
    total?: string | null;
    /**
     * The currency of all prices (ISO 4217).
     */
    currency?: string | null;
    /**
     * Empty if the network gives only the number of items.
     */
    items: Array<OrderedItem>;
};

/**
 * OrderedItem
 *
 * A product of an order.
 */
export type OrderedItem = {
    product_id: string;
    title?: string | null;
    quantity: number;
    /**
     * The price of one item, as a decimal number.
     */
    price?: string | null;
};

/**
 * PairDevice
 *
 * The method of pairing a device.
 */
export type PairDevice = {
    /**
     * `qr`: scan a QR code. `code`: type a code on the phone.
     */
    method: 'qr' | 'code';
    /**
     * The number of the phone on which the code is typed; default: the one given before.
     */
    phone_number?: string | null;
};

/**
 * Pairing
 *
 * What a person must do to pair a device: scan a QR code, or type a code on the phone.
 */
export type Pairing = {
    chat_account_id: string;
    status: DeviceStatus;
    /**
     * What `payload` is, `qr` or `code`; null while there is nothing to show.
     */
    kind?: string | null;
    /**
     * The text of the QR code, or the code to type.
     */
    payload?: string | null;
    /**
     * When another one replaces it.
     */
    expires_at?: string | null;
    /**
     * Why the device is in this state, for a person.
     */
    reason?: string | null;
};

/**
 * The whole picture or its thumbnail. Known values: `image`, `preview`. More may be added.
 */
export type PictureType = string;

/**
 * PingSent
 *
 * The delivery of the ping; read it to see the endpoint's answer.
 */
export type PingSent = {
    delivery_id: string;
};

/**
 * PollContent
 *
 * A question with answers to choose from.
 */
export type PollContent = {
    type: 'poll';
    question: string;
    options: Array<string>;
    /**
     * Maximum number of choices per person.
     */
    max_choices: number;
};

/**
 * PollInput
 *
 * A question with two to twelve answers.
 */
export type PollInput = {
    type: 'poll';
    /**
     * The question.
     */
    question: string;
    /**
     * The answers, all different.
     */
    options: Array<string>;
    /**
     * Maximum number of choices per person. Default: `1`.
     */
    max_choices?: number;
};

/**
 * PollVoteContent
 *
 * Somebody's choice in a poll. A later vote replaces it.
 */
export type PollVoteContent = {
    type: 'poll_vote';
    /**
     * All current choices; empty if the vote was withdrawn.
     */
    options: Array<string>;
};

/**
 * PostedEvent
 *
 * The body of a webhook's request about one event, of whatever type. A `type` that is not listed here was added later: in TypeScript handle it in `default`, as the word `unknown` itself never occurs.
 */
export type PostedEvent = ({
    type: 'message.received';
} & MessageReceivedEvent) | ({
    type: 'message.sent';
} & MessageSentEvent) | ({
    type: 'message.delivered';
} & MessageDeliveredEvent) | ({
    type: 'message.read';
} & MessageReadEvent) | ({
    type: 'message.failed';
} & MessageFailedEvent) | ({
    type: 'message.canceled';
} & MessageCanceledEvent) | ({
    type: 'message.edited';
} & MessageEditedEvent) | ({
    type: 'message.deleted';
} & MessageDeletedEvent) | ({
    type: 'message.reaction';
} & MessageReactionEvent) | ({
    type: 'conversation.updated';
} & ConversationUpdatedEvent) | ({
    type: 'contact.updated';
} & ContactUpdatedEvent) | ({
    type: 'contacts.synced';
} & ContactsSyncedEvent) | ({
    type: 'device.pairing';
} & DevicePairingEvent) | ({
    type: 'device.connected';
} & DeviceConnectedEvent) | ({
    type: 'device.disconnected';
} & DeviceDisconnectedEvent) | ({
    type: 'device.logged_out';
} & DeviceLoggedOutEvent) | ({
    type: 'device.restricted';
} & DeviceRestrictedEvent) | ({
    type: 'device.unrestricted';
} & DeviceUnrestrictedEvent) | ({
    type: 'webhook.ping';
} & WebhookPingEvent) | ({
    type: 'unknown';
} & UnknownEvent);

/**
 * ProfilePicture
 *
 * A contact's profile picture, from object storage or the chat network.
 */
export type ProfilePicture = {
    contact_id: string;
    /**
     * `+` and digits when known, else null.
     */
    phone_number?: string | null;
    /**
     * A signed link that works for one hour.
     */
    url: string;
    /**
     * True when this is the thumbnail.
     */
    preview: boolean;
    chat_account_id: string;
    picture_id: string;
    picture_type: PictureType;
    /**
     * True when it came from object storage.
     */
    cached?: boolean;
};

/**
 * ReactionInput
 *
 * A reaction to a message.
 */
export type ReactionInput = {
    /**
     * One emoji, such as 👍. It replaces an earlier one.
     */
    emoji: string;
};

/**
 * RefusedParticipant
 *
 * A person who was not added.
 */
export type RefusedParticipant = {
    jid: string;
    /**
     * The reason in the chat network's own words.
     */
    reason: string;
};

/**
 * ReplayEvents
 *
 * Which events to post again.
 */
export type ReplayEvents = {
    /**
     * Events from that time on.
     */
    since: string;
    /**
     * Events before that time.
     */
    until: string;
    /**
     * Only events whose delivery to this webhook was made in that time and has this status. Without it, all events of that time that the webhook takes.
     */
    status?: ReplayStatus | null;
    /**
     * The `next_cursor` of the previous call.
     */
    cursor?: string | null;
};

/**
 * ReplayProgress
 *
 * The result of one call.
 */
export type ReplayProgress = {
    /**
     * The number of deliveries that this call created.
     */
    queued: number;
    /**
     * Send it as `cursor` to go on; null when the range is done.
     */
    next_cursor?: string | null;
};

/**
 * ReplayStatus
 *
 * The status of deliveries to repeat.
 */
export type ReplayStatus = 'failed' | 'canceled' | 'delivered';

/**
 * RotateApiKey
 *
 * When the replaced secret expires.
 */
export type RotateApiKey = {
    /**
     * How long the old secret stays valid. Default: `86400`.
     */
    grace_seconds?: number;
};

/**
 * RotateSecret
 *
 * How long the replaced secret continues to sign.
 */
export type RotateSecret = {
    /**
     * How long requests also carry the old secret's signature. Default: `86400`.
     */
    grace_seconds?: number;
};

/**
 * RowInput
 *
 * A row of a list.
 */
export type RowInput = {
    /**
     * Comes back when the row is chosen; unique within the message.
     */
    id: string;
    /**
     * The row's label, unique within the message.
     */
    title: string;
    /**
     * A line below the title.
     */
    description?: string | null;
};

/**
 * SectionInput
 *
 * Rows of a list that belong together.
 */
export type SectionInput = {
    /**
     * Needed where there are several sections.
     */
    title?: string | null;
    rows: Array<RowInput>;
};

/**
 * SendButtons
 *
 * A text with one to three quick-reply buttons.
 */
export type SendButtons = {
    /**
     * The recipient: a phone number with its country code, as people write it (5 to 15 digits, `+` or `00` optional; spaces, dots, dashes, slashes and brackets are dropped), or a JID.
     */
    phone_number: string;
    /**
     * The text.
     */
    body: string;
    /**
     * Their ids and their titles must be unique within the message.
     */
    buttons: Array<ButtonInput>;
    /**
     * A line shown below the buttons.
     */
    footer?: string | null;
    /**
     * The account that sends; default: the organization's primary account.
     */
    chat_account_id?: string | null;
};

/**
 * SendMessageInput
 *
 * A message to exactly one of `phone_number`, `conversation_id` and `contact_id`.
 */
export type SendMessageInput = {
    /**
     * The recipient: a phone number with its country code, as people write it (5 to 15 digits, `+` or `00` optional; spaces, dots, dashes, slashes and brackets are dropped), or a JID.
     */
    phone_number?: string | null;
    /**
     * The conversation to write in, through its own account.
     */
    conversation_id?: string | null;
    /**
     * The contact to write to.
     */
    contact_id?: string | null;
    /**
     * The account that sends; default: the conversation's, else the organization's primary account.
     */
    chat_account_id?: string | null;
    /**
     * The content of the message, distinguished by `type`.
     */
    content: ContentInput;
    /**
     * A message of the same conversation that this one answers.
     */
    reply_to_message_id?: string | null;
    /**
     * When to send it, at most 366 days ahead; default: now.
     */
    scheduled_for?: string | null;
    /**
     * A message not sent by then fails, with the reason `expired`.
     */
    expires_at?: string | null;
    /**
     * `text`: if the network lacks this kind, send it as a text. Choices are numbered, and an answer comes back as if it had been chosen.
     */
    fallback?: 'text' | null;
    /**
     * Values of your own, for records and webhooks.
     */
    metadata?: Metadata | null;
};

/**
 * SendResult
 *
 * An accepted message: it is stored and will be sent.
 */
export type SendResult = {
    success: boolean;
    message_id: string;
    status: MessageStatus;
    /**
     * The correlation id that every log line and webhook of this send carries.
     */
    run_id: string;
};

/**
 * ShowTyping
 *
 * Whether to show that somebody is typing.
 */
export type ShowTyping = {
    /**
     * False withdraws the indicator. Default: `true`.
     */
    is_typing?: boolean;
};

/**
 * SortOrder
 *
 * The order: ascending or descending.
 */
export type SortOrder = 'asc' | 'desc';

/**
 * StickerContent
 *
 * A sticker: a small picture without a frame.
 */
export type StickerContent = {
    type: 'sticker';
    /**
     * A MIME type.
     */
    media_type: string;
    caption?: string | null;
    file_name?: string | null;
    /**
     * In bytes, as the sender stated it.
     */
    size?: number | null;
    /**
     * Its id in the gateway, if it was uploaded or fetched.
     */
    media_id?: string | null;
};

/**
 * StickerInput
 *
 * A sticker: a small picture without a frame.
 */
export type StickerInput = {
    /**
     * The id of an uploaded file.
     */
    media_id?: string | null;
    /**
     * Where to fetch the file, before the answer: `https`, at a public address, within 20 s.
     */
    url?: string | null;
    /**
     * The file's name for the recipient, under the same rules as for an upload; default: its own name.
     */
    file_name?: string | null;
    type: 'sticker';
};

/**
 * Subscription
 *
 * A URL to which events are posted.
 */
export type Subscription = {
    id: string;
    url: string;
    description: string;
    /**
     * Types, and the patterns `*`, `message.*`, `device.*`.
     */
    events: Array<string>;
    enabled: boolean;
    disabled_reason?: string | null;
    disabled_at?: string | null;
    /**
     * The first failure after the last success.
     */
    failing_since?: string | null;
    /**
     * The names of its custom headers; their values are never shown.
     */
    header_names: Array<string>;
    /**
     * Null if it takes every event of its types.
     */
    filter?: SubscriptionFilterRecord | null;
    /**
     * Null if each event has its own request.
     */
    batch?: BatchRecord | null;
    /**
     * When each secret before the last rotation expires, the newest first.
     */
    old_secrets_expire_at: Array<string>;
    created_at: string;
    updated_at: string;
};

/**
 * SubscriptionFilter
 *
 * A filter on the events of the subscribed types.
 */
export type SubscriptionFilter = {
    /**
     * Only events of these accounts; null for any that the key may use.
     */
    chat_account_ids?: Array<string> | null;
    /**
     * Only messages of this kind of chat. Other events are not filtered.
     */
    chat_type?: FilteredChatType | null;
};

/**
 * SubscriptionFilterRecord
 *
 * A webhook's filter on the events of its types.
 */
export type SubscriptionFilterRecord = {
    /**
     * Only events of these accounts; null for any.
     */
    chat_account_ids?: Array<string> | null;
    /**
     * Only messages of this kind of chat: `individual` or `group`; null for both.
     */
    chat_type?: ChatType | null;
};

/**
 * SubscriptionList
 *
 * One page of webhooks, oldest first, and their total number.
 */
export type SubscriptionList = {
    subscriptions: Array<Subscription>;
    total: number;
    limit: number;
    offset: number;
};

/**
 * SyncContacts
 *
 * The account whose contacts to fetch.
 */
export type SyncContacts = {
    /**
     * The connected account to synchronize.
     */
    chat_account_id: string;
};

/**
 * SyncStarted
 *
 * The job that reads the contacts: a new one, or the one that is running already.
 */
export type SyncStarted = {
    success: boolean;
    message: string;
    job_id: string;
    status: SyncStatus;
};

/**
 * SyncState
 *
 * The progress and outcome of a contact synchronization.
 */
export type SyncState = {
    job_id: string;
    chat_account_id: string;
    status: SyncStatus;
    /**
     * Number of contacts read; null until it is completed.
     */
    contacts?: number | null;
    /**
     * Why it failed, as a sentence for people.
     */
    error?: string | null;
    created_at: string;
    started_at?: string | null;
    finished_at?: string | null;
};

/**
 * The status of a contact synchronization. Known values: `pending`, `running`, `completed`, `failed`. More may be added.
 */
export type SyncStatus = string;

/**
 * SystemContent
 *
 * A message that the gateway can't read: it has to be opened on the phone.
 */
export type SystemContent = {
    type: 'system';
    /**
     * The network's name for its kind.
     */
    kind: string;
    /**
     * What the gateway knows of it, as a sentence.
     */
    body: string;
};

/**
 * TextContent
 *
 * A plain text.
 */
export type TextContent = {
    type: 'text';
    body: string;
    /**
     * The network's identifiers of the people mentioned in the text.
     */
    mentions?: Array<string> | null;
    preview?: LinkPreview | null;
};

/**
 * TextInput
 *
 * A plain text.
 */
export type TextInput = {
    type: 'text';
    /**
     * The text.
     */
    body: string;
    /**
     * Show a preview of the first link in the text. It is fetched before the request is answered, and only from public addresses. Default: `false`.
     */
    preview_url?: boolean;
    /**
     * The people mentioned in the text, each there as `@` and the digits of their number: phone numbers or JIDs. Default: `[]`.
     */
    mentions?: Array<string>;
};

/**
 * TypedContent
 *
 * The content of a message, distinguished by `type`. A `type` that is not listed here was added later: in TypeScript handle it in `default`, as the word `unknown` itself never occurs.
 */
export type TypedContent = ({
    type: 'text';
} & TextContent) | ({
    type: 'buttons';
} & ButtonsContent) | ({
    type: 'button_reply';
} & ButtonReplyContent) | ({
    type: 'list';
} & ListContent) | ({
    type: 'list_reply';
} & ListReplyContent) | ({
    type: 'poll';
} & PollContent) | ({
    type: 'poll_vote';
} & PollVoteContent) | ({
    type: 'link_button';
} & LinkButtonContent) | ({
    type: 'image';
} & ImageContent) | ({
    type: 'video';
} & VideoContent) | ({
    type: 'audio';
} & AudioContent) | ({
    type: 'document';
} & DocumentContent) | ({
    type: 'sticker';
} & StickerContent) | ({
    type: 'location';
} & LocationContent) | ({
    type: 'location_request';
} & LocationRequestContent) | ({
    type: 'contact';
} & ContactContent) | ({
    type: 'order';
} & OrderContent) | ({
    type: 'system';
} & SystemContent) | ({
    type: 'unknown';
} & UnknownContent);

/**
 * TypingShown
 *
 * The network was notified.
 */
export type TypingShown = {
    success: boolean;
};

/**
 * ValidationError
 */
export type ValidationError = {
    /**
     * Location
     */
    loc: Array<string | number>;
    /**
     * Message
     */
    msg: string;
    /**
     * Error Type
     */
    type: string;
    /**
     * Input
     */
    input?: unknown;
    /**
     * Context
     */
    ctx?: {
        [key: string]: unknown;
    };
};

/**
 * By the names of a template.
 */
export type VariableValues = {
    [key: string]: unknown;
};

/**
 * VideoContent
 *
 * A video.
 */
export type VideoContent = {
    type: 'video';
    /**
     * A MIME type.
     */
    media_type: string;
    caption?: string | null;
    file_name?: string | null;
    /**
     * In bytes, as the sender stated it.
     */
    size?: number | null;
    /**
     * Its id in the gateway, if it was uploaded or fetched.
     */
    media_id?: string | null;
};

/**
 * VideoInput
 *
 * A video.
 */
export type VideoInput = {
    /**
     * The id of an uploaded file.
     */
    media_id?: string | null;
    /**
     * Where to fetch the file, before the answer: `https`, at a public address, within 20 s.
     */
    url?: string | null;
    /**
     * The file's name for the recipient, under the same rules as for an upload; default: its own name.
     */
    file_name?: string | null;
    /**
     * A text below it.
     */
    caption?: string | null;
    type: 'video';
};

/**
 * WebhookEvent
 *
 * One delivery of one event to one webhook.
 */
export type WebhookEvent = {
    id: string;
    webhook_id: string;
    webhook_url: string;
    event_type: EventType;
    status: DeliveryStatus;
    retry_count: number;
    created_at: string;
    response_code?: number | null;
    error_message?: string | null;
    delivered_at?: string | null;
};

/**
 * WebhookEventList
 *
 * One page of deliveries, newest first, and the number that can be listed.
 */
export type WebhookEventList = {
    events: Array<WebhookEvent>;
    total: number;
};

/**
 * Your own headers, sent with each attempt and never shown again. Not `Host`, `User-Agent`, `Connection`, `Keep-Alive`, `TE`, `Trailer`, `Transfer-Encoding`, `Upgrade`, `HTTP2-Settings`, `Expect`, `Accept-Encoding`, `Via` or `Forwarded`, and none that begins with `Content-`, `Proxy-` or `webhook-`.
 */
export type WebhookHeaders = {
    [key: string]: string;
};

/**
 * WriteNote
 *
 * A note for colleagues.
 */
export type WriteNote = {
    /**
     * The text.
     */
    body: string;
};

/**
 * ChangedMessage
 *
 * A message that somebody edited, deleted or reacted to, as it is now.
 */
export type ChangedMessage = {
    id: string;
    /**
     * `+` and digits when known, else the remote JID.
     */
    phone_number: string;
    /**
     * The message as text.
     */
    content: string;
    status: MessageStatus;
    direction: MessageDirection;
    retry_count: number;
    chat_account_id: string;
    created_at: string;
    updated_at: string;
    chat_type?: ChatType | null;
    group_jid?: string | null;
    group_name?: string | null;
    message_type?: MessageType | null;
    /**
     * A MIME type.
     */
    media_type?: string | null;
    media_url?: string | null;
    failure_reason?: string | null;
    /**
     * The message's id on the chat network.
     */
    chat_message_id?: string | null;
    variable_values?: VariableValues | null;
    contact_id?: string | null;
    contact_name?: string | null;
    campaign_id?: string | null;
    batch_id?: string | null;
    scheduled_for?: string | null;
    queued_at?: string | null;
    sent_at?: string | null;
    delivered_at?: string | null;
    read_at?: string | null;
    failed_at?: string | null;
    /**
     * The complete content of the message, by its kind: a chosen row with its id, a place with its coordinates, a card with its vCard. Null if the account keeps no contents.
     */
    typed_content?: TypedContent | null;
    /**
     * In a group, the author; null for the account's own messages.
     */
    sender?: MessageSender | null;
    /**
     * Null for a message to somebody with whom the account had no conversation, until the network has named the recipient.
     */
    conversation_id?: string | null;
    /**
     * The id of the message that it answers, if that is known.
     */
    reply_to_message_id?: string | null;
    /**
     * Null for received messages.
     */
    sent_by?: MessageSentBy | null;
    /**
     * As returned by the send.
     */
    run_id?: string | null;
    /**
     * As given in the send.
     */
    metadata?: Metadata | null;
    expires_at?: string | null;
    edited_at?: string | null;
    /**
     * When it was deleted for everyone.
     */
    deleted_at?: string | null;
    reactions?: Array<MessageReaction>;
    /**
     * The advertisement that led to the message, or the status that it answers.
     */
    referral?: MessageReferral | null;
    /**
     * The id of a change that you requested, as its request returned it.
     */
    change_id?: string | null;
    /**
     * The network's identifier of the person; null for the account itself.
     */
    changed_by?: string | null;
    changed_at: string;
    /**
     * The reaction; null or empty if it was removed.
     */
    emoji?: string | null;
};

/**
 * ContactUpdatedEvent
 *
 * Somebody changed a contact, or the network reported another name or number.
 */
export type ContactUpdatedEvent = {
    type: 'contact.updated';
    /**
     * When the gateway recorded it.
     */
    timestamp: string;
    data: UpdatedContact;
};

/**
 * ContactsSyncedEvent
 *
 * A contact synchronization has ended.
 */
export type ContactsSyncedEvent = {
    type: 'contacts.synced';
    /**
     * When the gateway recorded it.
     */
    timestamp: string;
    data: SyncState;
};

/**
 * ConversationUpdatedEvent
 *
 * Somebody changed a conversation, its group's subject or one of its labels, or its snooze has ended.
 */
export type ConversationUpdatedEvent = {
    type: 'conversation.updated';
    /**
     * When the gateway recorded it.
     */
    timestamp: string;
    data: UpdatedConversation;
};

/**
 * DeviceConnectedEvent
 *
 * The account is connected: queued messages go out now.
 */
export type DeviceConnectedEvent = {
    type: 'device.connected';
    /**
     * When the gateway recorded it.
     */
    timestamp: string;
    data: ReportedDevice;
};

/**
 * DeviceDisconnectedEvent
 *
 * The connection is lost.
 */
export type DeviceDisconnectedEvent = {
    type: 'device.disconnected';
    /**
     * When the gateway recorded it.
     */
    timestamp: string;
    data: ReportedDevice;
};

/**
 * DeviceLoggedOutEvent
 *
 * The network has ended the registration (logged out, banned, replaced).
 */
export type DeviceLoggedOutEvent = {
    type: 'device.logged_out';
    /**
     * When the gateway recorded it.
     */
    timestamp: string;
    data: ReportedDevice;
};

/**
 * DevicePairingEvent
 *
 * The account waits for somebody to pair it (a QR code, a code).
 */
export type DevicePairingEvent = {
    type: 'device.pairing';
    /**
     * When the gateway recorded it.
     */
    timestamp: string;
    data: ReportedDevice;
};

/**
 * DeviceRestrictedEvent
 *
 * For a time, the network lets the account write to no new people: such messages wait.
 */
export type DeviceRestrictedEvent = {
    type: 'device.restricted';
    /**
     * When the gateway recorded it.
     */
    timestamp: string;
    data: ReportedDevice;
};

/**
 * DeviceUnrestrictedEvent
 *
 * The restriction has ended: messages that waited for that go out now.
 */
export type DeviceUnrestrictedEvent = {
    type: 'device.unrestricted';
    /**
     * When the gateway recorded it.
     */
    timestamp: string;
    data: ReportedDevice;
};

/**
 * ErrorBody
 *
 * A sentence for people and a code for programs.
 *
 * More members may follow, such as `required_scope` or `retry_after`.
 */
export type ErrorBody = {
    /**
     * One sentence for people.
     */
    detail: string;
    code: ErrorCode;
    [key: string]: unknown;
};

/**
 * An error code for programs. Known values: `account_not_allowed`, `address_too_long`, `already_in_group`, `already_sent`, `api_key_not_found`, `approval_required`, `body_too_large`, `chat_account_connected`, `chat_account_not_connected`, `chat_account_not_found`, `contact_not_found`, `conversation_not_found`, `cursor_expired`, `delivery_not_found`, `expired_api_key`, `expiry_not_allowed`, `head_too_large`, `idempotency_conflict`, `internal_error`, `invalid_api_key`, `invite_revoked`, `job_unknown`, `malformed_authorization`, `malformed_request`, `media_in_use`, `media_not_found`, `message_deleted`, `message_not_found`, `method_not_allowed`, `missing_api_key`, `missing_scope`, `network_refused`, `network_timeout`, `no_chat_account`, `no_qr_code`, `not_found`, `not_sent`, `not_supported_by_network`, `other_organization`, `picture_not_found`, `plan_limit_reached`, `rate_limited`, `refused_for_good`, `request_timeout`, `revoked_api_key`, `session_not_found`, `subscription_not_found`, `too_many_connections`, `too_many_readers`, `too_many_reads`, `too_many_secrets`, `too_old`, `unavailable`, `unsupported_media_type`, `webhook_disabled`. More may be added.
 */
export type ErrorCode = string;

/**
 * FailedChange
 *
 * A requested change that failed.
 */
export type FailedChange = {
    /**
     * As the request for the change returned it.
     */
    id: string;
    /**
     * `edited`, `deleted` or `reaction`.
     */
    kind: string;
    reason: string;
};

/**
 * InboundMessage
 *
 * A message that somebody wrote to one of your accounts.
 */
export type InboundMessage = {
    id: string;
    /**
     * `+` and digits when known, else the remote JID.
     */
    phone_number: string;
    /**
     * The message as text.
     */
    content: string;
    status: MessageStatus;
    direction: MessageDirection;
    retry_count: number;
    chat_account_id: string;
    created_at: string;
    updated_at: string;
    chat_type?: ChatType | null;
    group_jid?: string | null;
    group_name?: string | null;
    message_type?: MessageType | null;
    /**
     * A MIME type.
     */
    media_type?: string | null;
    media_url?: string | null;
    failure_reason?: string | null;
    /**
     * The message's id on the chat network.
     */
    chat_message_id?: string | null;
    variable_values?: VariableValues | null;
    contact_id?: string | null;
    contact_name?: string | null;
    campaign_id?: string | null;
    batch_id?: string | null;
    scheduled_for?: string | null;
    queued_at?: string | null;
    sent_at?: string | null;
    delivered_at?: string | null;
    read_at?: string | null;
    failed_at?: string | null;
    /**
     * The complete content of the message, by its kind: a chosen row with its id, a place with its coordinates, a card with its vCard. Null if the account keeps no contents.
     */
    typed_content?: TypedContent | null;
    /**
     * In a group, the author; null for the account's own messages.
     */
    sender?: MessageSender | null;
    /**
     * Null for a message to somebody with whom the account had no conversation, until the network has named the recipient.
     */
    conversation_id?: string | null;
    /**
     * The id of the message that it answers, if that is known.
     */
    reply_to_message_id?: string | null;
    /**
     * Null for received messages.
     */
    sent_by?: MessageSentBy | null;
    /**
     * As returned by the send.
     */
    run_id?: string | null;
    /**
     * As given in the send.
     */
    metadata?: Metadata | null;
    expires_at?: string | null;
    edited_at?: string | null;
    /**
     * When it was deleted for everyone.
     */
    deleted_at?: string | null;
    reactions?: Array<MessageReaction>;
    /**
     * The advertisement that led to the message, or the status that it answers.
     */
    referral?: MessageReferral | null;
    /**
     * Present if a button was pressed.
     */
    button?: PressedButton | null;
};

/**
 * MessageCanceledEvent
 *
 * Somebody canceled it, or removed its device, before it was sent.
 */
export type MessageCanceledEvent = {
    type: 'message.canceled';
    /**
     * When the gateway recorded it.
     */
    timestamp: string;
    data: OutboundMessage;
};

/**
 * MessageDeletedEvent
 *
 * Somebody deleted a message for everybody.
 */
export type MessageDeletedEvent = {
    type: 'message.deleted';
    /**
     * When the gateway recorded it.
     */
    timestamp: string;
    data: ChangedMessage;
};

/**
 * MessageDeliveredEvent
 *
 * It has reached the recipient's device.
 */
export type MessageDeliveredEvent = {
    type: 'message.delivered';
    /**
     * When the gateway recorded it.
     */
    timestamp: string;
    data: OutboundMessage;
};

/**
 * MessageEditedEvent
 *
 * Somebody changed a message.
 */
export type MessageEditedEvent = {
    type: 'message.edited';
    /**
     * When the gateway recorded it.
     */
    timestamp: string;
    data: ChangedMessage;
};

/**
 * MessageFailedEvent
 *
 * The gateway gave up on it, or the network refused it later.
 */
export type MessageFailedEvent = {
    type: 'message.failed';
    /**
     * When the gateway recorded it.
     */
    timestamp: string;
    data: OutboundMessage;
};

/**
 * MessageReactionEvent
 *
 * Somebody reacted to a message, with an emoji for example.
 */
export type MessageReactionEvent = {
    type: 'message.reaction';
    /**
     * When the gateway recorded it.
     */
    timestamp: string;
    data: ChangedMessage;
};

/**
 * MessageReadEvent
 *
 * The recipient has read it.
 */
export type MessageReadEvent = {
    type: 'message.read';
    /**
     * When the gateway recorded it.
     */
    timestamp: string;
    data: OutboundMessage;
};

/**
 * MessageReceivedEvent
 *
 * Somebody wrote to one of your accounts, or pressed a button.
 */
export type MessageReceivedEvent = {
    type: 'message.received';
    /**
     * When the gateway recorded it.
     */
    timestamp: string;
    data: InboundMessage;
};

/**
 * MessageSentEvent
 *
 * The chat network has accepted the message.
 */
export type MessageSentEvent = {
    type: 'message.sent';
    /**
     * When the gateway recorded it.
     */
    timestamp: string;
    data: OutboundMessage;
};

/**
 * OutboundMessage
 *
 * A message that you sent.
 */
export type OutboundMessage = {
    id: string;
    /**
     * `+` and digits when known, else the remote JID.
     */
    phone_number: string;
    /**
     * The message as text.
     */
    content: string;
    status: MessageStatus;
    direction: MessageDirection;
    retry_count: number;
    chat_account_id: string;
    created_at: string;
    updated_at: string;
    chat_type?: ChatType | null;
    group_jid?: string | null;
    group_name?: string | null;
    message_type?: MessageType | null;
    /**
     * A MIME type.
     */
    media_type?: string | null;
    media_url?: string | null;
    failure_reason?: string | null;
    /**
     * The message's id on the chat network.
     */
    chat_message_id?: string | null;
    variable_values?: VariableValues | null;
    contact_id?: string | null;
    contact_name?: string | null;
    campaign_id?: string | null;
    batch_id?: string | null;
    scheduled_for?: string | null;
    queued_at?: string | null;
    sent_at?: string | null;
    delivered_at?: string | null;
    read_at?: string | null;
    failed_at?: string | null;
    /**
     * The complete content of the message, by its kind: a chosen row with its id, a place with its coordinates, a card with its vCard. Null if the account keeps no contents.
     */
    typed_content?: TypedContent | null;
    /**
     * In a group, the author; null for the account's own messages.
     */
    sender?: MessageSender | null;
    /**
     * Null for a message to somebody with whom the account had no conversation, until the network has named the recipient.
     */
    conversation_id?: string | null;
    /**
     * The id of the message that it answers, if that is known.
     */
    reply_to_message_id?: string | null;
    /**
     * Null for received messages.
     */
    sent_by?: MessageSentBy | null;
    /**
     * As returned by the send.
     */
    run_id?: string | null;
    /**
     * As given in the send.
     */
    metadata?: Metadata | null;
    expires_at?: string | null;
    edited_at?: string | null;
    /**
     * When it was deleted for everyone.
     */
    deleted_at?: string | null;
    reactions?: Array<MessageReaction>;
    /**
     * The advertisement that led to the message, or the status that it answers.
     */
    referral?: MessageReferral | null;
    /**
     * Present in `message.failed` if a change of the message failed, not the message itself.
     */
    change?: FailedChange | null;
};

/**
 * Ping
 *
 * Empty: a test that was requested.
 */
export type Ping = {
    [key: string]: unknown;
};

/**
 * PressedButton
 *
 * The button that somebody pressed.
 */
export type PressedButton = {
    id: string;
    title: string;
};

/**
 * ReportedDevice
 *
 * A device whose state has changed, and why.
 */
export type ReportedDevice = {
    id: string;
    name: string;
    session_name: string;
    status: DeviceStatus;
    is_primary: boolean;
    message_logging_enabled: boolean;
    auto_warmer_enabled: boolean;
    total_messages_sent: number;
    total_messages_received: number;
    contacts_synced_count: number;
    created_at: string;
    updated_at: string;
    phone_number?: string | null;
    last_connected_at?: string | null;
    last_health_check_at?: string | null;
    last_contact_sync_at?: string | null;
    last_contact_sync_status?: string | null;
    /**
     * The name of the chat network, as in the list of networks.
     */
    network: string;
    restriction?: DeviceRestriction | null;
    reason?: string | null;
};

/**
 * UnknownContent
 *
 * Added later than this description.
 */
export type UnknownContent = {
    /**
     * Any value except the known ones; TypeScript's types say `unknown`.
     */
    type: string;
    [key: string]: unknown;
};

/**
 * UpdatedContact
 *
 * A changed contact, as it is now. `profile_picture_url` is null here.
 */
export type UpdatedContact = {
    id: string;
    /**
     * `+` and digits when known, else null.
     */
    phone_number?: string | null;
    /**
     * The organization's name for the contact.
     */
    name?: string | null;
    /**
     * The name the contact uses on the chat network.
     */
    chat_name?: string | null;
    /**
     * The organization's name, else the network's.
     */
    display_name?: string | null;
    /**
     * The organization's own data about the contact.
     */
    attributes: ContactAttributes;
    labels: Array<Label>;
    addresses: Array<ContactAddress>;
    /**
     * A signed link to a stored picture, which works for one hour.
     */
    profile_picture_url?: string | null;
    created_at: string;
    updated_at: string;
    /**
     * The names of the fields that have another value now.
     */
    changed: Array<string>;
    /**
     * Who changed it; null when the chat network reported it.
     */
    changed_by?: Author | null;
};

/**
 * UpdatedConversation
 *
 * A changed conversation, as it is now. `last_message_preview` and
 * `contact_profile_picture_url` are null here.
 */
export type UpdatedConversation = {
    id: string;
    /**
     * The connected account that owns the conversation.
     */
    chat_account_id: string;
    /**
     * The network's identifier of the person or group.
     */
    remote_jid: string;
    status: ConversationStatus;
    unread_count: number;
    created_at: string;
    updated_at: string;
    contact_id?: string | null;
    phone_number?: string | null;
    is_group?: boolean | null;
    group_subject?: string | null;
    assignee_user_id?: string | null;
    agent_paused?: boolean | null;
    subject?: string | null;
    last_message_preview?: string | null;
    last_message_at?: string | null;
    last_inbound_at?: string | null;
    last_outbound_at?: string | null;
    contact_name?: string | null;
    /**
     * The name the contact uses on the chat network.
     */
    contact_chat_name?: string | null;
    contact_profile_picture_url?: string | null;
    /**
     * The best name for people: the contact's name, else the one on the chat network.
     */
    display_name?: string | null;
    pinned?: boolean | null;
    chat_group_id?: string | null;
    /**
     * When a snoozed conversation reopens by itself; null: only when somebody writes.
     */
    snoozed_until?: string | null;
    labels?: Array<Label> | null;
    /**
     * The names of the fields that have another value now.
     */
    changed: Array<string>;
    /**
     * Who changed it; null when the network did, its snooze has ended by itself, or the account's owner has read it on another device.
     */
    changed_by?: Author | null;
};

/**
 * WebhookPingEvent
 *
 * A test event, sent on request to a single webhook, whatever it subscribes to.
 */
export type WebhookPingEvent = {
    type: 'webhook.ping';
    /**
     * When the gateway recorded it.
     */
    timestamp: string;
    data: Ping;
};

/**
 * LoggedMessageReceivedEvent
 *
 * Somebody wrote to one of your accounts, or pressed a button.
 */
export type LoggedMessageReceivedEvent = {
    /**
     * The event's id, a UUID: the `webhook-id` of its deliveries.
     */
    id: string;
    type: 'message.received';
    /**
     * When the gateway recorded it.
     */
    timestamp: string;
    data: InboundMessage;
};

/**
 * LoggedMessageSentEvent
 *
 * The chat network has accepted the message.
 */
export type LoggedMessageSentEvent = {
    /**
     * The event's id, a UUID: the `webhook-id` of its deliveries.
     */
    id: string;
    type: 'message.sent';
    /**
     * When the gateway recorded it.
     */
    timestamp: string;
    data: OutboundMessage;
};

/**
 * LoggedMessageDeliveredEvent
 *
 * It has reached the recipient's device.
 */
export type LoggedMessageDeliveredEvent = {
    /**
     * The event's id, a UUID: the `webhook-id` of its deliveries.
     */
    id: string;
    type: 'message.delivered';
    /**
     * When the gateway recorded it.
     */
    timestamp: string;
    data: OutboundMessage;
};

/**
 * LoggedMessageReadEvent
 *
 * The recipient has read it.
 */
export type LoggedMessageReadEvent = {
    /**
     * The event's id, a UUID: the `webhook-id` of its deliveries.
     */
    id: string;
    type: 'message.read';
    /**
     * When the gateway recorded it.
     */
    timestamp: string;
    data: OutboundMessage;
};

/**
 * LoggedMessageFailedEvent
 *
 * The gateway gave up on it, or the network refused it later.
 */
export type LoggedMessageFailedEvent = {
    /**
     * The event's id, a UUID: the `webhook-id` of its deliveries.
     */
    id: string;
    type: 'message.failed';
    /**
     * When the gateway recorded it.
     */
    timestamp: string;
    data: OutboundMessage;
};

/**
 * LoggedMessageCanceledEvent
 *
 * Somebody canceled it, or removed its device, before it was sent.
 */
export type LoggedMessageCanceledEvent = {
    /**
     * The event's id, a UUID: the `webhook-id` of its deliveries.
     */
    id: string;
    type: 'message.canceled';
    /**
     * When the gateway recorded it.
     */
    timestamp: string;
    data: OutboundMessage;
};

/**
 * LoggedMessageEditedEvent
 *
 * Somebody changed a message.
 */
export type LoggedMessageEditedEvent = {
    /**
     * The event's id, a UUID: the `webhook-id` of its deliveries.
     */
    id: string;
    type: 'message.edited';
    /**
     * When the gateway recorded it.
     */
    timestamp: string;
    data: ChangedMessage;
};

/**
 * LoggedMessageDeletedEvent
 *
 * Somebody deleted a message for everybody.
 */
export type LoggedMessageDeletedEvent = {
    /**
     * The event's id, a UUID: the `webhook-id` of its deliveries.
     */
    id: string;
    type: 'message.deleted';
    /**
     * When the gateway recorded it.
     */
    timestamp: string;
    data: ChangedMessage;
};

/**
 * LoggedMessageReactionEvent
 *
 * Somebody reacted to a message, with an emoji for example.
 */
export type LoggedMessageReactionEvent = {
    /**
     * The event's id, a UUID: the `webhook-id` of its deliveries.
     */
    id: string;
    type: 'message.reaction';
    /**
     * When the gateway recorded it.
     */
    timestamp: string;
    data: ChangedMessage;
};

/**
 * LoggedConversationUpdatedEvent
 *
 * Somebody changed a conversation, its group's subject or one of its labels, or its snooze has ended.
 */
export type LoggedConversationUpdatedEvent = {
    /**
     * The event's id, a UUID: the `webhook-id` of its deliveries.
     */
    id: string;
    type: 'conversation.updated';
    /**
     * When the gateway recorded it.
     */
    timestamp: string;
    data: UpdatedConversation;
};

/**
 * LoggedContactUpdatedEvent
 *
 * Somebody changed a contact, or the network reported another name or number.
 */
export type LoggedContactUpdatedEvent = {
    /**
     * The event's id, a UUID: the `webhook-id` of its deliveries.
     */
    id: string;
    type: 'contact.updated';
    /**
     * When the gateway recorded it.
     */
    timestamp: string;
    data: UpdatedContact;
};

/**
 * LoggedContactsSyncedEvent
 *
 * A contact synchronization has ended.
 */
export type LoggedContactsSyncedEvent = {
    /**
     * The event's id, a UUID: the `webhook-id` of its deliveries.
     */
    id: string;
    type: 'contacts.synced';
    /**
     * When the gateway recorded it.
     */
    timestamp: string;
    data: SyncState;
};

/**
 * LoggedDevicePairingEvent
 *
 * The account waits for somebody to pair it (a QR code, a code).
 */
export type LoggedDevicePairingEvent = {
    /**
     * The event's id, a UUID: the `webhook-id` of its deliveries.
     */
    id: string;
    type: 'device.pairing';
    /**
     * When the gateway recorded it.
     */
    timestamp: string;
    data: ReportedDevice;
};

/**
 * LoggedDeviceConnectedEvent
 *
 * The account is connected: queued messages go out now.
 */
export type LoggedDeviceConnectedEvent = {
    /**
     * The event's id, a UUID: the `webhook-id` of its deliveries.
     */
    id: string;
    type: 'device.connected';
    /**
     * When the gateway recorded it.
     */
    timestamp: string;
    data: ReportedDevice;
};

/**
 * LoggedDeviceDisconnectedEvent
 *
 * The connection is lost.
 */
export type LoggedDeviceDisconnectedEvent = {
    /**
     * The event's id, a UUID: the `webhook-id` of its deliveries.
     */
    id: string;
    type: 'device.disconnected';
    /**
     * When the gateway recorded it.
     */
    timestamp: string;
    data: ReportedDevice;
};

/**
 * LoggedDeviceLoggedOutEvent
 *
 * The network has ended the registration (logged out, banned, replaced).
 */
export type LoggedDeviceLoggedOutEvent = {
    /**
     * The event's id, a UUID: the `webhook-id` of its deliveries.
     */
    id: string;
    type: 'device.logged_out';
    /**
     * When the gateway recorded it.
     */
    timestamp: string;
    data: ReportedDevice;
};

/**
 * LoggedDeviceRestrictedEvent
 *
 * For a time, the network lets the account write to no new people: such messages wait.
 */
export type LoggedDeviceRestrictedEvent = {
    /**
     * The event's id, a UUID: the `webhook-id` of its deliveries.
     */
    id: string;
    type: 'device.restricted';
    /**
     * When the gateway recorded it.
     */
    timestamp: string;
    data: ReportedDevice;
};

/**
 * LoggedDeviceUnrestrictedEvent
 *
 * The restriction has ended: messages that waited for that go out now.
 */
export type LoggedDeviceUnrestrictedEvent = {
    /**
     * The event's id, a UUID: the `webhook-id` of its deliveries.
     */
    id: string;
    type: 'device.unrestricted';
    /**
     * When the gateway recorded it.
     */
    timestamp: string;
    data: ReportedDevice;
};

/**
 * LoggedWebhookPingEvent
 *
 * A test event, sent on request to a single webhook, whatever it subscribes to.
 */
export type LoggedWebhookPingEvent = {
    /**
     * The event's id, a UUID: the `webhook-id` of its deliveries.
     */
    id: string;
    type: 'webhook.ping';
    /**
     * When the gateway recorded it.
     */
    timestamp: string;
    data: Ping;
};

/**
 * UnknownEvent
 *
 * Added later than this description.
 */
export type UnknownEvent = {
    /**
     * Any value except the known ones; TypeScript's types say `unknown`.
     */
    type: string;
    /**
     * When the gateway recorded it.
     */
    timestamp: string;
    /**
     * What it is about.
     */
    data: {
        [key: string]: unknown;
    };
};

/**
 * LoggedUnknownEvent
 *
 * Added later than this description.
 */
export type LoggedUnknownEvent = {
    /**
     * The event's id, a UUID: the `webhook-id` of its deliveries.
     */
    id: string;
    /**
     * Any value except the known ones; TypeScript's types say `unknown`.
     */
    type: string;
    /**
     * When the gateway recorded it.
     */
    timestamp: string;
    /**
     * The event's data, as described for its type under `webhooks`.
     */
    data: {
        [key: string]: unknown;
    };
};

export type SendButtonMessageData = {
    body: SendButtons;
    headers?: {
        /**
         * A name for this request, 1 to 255 characters, quoted or not: a repeat within 24 hours gets the first answer, and nothing is done twice.
         */
        'Idempotency-Key'?: string | null;
    };
    path?: never;
    query?: never;
    url: '/api/v1/messages/send/interactive/buttons';
};

export type SendButtonMessageErrors = {
    /**
     * Unauthorized: `expired_api_key`, `invalid_api_key`, `malformed_authorization`, `missing_api_key`, `revoked_api_key`
     */
    401: ErrorBody;
    /**
     * Forbidden: `account_not_allowed`, `missing_scope`, `other_organization`
     */
    403: ErrorBody;
    /**
     * Not Found: `chat_account_not_found`
     */
    404: ErrorBody;
    /**
     * Conflict: `idempotency_conflict`, `no_chat_account`, `not_supported_by_network`
     */
    409: ErrorBody;
    /**
     * Request Entity Too Large: `body_too_large`
     */
    413: ErrorBody;
    /**
     * Unsupported Media Type: `unsupported_media_type`
     */
    415: ErrorBody;
    /**
     * Validation Error
     */
    422: HttpValidationError;
    /**
     * Too Many Requests: `plan_limit_reached`, `rate_limited`, `too_many_reads`
     */
    429: ErrorBody;
    /**
     * Service Unavailable: `unavailable`
     */
    503: ErrorBody;
};

export type SendButtonMessageError = SendButtonMessageErrors[keyof SendButtonMessageErrors];

export type SendButtonMessageResponses = {
    /**
     * Successful Response
     */
    200: SendResult;
};

export type SendButtonMessageResponse = SendButtonMessageResponses[keyof SendButtonMessageResponses];

export type ListMessagesData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * Only of this conversation.
         */
        conversation_id?: string | null;
        /**
         * Only of this account.
         */
        chat_account_id?: string | null;
        /**
         * Only to or from this person; in groups, their own messages.
         */
        contact_id?: string | null;
        /**
         * Only to or from this phone number, in any notation, or this JID; with a group's JID, the messages in it.
         */
        phone_number?: string | null;
        /**
         * Only `inbound` or only `outbound` ones.
         */
        direction?: string | null;
        /**
         * Only in this status, such as `failed`.
         */
        status?: string | null;
        /**
         * Only of this kind, such as `text`.
         */
        message_type?: string | null;
        /**
         * Only of this batch.
         */
        batch_id?: string | null;
        /**
         * Only with this id on the chat network.
         */
        chat_message_id?: string | null;
        /**
         * Only of the send that returned this `run_id`.
         */
        run_id?: string | null;
        /**
         * Only made at this time or later.
         */
        since?: string | null;
        /**
         * Only made before this time.
         */
        until?: string | null;
        /**
         * Only with all these words, in any case, with accents or without; the last may be the beginning of a word.
         */
        search?: string | null;
        /**
         * Maximum number of entries.
         */
        limit?: number;
        /**
         * Where to continue: the `next_cursor` of the previous page. Without it, the newest entries.
         */
        cursor?: string | null;
    };
    url: '/api/v1/messages';
};

export type ListMessagesErrors = {
    /**
     * Unauthorized: `expired_api_key`, `invalid_api_key`, `malformed_authorization`, `missing_api_key`, `revoked_api_key`
     */
    401: ErrorBody;
    /**
     * Forbidden: `account_not_allowed`, `missing_scope`, `other_organization`
     */
    403: ErrorBody;
    /**
     * Request Entity Too Large: `body_too_large`
     */
    413: ErrorBody;
    /**
     * Validation Error
     */
    422: HttpValidationError;
    /**
     * Too Many Requests: `rate_limited`, `too_many_reads`
     */
    429: ErrorBody;
    /**
     * Service Unavailable: `unavailable`
     */
    503: ErrorBody;
};

export type ListMessagesError = ListMessagesErrors[keyof ListMessagesErrors];

export type ListMessagesResponses = {
    /**
     * Successful Response
     */
    200: MessageList;
};

export type ListMessagesResponse = ListMessagesResponses[keyof ListMessagesResponses];

export type SendMessageData = {
    body: SendMessageInput;
    headers?: {
        /**
         * A name for this request, 1 to 255 characters, quoted or not: a repeat within 24 hours gets the first answer, and nothing is done twice.
         */
        'Idempotency-Key'?: string | null;
    };
    path?: never;
    query?: never;
    url: '/api/v1/messages';
};

export type SendMessageErrors = {
    /**
     * Unauthorized: `expired_api_key`, `invalid_api_key`, `malformed_authorization`, `missing_api_key`, `revoked_api_key`
     */
    401: ErrorBody;
    /**
     * Forbidden: `account_not_allowed`, `missing_scope`, `other_organization`
     */
    403: ErrorBody;
    /**
     * Not Found: `chat_account_not_found`, `contact_not_found`, `conversation_not_found`, `media_not_found`
     */
    404: ErrorBody;
    /**
     * Conflict: `idempotency_conflict`, `no_chat_account`, `not_supported_by_network`
     */
    409: ErrorBody;
    /**
     * Request Entity Too Large: `body_too_large`
     */
    413: ErrorBody;
    /**
     * Unsupported Media Type: `unsupported_media_type`
     */
    415: ErrorBody;
    /**
     * Validation Error
     */
    422: HttpValidationError;
    /**
     * Too Many Requests: `plan_limit_reached`, `rate_limited`, `too_many_reads`
     */
    429: ErrorBody;
    /**
     * Service Unavailable: `unavailable`, `unavailable`
     */
    503: ErrorBody;
};

export type SendMessageError = SendMessageErrors[keyof SendMessageErrors];

export type SendMessageResponses = {
    /**
     * Successful Response
     */
    200: SendResult;
};

export type SendMessageResponse = SendMessageResponses[keyof SendMessageResponses];

export type GetMessageStatsData = {
    body?: never;
    path?: never;
    query?: never;
    url: '/api/v1/messages/stats/summary';
};

export type GetMessageStatsErrors = {
    /**
     * Unauthorized: `expired_api_key`, `invalid_api_key`, `malformed_authorization`, `missing_api_key`, `revoked_api_key`
     */
    401: ErrorBody;
    /**
     * Forbidden: `account_not_allowed`, `missing_scope`
     */
    403: ErrorBody;
    /**
     * Request Entity Too Large: `body_too_large`
     */
    413: ErrorBody;
    /**
     * Validation Error
     */
    422: HttpValidationError;
    /**
     * Too Many Requests: `rate_limited`, `too_many_reads`
     */
    429: ErrorBody;
    /**
     * Service Unavailable: `unavailable`
     */
    503: ErrorBody;
};

export type GetMessageStatsError = GetMessageStatsErrors[keyof GetMessageStatsErrors];

export type GetMessageStatsResponses = {
    /**
     * Successful Response
     */
    200: MessageStatistics;
};

export type GetMessageStatsResponse = GetMessageStatsResponses[keyof GetMessageStatsResponses];

export type DeleteMessageData = {
    body?: never;
    path: {
        /**
         * The message's id.
         */
        message_id: string;
    };
    query?: never;
    url: '/api/v1/messages/{message_id}';
};

export type DeleteMessageErrors = {
    /**
     * Unauthorized: `expired_api_key`, `invalid_api_key`, `malformed_authorization`, `missing_api_key`, `revoked_api_key`
     */
    401: ErrorBody;
    /**
     * Forbidden: `account_not_allowed`, `missing_scope`, `other_organization`
     */
    403: ErrorBody;
    /**
     * Not Found: `chat_account_not_found`, `message_not_found`
     */
    404: ErrorBody;
    /**
     * Conflict: `already_sent`, `message_deleted`, `not_sent`, `not_supported_by_network`, `too_old`
     */
    409: ErrorBody;
    /**
     * Request Entity Too Large: `body_too_large`
     */
    413: ErrorBody;
    /**
     * Validation Error
     */
    422: HttpValidationError;
    /**
     * Too Many Requests: `rate_limited`, `too_many_reads`
     */
    429: ErrorBody;
    /**
     * Service Unavailable: `unavailable`
     */
    503: ErrorBody;
};

export type DeleteMessageError = DeleteMessageErrors[keyof DeleteMessageErrors];

export type DeleteMessageResponses = {
    /**
     * Successful Response
     */
    202: ChangeResult;
};

export type DeleteMessageResponse = DeleteMessageResponses[keyof DeleteMessageResponses];

export type GetMessageData = {
    body?: never;
    path: {
        /**
         * The message's id.
         */
        message_id: string;
    };
    query?: never;
    url: '/api/v1/messages/{message_id}';
};

export type GetMessageErrors = {
    /**
     * Unauthorized: `expired_api_key`, `invalid_api_key`, `malformed_authorization`, `missing_api_key`, `revoked_api_key`
     */
    401: ErrorBody;
    /**
     * Forbidden: `account_not_allowed`, `missing_scope`, `other_organization`
     */
    403: ErrorBody;
    /**
     * Not Found: `message_not_found`
     */
    404: ErrorBody;
    /**
     * Request Entity Too Large: `body_too_large`
     */
    413: ErrorBody;
    /**
     * Validation Error
     */
    422: HttpValidationError;
    /**
     * Too Many Requests: `rate_limited`, `too_many_reads`
     */
    429: ErrorBody;
    /**
     * Service Unavailable: `unavailable`
     */
    503: ErrorBody;
};

export type GetMessageError = GetMessageErrors[keyof GetMessageErrors];

export type GetMessageResponses = {
    /**
     * Successful Response
     */
    200: Message;
};

export type GetMessageResponse = GetMessageResponses[keyof GetMessageResponses];

export type EditMessageData = {
    body: EditMessageInput;
    path: {
        /**
         * The message's id.
         */
        message_id: string;
    };
    query?: never;
    url: '/api/v1/messages/{message_id}';
};

export type EditMessageErrors = {
    /**
     * Unauthorized: `expired_api_key`, `invalid_api_key`, `malformed_authorization`, `missing_api_key`, `revoked_api_key`
     */
    401: ErrorBody;
    /**
     * Forbidden: `account_not_allowed`, `missing_scope`, `other_organization`
     */
    403: ErrorBody;
    /**
     * Not Found: `chat_account_not_found`, `message_not_found`
     */
    404: ErrorBody;
    /**
     * Conflict: `message_deleted`, `not_sent`, `not_supported_by_network`, `too_old`
     */
    409: ErrorBody;
    /**
     * Request Entity Too Large: `body_too_large`
     */
    413: ErrorBody;
    /**
     * Unsupported Media Type: `unsupported_media_type`
     */
    415: ErrorBody;
    /**
     * Validation Error
     */
    422: HttpValidationError;
    /**
     * Too Many Requests: `rate_limited`, `too_many_reads`
     */
    429: ErrorBody;
    /**
     * Service Unavailable: `unavailable`
     */
    503: ErrorBody;
};

export type EditMessageError = EditMessageErrors[keyof EditMessageErrors];

export type EditMessageResponses = {
    /**
     * Successful Response
     */
    202: ChangeResult;
};

export type EditMessageResponse = EditMessageResponses[keyof EditMessageResponses];

export type CancelMessageData = {
    body?: never;
    headers?: {
        /**
         * A name for this request, 1 to 255 characters, quoted or not: a repeat within 24 hours gets the first answer, and nothing is done twice.
         */
        'Idempotency-Key'?: string | null;
    };
    path: {
        /**
         * The message's id.
         */
        message_id: string;
    };
    query?: never;
    url: '/api/v1/messages/{message_id}/cancel';
};

export type CancelMessageErrors = {
    /**
     * Unauthorized: `expired_api_key`, `invalid_api_key`, `malformed_authorization`, `missing_api_key`, `revoked_api_key`
     */
    401: ErrorBody;
    /**
     * Forbidden: `account_not_allowed`, `missing_scope`, `other_organization`
     */
    403: ErrorBody;
    /**
     * Not Found: `message_not_found`
     */
    404: ErrorBody;
    /**
     * Conflict: `already_sent`, `idempotency_conflict`
     */
    409: ErrorBody;
    /**
     * Request Entity Too Large: `body_too_large`
     */
    413: ErrorBody;
    /**
     * Validation Error
     */
    422: HttpValidationError;
    /**
     * Too Many Requests: `rate_limited`, `too_many_reads`
     */
    429: ErrorBody;
    /**
     * Service Unavailable: `unavailable`
     */
    503: ErrorBody;
};

export type CancelMessageError = CancelMessageErrors[keyof CancelMessageErrors];

export type CancelMessageResponses = {
    /**
     * Successful Response
     */
    200: Message;
};

export type CancelMessageResponse = CancelMessageResponses[keyof CancelMessageResponses];

export type DeleteMessageReactionData = {
    body?: never;
    path: {
        /**
         * The message's id.
         */
        message_id: string;
    };
    query?: never;
    url: '/api/v1/messages/{message_id}/reaction';
};

export type DeleteMessageReactionErrors = {
    /**
     * Unauthorized: `expired_api_key`, `invalid_api_key`, `malformed_authorization`, `missing_api_key`, `revoked_api_key`
     */
    401: ErrorBody;
    /**
     * Forbidden: `account_not_allowed`, `missing_scope`, `other_organization`
     */
    403: ErrorBody;
    /**
     * Not Found: `chat_account_not_found`, `message_not_found`
     */
    404: ErrorBody;
    /**
     * Conflict: `message_deleted`, `not_sent`, `not_supported_by_network`, `too_old`
     */
    409: ErrorBody;
    /**
     * Request Entity Too Large: `body_too_large`
     */
    413: ErrorBody;
    /**
     * Validation Error
     */
    422: HttpValidationError;
    /**
     * Too Many Requests: `rate_limited`, `too_many_reads`
     */
    429: ErrorBody;
    /**
     * Service Unavailable: `unavailable`
     */
    503: ErrorBody;
};

export type DeleteMessageReactionError = DeleteMessageReactionErrors[keyof DeleteMessageReactionErrors];

export type DeleteMessageReactionResponses = {
    /**
     * Successful Response
     */
    202: ChangeResult;
};

export type DeleteMessageReactionResponse = DeleteMessageReactionResponses[keyof DeleteMessageReactionResponses];

export type SetMessageReactionData = {
    body: ReactionInput;
    path: {
        /**
         * The message's id.
         */
        message_id: string;
    };
    query?: never;
    url: '/api/v1/messages/{message_id}/reaction';
};

export type SetMessageReactionErrors = {
    /**
     * Unauthorized: `expired_api_key`, `invalid_api_key`, `malformed_authorization`, `missing_api_key`, `revoked_api_key`
     */
    401: ErrorBody;
    /**
     * Forbidden: `account_not_allowed`, `missing_scope`, `other_organization`
     */
    403: ErrorBody;
    /**
     * Not Found: `chat_account_not_found`, `message_not_found`
     */
    404: ErrorBody;
    /**
     * Conflict: `message_deleted`, `not_sent`, `not_supported_by_network`, `too_old`
     */
    409: ErrorBody;
    /**
     * Request Entity Too Large: `body_too_large`
     */
    413: ErrorBody;
    /**
     * Unsupported Media Type: `unsupported_media_type`
     */
    415: ErrorBody;
    /**
     * Validation Error
     */
    422: HttpValidationError;
    /**
     * Too Many Requests: `rate_limited`, `too_many_reads`
     */
    429: ErrorBody;
    /**
     * Service Unavailable: `unavailable`
     */
    503: ErrorBody;
};

export type SetMessageReactionError = SetMessageReactionErrors[keyof SetMessageReactionErrors];

export type SetMessageReactionResponses = {
    /**
     * Successful Response
     */
    202: ChangeResult;
};

export type SetMessageReactionResponse = SetMessageReactionResponses[keyof SetMessageReactionResponses];

export type GetMessageHistoryData = {
    body?: never;
    path: {
        /**
         * The message's id.
         */
        message_id: string;
    };
    query?: never;
    url: '/api/v1/messages/{message_id}/history';
};

export type GetMessageHistoryErrors = {
    /**
     * Unauthorized: `expired_api_key`, `invalid_api_key`, `malformed_authorization`, `missing_api_key`, `revoked_api_key`
     */
    401: ErrorBody;
    /**
     * Forbidden: `account_not_allowed`, `missing_scope`, `other_organization`
     */
    403: ErrorBody;
    /**
     * Not Found: `message_not_found`
     */
    404: ErrorBody;
    /**
     * Request Entity Too Large: `body_too_large`
     */
    413: ErrorBody;
    /**
     * Validation Error
     */
    422: HttpValidationError;
    /**
     * Too Many Requests: `rate_limited`, `too_many_reads`
     */
    429: ErrorBody;
    /**
     * Service Unavailable: `unavailable`
     */
    503: ErrorBody;
};

export type GetMessageHistoryError = GetMessageHistoryErrors[keyof GetMessageHistoryErrors];

export type GetMessageHistoryResponses = {
    /**
     * Successful Response
     */
    200: MessageHistory;
};

export type GetMessageHistoryResponse = GetMessageHistoryResponses[keyof GetMessageHistoryResponses];

export type CreateConversationGroupData = {
    body: CreateGroup;
    headers?: {
        /**
         * A name for this request, 1 to 255 characters, quoted or not: a repeat within 24 hours gets the first answer, and nothing is done twice.
         */
        'Idempotency-Key'?: string | null;
    };
    path?: never;
    query?: never;
    url: '/api/v1/conversations/groups';
};

export type CreateConversationGroupErrors = {
    /**
     * Unauthorized: `expired_api_key`, `invalid_api_key`, `malformed_authorization`, `missing_api_key`, `revoked_api_key`
     */
    401: ErrorBody;
    /**
     * Forbidden: `account_not_allowed`, `missing_scope`, `other_organization`
     */
    403: ErrorBody;
    /**
     * Not Found: `chat_account_not_found`
     */
    404: ErrorBody;
    /**
     * Conflict: `chat_account_not_connected`, `idempotency_conflict`, `job_unknown`, `not_supported_by_network`, `refused_for_good`
     */
    409: ErrorBody;
    /**
     * Request Entity Too Large: `body_too_large`
     */
    413: ErrorBody;
    /**
     * Unsupported Media Type: `unsupported_media_type`
     */
    415: ErrorBody;
    /**
     * Validation Error
     */
    422: HttpValidationError;
    /**
     * Too Many Requests: `rate_limited`, `too_many_reads`
     */
    429: ErrorBody;
    /**
     * Bad Gateway: `network_refused`
     */
    502: ErrorBody;
    /**
     * Service Unavailable: `unavailable`
     */
    503: ErrorBody;
    /**
     * Gateway Timeout: `network_timeout`
     */
    504: ErrorBody;
};

export type CreateConversationGroupError = CreateConversationGroupErrors[keyof CreateConversationGroupErrors];

export type CreateConversationGroupResponses = {
    /**
     * Successful Response
     */
    201: CreatedGroup;
};

export type CreateConversationGroupResponse = CreateConversationGroupResponses[keyof CreateConversationGroupResponses];

export type ListConversationsData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * Maximum number of entries.
         */
        limit?: number;
        /**
         * Where to continue: the `next_cursor` of the previous page. Without it, the newest entries.
         */
        cursor?: string | null;
        /**
         * Only those in this state, such as `open`.
         */
        status?: string | null;
        /**
         * Only those assigned to this member.
         */
        assignee_user_id?: string | null;
        /**
         * Only those with this label.
         */
        label_id?: string | null;
        /**
         * Only those of this account.
         */
        chat_account_id?: string | null;
        /**
         * Only those with this person.
         */
        contact_id?: string | null;
        /**
         * Only those with this phone number, in any notation, or this JID, also a group's.
         */
        phone_number?: string | null;
        /**
         * Only those with unread messages, or without.
         */
        unread?: boolean | null;
        /**
         * Only groups, or only those with one person.
         */
        is_group?: boolean | null;
        /**
         * Part of the name of the contact or group, in any case, of the phone number, in any notation, or of the remote JID.
         */
        search?: string | null;
    };
    url: '/api/v1/conversations';
};

export type ListConversationsErrors = {
    /**
     * Unauthorized: `expired_api_key`, `invalid_api_key`, `malformed_authorization`, `missing_api_key`, `revoked_api_key`
     */
    401: ErrorBody;
    /**
     * Forbidden: `account_not_allowed`, `missing_scope`, `other_organization`
     */
    403: ErrorBody;
    /**
     * Request Entity Too Large: `body_too_large`
     */
    413: ErrorBody;
    /**
     * Validation Error
     */
    422: HttpValidationError;
    /**
     * Too Many Requests: `rate_limited`, `too_many_reads`
     */
    429: ErrorBody;
    /**
     * Service Unavailable: `unavailable`
     */
    503: ErrorBody;
};

export type ListConversationsError = ListConversationsErrors[keyof ListConversationsErrors];

export type ListConversationsResponses = {
    /**
     * Successful Response
     */
    200: ConversationList;
};

export type ListConversationsResponse = ListConversationsResponses[keyof ListConversationsResponses];

export type GetConversationData = {
    body?: never;
    path: {
        /**
         * The conversation's id.
         */
        conversation_id: string;
    };
    query?: never;
    url: '/api/v1/conversations/{conversation_id}';
};

export type GetConversationErrors = {
    /**
     * Unauthorized: `expired_api_key`, `invalid_api_key`, `malformed_authorization`, `missing_api_key`, `revoked_api_key`
     */
    401: ErrorBody;
    /**
     * Forbidden: `account_not_allowed`, `missing_scope`, `other_organization`
     */
    403: ErrorBody;
    /**
     * Not Found: `conversation_not_found`
     */
    404: ErrorBody;
    /**
     * Request Entity Too Large: `body_too_large`
     */
    413: ErrorBody;
    /**
     * Validation Error
     */
    422: HttpValidationError;
    /**
     * Too Many Requests: `rate_limited`, `too_many_reads`
     */
    429: ErrorBody;
    /**
     * Service Unavailable: `unavailable`
     */
    503: ErrorBody;
};

export type GetConversationError = GetConversationErrors[keyof GetConversationErrors];

export type GetConversationResponses = {
    /**
     * Successful Response
     */
    200: Conversation;
};

export type GetConversationResponse = GetConversationResponses[keyof GetConversationResponses];

export type ChangeConversationData = {
    body: ChangeConversation;
    path: {
        /**
         * The conversation's id.
         */
        conversation_id: string;
    };
    query?: never;
    url: '/api/v1/conversations/{conversation_id}';
};

export type ChangeConversationErrors = {
    /**
     * Unauthorized: `expired_api_key`, `invalid_api_key`, `malformed_authorization`, `missing_api_key`, `revoked_api_key`
     */
    401: ErrorBody;
    /**
     * Forbidden: `account_not_allowed`, `missing_scope`, `other_organization`
     */
    403: ErrorBody;
    /**
     * Not Found: `conversation_not_found`, `not_found`
     */
    404: ErrorBody;
    /**
     * Request Entity Too Large: `body_too_large`
     */
    413: ErrorBody;
    /**
     * Unsupported Media Type: `unsupported_media_type`
     */
    415: ErrorBody;
    /**
     * Validation Error
     */
    422: HttpValidationError;
    /**
     * Too Many Requests: `rate_limited`, `too_many_reads`
     */
    429: ErrorBody;
    /**
     * Service Unavailable: `unavailable`
     */
    503: ErrorBody;
};

export type ChangeConversationError = ChangeConversationErrors[keyof ChangeConversationErrors];

export type ChangeConversationResponses = {
    /**
     * Successful Response
     */
    200: Conversation;
};

export type ChangeConversationResponse = ChangeConversationResponses[keyof ChangeConversationResponses];

export type MarkConversationReadData = {
    body?: never;
    headers?: {
        /**
         * A name for this request, 1 to 255 characters, quoted or not: a repeat within 24 hours gets the first answer, and nothing is done twice.
         */
        'Idempotency-Key'?: string | null;
    };
    path: {
        /**
         * The conversation's id.
         */
        conversation_id: string;
    };
    query?: never;
    url: '/api/v1/conversations/{conversation_id}/read';
};

export type MarkConversationReadErrors = {
    /**
     * Unauthorized: `expired_api_key`, `invalid_api_key`, `malformed_authorization`, `missing_api_key`, `revoked_api_key`
     */
    401: ErrorBody;
    /**
     * Forbidden: `account_not_allowed`, `missing_scope`, `other_organization`
     */
    403: ErrorBody;
    /**
     * Not Found: `conversation_not_found`
     */
    404: ErrorBody;
    /**
     * Conflict: `idempotency_conflict`
     */
    409: ErrorBody;
    /**
     * Request Entity Too Large: `body_too_large`
     */
    413: ErrorBody;
    /**
     * Validation Error
     */
    422: HttpValidationError;
    /**
     * Too Many Requests: `rate_limited`, `too_many_reads`
     */
    429: ErrorBody;
    /**
     * Service Unavailable: `unavailable`
     */
    503: ErrorBody;
};

export type MarkConversationReadError = MarkConversationReadErrors[keyof MarkConversationReadErrors];

export type MarkConversationReadResponses = {
    /**
     * Successful Response
     */
    200: Conversation;
};

export type MarkConversationReadResponse = MarkConversationReadResponses[keyof MarkConversationReadResponses];

export type ListConversationNotesData = {
    body?: never;
    path: {
        /**
         * The conversation's id.
         */
        conversation_id: string;
    };
    query?: {
        /**
         * Maximum number of entries.
         */
        limit?: number;
        /**
         * Where to continue: the `next_cursor` of the previous page. Without it, the newest entries.
         */
        cursor?: string | null;
    };
    url: '/api/v1/conversations/{conversation_id}/notes';
};

export type ListConversationNotesErrors = {
    /**
     * Unauthorized: `expired_api_key`, `invalid_api_key`, `malformed_authorization`, `missing_api_key`, `revoked_api_key`
     */
    401: ErrorBody;
    /**
     * Forbidden: `account_not_allowed`, `missing_scope`, `other_organization`
     */
    403: ErrorBody;
    /**
     * Not Found: `conversation_not_found`
     */
    404: ErrorBody;
    /**
     * Request Entity Too Large: `body_too_large`
     */
    413: ErrorBody;
    /**
     * Validation Error
     */
    422: HttpValidationError;
    /**
     * Too Many Requests: `rate_limited`, `too_many_reads`
     */
    429: ErrorBody;
    /**
     * Service Unavailable: `unavailable`
     */
    503: ErrorBody;
};

export type ListConversationNotesError = ListConversationNotesErrors[keyof ListConversationNotesErrors];

export type ListConversationNotesResponses = {
    /**
     * Successful Response
     */
    200: NoteList;
};

export type ListConversationNotesResponse = ListConversationNotesResponses[keyof ListConversationNotesResponses];

export type CreateConversationNoteData = {
    body: WriteNote;
    headers?: {
        /**
         * A name for this request, 1 to 255 characters, quoted or not: a repeat within 24 hours gets the first answer, and nothing is done twice.
         */
        'Idempotency-Key'?: string | null;
    };
    path: {
        /**
         * The conversation's id.
         */
        conversation_id: string;
    };
    query?: never;
    url: '/api/v1/conversations/{conversation_id}/notes';
};

export type CreateConversationNoteErrors = {
    /**
     * Unauthorized: `expired_api_key`, `invalid_api_key`, `malformed_authorization`, `missing_api_key`, `revoked_api_key`
     */
    401: ErrorBody;
    /**
     * Forbidden: `account_not_allowed`, `missing_scope`, `other_organization`
     */
    403: ErrorBody;
    /**
     * Not Found: `conversation_not_found`
     */
    404: ErrorBody;
    /**
     * Conflict: `idempotency_conflict`
     */
    409: ErrorBody;
    /**
     * Request Entity Too Large: `body_too_large`
     */
    413: ErrorBody;
    /**
     * Unsupported Media Type: `unsupported_media_type`
     */
    415: ErrorBody;
    /**
     * Validation Error
     */
    422: HttpValidationError;
    /**
     * Too Many Requests: `rate_limited`, `too_many_reads`
     */
    429: ErrorBody;
    /**
     * Service Unavailable: `unavailable`
     */
    503: ErrorBody;
};

export type CreateConversationNoteError = CreateConversationNoteErrors[keyof CreateConversationNoteErrors];

export type CreateConversationNoteResponses = {
    /**
     * Successful Response
     */
    201: Note;
};

export type CreateConversationNoteResponse = CreateConversationNoteResponses[keyof CreateConversationNoteResponses];

export type JoinGroupData = {
    body: JoinGroup;
    headers?: {
        /**
         * A name for this request, 1 to 255 characters, quoted or not: a repeat within 24 hours gets the first answer, and nothing is done twice.
         */
        'Idempotency-Key'?: string | null;
    };
    path?: never;
    query?: never;
    url: '/api/v1/groups/join';
};

export type JoinGroupErrors = {
    /**
     * Unauthorized: `expired_api_key`, `invalid_api_key`, `malformed_authorization`, `missing_api_key`, `revoked_api_key`
     */
    401: ErrorBody;
    /**
     * Forbidden: `account_not_allowed`, `missing_scope`
     */
    403: ErrorBody;
    /**
     * Not Found: `not_found`, `session_not_found`
     */
    404: ErrorBody;
    /**
     * Conflict: `already_in_group`, `approval_required`, `chat_account_not_connected`, `idempotency_conflict`, `job_unknown`, `not_supported_by_network`, `refused_for_good`
     */
    409: ErrorBody;
    /**
     * Gone: `invite_revoked`
     */
    410: ErrorBody;
    /**
     * Request Entity Too Large: `body_too_large`
     */
    413: ErrorBody;
    /**
     * Unsupported Media Type: `unsupported_media_type`
     */
    415: ErrorBody;
    /**
     * Validation Error
     */
    422: HttpValidationError;
    /**
     * Too Many Requests: `rate_limited`, `too_many_reads`
     */
    429: ErrorBody;
    /**
     * Bad Gateway: `network_refused`
     */
    502: ErrorBody;
    /**
     * Service Unavailable: `unavailable`
     */
    503: ErrorBody;
    /**
     * Gateway Timeout: `network_timeout`
     */
    504: ErrorBody;
};

export type JoinGroupError = JoinGroupErrors[keyof JoinGroupErrors];

export type JoinGroupResponses = {
    /**
     * Successful Response
     */
    200: JoinedGroup;
};

export type JoinGroupResponse = JoinGroupResponses[keyof JoinGroupResponses];

export type GetGroupData = {
    body?: never;
    path: {
        /**
         * The conversation's id.
         */
        conversation_id: string;
    };
    query?: never;
    url: '/api/v1/groups/{conversation_id}';
};

export type GetGroupErrors = {
    /**
     * Unauthorized: `expired_api_key`, `invalid_api_key`, `malformed_authorization`, `missing_api_key`, `revoked_api_key`
     */
    401: ErrorBody;
    /**
     * Forbidden: `account_not_allowed`, `missing_scope`, `other_organization`
     */
    403: ErrorBody;
    /**
     * Not Found: `chat_account_not_found`, `conversation_not_found`, `not_found`
     */
    404: ErrorBody;
    /**
     * Conflict: `chat_account_not_connected`, `job_unknown`, `not_supported_by_network`, `refused_for_good`
     */
    409: ErrorBody;
    /**
     * Request Entity Too Large: `body_too_large`
     */
    413: ErrorBody;
    /**
     * Validation Error
     */
    422: HttpValidationError;
    /**
     * Too Many Requests: `rate_limited`, `too_many_reads`
     */
    429: ErrorBody;
    /**
     * Bad Gateway: `network_refused`
     */
    502: ErrorBody;
    /**
     * Service Unavailable: `unavailable`
     */
    503: ErrorBody;
    /**
     * Gateway Timeout: `network_timeout`
     */
    504: ErrorBody;
};

export type GetGroupError = GetGroupErrors[keyof GetGroupErrors];

export type GetGroupResponses = {
    /**
     * Successful Response
     */
    200: Group;
};

export type GetGroupResponse = GetGroupResponses[keyof GetGroupResponses];

export type ChangeGroupData = {
    body: ChangeGroup;
    path: {
        /**
         * The conversation's id.
         */
        conversation_id: string;
    };
    query?: never;
    url: '/api/v1/groups/{conversation_id}';
};

export type ChangeGroupErrors = {
    /**
     * Unauthorized: `expired_api_key`, `invalid_api_key`, `malformed_authorization`, `missing_api_key`, `revoked_api_key`
     */
    401: ErrorBody;
    /**
     * Forbidden: `account_not_allowed`, `missing_scope`, `other_organization`
     */
    403: ErrorBody;
    /**
     * Not Found: `chat_account_not_found`, `conversation_not_found`, `not_found`
     */
    404: ErrorBody;
    /**
     * Conflict: `chat_account_not_connected`, `job_unknown`, `not_supported_by_network`, `refused_for_good`
     */
    409: ErrorBody;
    /**
     * Request Entity Too Large: `body_too_large`
     */
    413: ErrorBody;
    /**
     * Unsupported Media Type: `unsupported_media_type`
     */
    415: ErrorBody;
    /**
     * Validation Error
     */
    422: HttpValidationError;
    /**
     * Too Many Requests: `rate_limited`, `too_many_reads`
     */
    429: ErrorBody;
    /**
     * Bad Gateway: `network_refused`
     */
    502: ErrorBody;
    /**
     * Service Unavailable: `unavailable`
     */
    503: ErrorBody;
    /**
     * Gateway Timeout: `network_timeout`
     */
    504: ErrorBody;
};

export type ChangeGroupError = ChangeGroupErrors[keyof ChangeGroupErrors];

export type ChangeGroupResponses = {
    /**
     * Successful Response
     */
    200: Group;
};

export type ChangeGroupResponse = ChangeGroupResponses[keyof ChangeGroupResponses];

export type AddGroupParticipantsData = {
    body: AddParticipants;
    headers?: {
        /**
         * A name for this request, 1 to 255 characters, quoted or not: a repeat within 24 hours gets the first answer, and nothing is done twice.
         */
        'Idempotency-Key'?: string | null;
    };
    path: {
        /**
         * The conversation's id.
         */
        conversation_id: string;
    };
    query?: never;
    url: '/api/v1/groups/{conversation_id}/participants';
};

export type AddGroupParticipantsErrors = {
    /**
     * Unauthorized: `expired_api_key`, `invalid_api_key`, `malformed_authorization`, `missing_api_key`, `revoked_api_key`
     */
    401: ErrorBody;
    /**
     * Forbidden: `account_not_allowed`, `missing_scope`, `other_organization`
     */
    403: ErrorBody;
    /**
     * Not Found: `chat_account_not_found`, `conversation_not_found`, `not_found`
     */
    404: ErrorBody;
    /**
     * Conflict: `chat_account_not_connected`, `idempotency_conflict`, `job_unknown`, `not_supported_by_network`, `refused_for_good`
     */
    409: ErrorBody;
    /**
     * Request Entity Too Large: `body_too_large`
     */
    413: ErrorBody;
    /**
     * Unsupported Media Type: `unsupported_media_type`
     */
    415: ErrorBody;
    /**
     * Validation Error
     */
    422: HttpValidationError;
    /**
     * Too Many Requests: `rate_limited`, `too_many_reads`
     */
    429: ErrorBody;
    /**
     * Bad Gateway: `network_refused`
     */
    502: ErrorBody;
    /**
     * Service Unavailable: `unavailable`
     */
    503: ErrorBody;
    /**
     * Gateway Timeout: `network_timeout`
     */
    504: ErrorBody;
};

export type AddGroupParticipantsError = AddGroupParticipantsErrors[keyof AddGroupParticipantsErrors];

export type AddGroupParticipantsResponses = {
    /**
     * Successful Response
     */
    200: AddedParticipants;
};

export type AddGroupParticipantsResponse = AddGroupParticipantsResponses[keyof AddGroupParticipantsResponses];

export type RemoveGroupParticipantData = {
    body?: never;
    path: {
        /**
         * The conversation's id.
         */
        conversation_id: string;
        /**
         * Their address on the network, or phone number.
         */
        jid: string;
    };
    query?: never;
    url: '/api/v1/groups/{conversation_id}/participants/{jid}';
};

export type RemoveGroupParticipantErrors = {
    /**
     * Unauthorized: `expired_api_key`, `invalid_api_key`, `malformed_authorization`, `missing_api_key`, `revoked_api_key`
     */
    401: ErrorBody;
    /**
     * Forbidden: `account_not_allowed`, `missing_scope`, `other_organization`
     */
    403: ErrorBody;
    /**
     * Not Found: `chat_account_not_found`, `conversation_not_found`, `not_found`
     */
    404: ErrorBody;
    /**
     * Conflict: `chat_account_not_connected`, `job_unknown`, `not_supported_by_network`, `refused_for_good`
     */
    409: ErrorBody;
    /**
     * Request Entity Too Large: `body_too_large`
     */
    413: ErrorBody;
    /**
     * Validation Error
     */
    422: HttpValidationError;
    /**
     * Too Many Requests: `rate_limited`, `too_many_reads`
     */
    429: ErrorBody;
    /**
     * Bad Gateway: `network_refused`
     */
    502: ErrorBody;
    /**
     * Service Unavailable: `unavailable`
     */
    503: ErrorBody;
    /**
     * Gateway Timeout: `network_timeout`
     */
    504: ErrorBody;
};

export type RemoveGroupParticipantError = RemoveGroupParticipantErrors[keyof RemoveGroupParticipantErrors];

export type RemoveGroupParticipantResponses = {
    /**
     * Successful Response
     */
    204: void;
};

export type RemoveGroupParticipantResponse = RemoveGroupParticipantResponses[keyof RemoveGroupParticipantResponses];

export type GetGroupInviteLinkData = {
    body?: never;
    path: {
        /**
         * The conversation's id.
         */
        conversation_id: string;
    };
    query?: never;
    url: '/api/v1/groups/{conversation_id}/invite-link';
};

export type GetGroupInviteLinkErrors = {
    /**
     * Unauthorized: `expired_api_key`, `invalid_api_key`, `malformed_authorization`, `missing_api_key`, `revoked_api_key`
     */
    401: ErrorBody;
    /**
     * Forbidden: `account_not_allowed`, `missing_scope`, `other_organization`
     */
    403: ErrorBody;
    /**
     * Not Found: `chat_account_not_found`, `conversation_not_found`, `not_found`
     */
    404: ErrorBody;
    /**
     * Conflict: `chat_account_not_connected`, `job_unknown`, `not_supported_by_network`, `refused_for_good`
     */
    409: ErrorBody;
    /**
     * Request Entity Too Large: `body_too_large`
     */
    413: ErrorBody;
    /**
     * Validation Error
     */
    422: HttpValidationError;
    /**
     * Too Many Requests: `rate_limited`, `too_many_reads`
     */
    429: ErrorBody;
    /**
     * Bad Gateway: `network_refused`
     */
    502: ErrorBody;
    /**
     * Service Unavailable: `unavailable`
     */
    503: ErrorBody;
    /**
     * Gateway Timeout: `network_timeout`
     */
    504: ErrorBody;
};

export type GetGroupInviteLinkError = GetGroupInviteLinkErrors[keyof GetGroupInviteLinkErrors];

export type GetGroupInviteLinkResponses = {
    /**
     * Successful Response
     */
    200: GroupInviteLink;
};

export type GetGroupInviteLinkResponse = GetGroupInviteLinkResponses[keyof GetGroupInviteLinkResponses];

export type LeaveGroupData = {
    body?: never;
    headers?: {
        /**
         * A name for this request, 1 to 255 characters, quoted or not: a repeat within 24 hours gets the first answer, and nothing is done twice.
         */
        'Idempotency-Key'?: string | null;
    };
    path: {
        /**
         * The conversation's id.
         */
        conversation_id: string;
    };
    query?: never;
    url: '/api/v1/groups/{conversation_id}/leave';
};

export type LeaveGroupErrors = {
    /**
     * Unauthorized: `expired_api_key`, `invalid_api_key`, `malformed_authorization`, `missing_api_key`, `revoked_api_key`
     */
    401: ErrorBody;
    /**
     * Forbidden: `account_not_allowed`, `missing_scope`, `other_organization`
     */
    403: ErrorBody;
    /**
     * Not Found: `chat_account_not_found`, `conversation_not_found`, `not_found`
     */
    404: ErrorBody;
    /**
     * Conflict: `chat_account_not_connected`, `idempotency_conflict`, `job_unknown`, `not_supported_by_network`, `refused_for_good`
     */
    409: ErrorBody;
    /**
     * Request Entity Too Large: `body_too_large`
     */
    413: ErrorBody;
    /**
     * Validation Error
     */
    422: HttpValidationError;
    /**
     * Too Many Requests: `rate_limited`, `too_many_reads`
     */
    429: ErrorBody;
    /**
     * Bad Gateway: `network_refused`
     */
    502: ErrorBody;
    /**
     * Service Unavailable: `unavailable`
     */
    503: ErrorBody;
    /**
     * Gateway Timeout: `network_timeout`
     */
    504: ErrorBody;
};

export type LeaveGroupError = LeaveGroupErrors[keyof LeaveGroupErrors];

export type LeaveGroupResponses = {
    /**
     * Successful Response
     */
    200: LeftGroup;
};

export type LeaveGroupResponse = LeaveGroupResponses[keyof LeaveGroupResponses];

export type CheckContactsData = {
    body: CheckNumbers;
    headers?: {
        /**
         * A name for this request, 1 to 255 characters, quoted or not: a repeat within 24 hours gets the first answer, and nothing is done twice.
         */
        'Idempotency-Key'?: string | null;
    };
    path?: never;
    query?: never;
    url: '/api/v1/contacts/check';
};

export type CheckContactsErrors = {
    /**
     * Unauthorized: `expired_api_key`, `invalid_api_key`, `malformed_authorization`, `missing_api_key`, `revoked_api_key`
     */
    401: ErrorBody;
    /**
     * Forbidden: `account_not_allowed`, `missing_scope`, `other_organization`
     */
    403: ErrorBody;
    /**
     * Not Found: `chat_account_not_found`
     */
    404: ErrorBody;
    /**
     * Conflict: `chat_account_not_connected`, `idempotency_conflict`, `no_chat_account`, `not_supported_by_network`, `refused_for_good`
     */
    409: ErrorBody;
    /**
     * Request Entity Too Large: `body_too_large`
     */
    413: ErrorBody;
    /**
     * Unsupported Media Type: `unsupported_media_type`
     */
    415: ErrorBody;
    /**
     * Validation Error
     */
    422: HttpValidationError;
    /**
     * Too Many Requests: `rate_limited`, `too_many_reads`
     */
    429: ErrorBody;
    /**
     * Bad Gateway: `network_refused`
     */
    502: ErrorBody;
    /**
     * Service Unavailable: `unavailable`
     */
    503: ErrorBody;
    /**
     * Gateway Timeout: `network_timeout`
     */
    504: ErrorBody;
};

export type CheckContactsError = CheckContactsErrors[keyof CheckContactsErrors];

export type CheckContactsResponses = {
    /**
     * Successful Response
     */
    200: CheckedNumbers;
};

export type CheckContactsResponse = CheckContactsResponses[keyof CheckContactsResponses];

export type ShowTypingData = {
    body?: ShowTyping;
    headers?: {
        /**
         * A name for this request, 1 to 255 characters, quoted or not: a repeat within 24 hours gets the first answer, and nothing is done twice.
         */
        'Idempotency-Key'?: string | null;
    };
    path: {
        /**
         * The conversation's id.
         */
        conversation_id: string;
    };
    query?: never;
    url: '/api/v1/conversations/{conversation_id}/typing';
};

export type ShowTypingErrors = {
    /**
     * Unauthorized: `expired_api_key`, `invalid_api_key`, `malformed_authorization`, `missing_api_key`, `revoked_api_key`
     */
    401: ErrorBody;
    /**
     * Forbidden: `account_not_allowed`, `missing_scope`, `other_organization`
     */
    403: ErrorBody;
    /**
     * Not Found: `chat_account_not_found`, `conversation_not_found`
     */
    404: ErrorBody;
    /**
     * Conflict: `chat_account_not_connected`, `idempotency_conflict`, `not_supported_by_network`, `refused_for_good`
     */
    409: ErrorBody;
    /**
     * Request Entity Too Large: `body_too_large`
     */
    413: ErrorBody;
    /**
     * Unsupported Media Type: `unsupported_media_type`
     */
    415: ErrorBody;
    /**
     * Validation Error
     */
    422: HttpValidationError;
    /**
     * Too Many Requests: `rate_limited`, `too_many_reads`
     */
    429: ErrorBody;
    /**
     * Bad Gateway: `network_refused`
     */
    502: ErrorBody;
    /**
     * Service Unavailable: `unavailable`
     */
    503: ErrorBody;
    /**
     * Gateway Timeout: `network_timeout`
     */
    504: ErrorBody;
};

export type ShowTypingError = ShowTypingErrors[keyof ShowTypingErrors];

export type ShowTypingResponses = {
    /**
     * Successful Response
     */
    200: TypingShown;
};

export type ShowTypingResponse = ShowTypingResponses[keyof ShowTypingResponses];

export type ListMediaData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * Only of this type, such as `image/png`, or of this kind, `image`.
         */
        media_type?: string | null;
        /**
         * Only `upload`, or only `inbound`: sent to one of your devices.
         */
        origin?: string | null;
        /**
         * Only what came in through this device.
         */
        chat_account_id?: string | null;
        /**
         * Maximum number of entries.
         */
        limit?: number;
        /**
         * Where to continue: the `next_cursor` of the previous page. Without it, the newest entries.
         */
        cursor?: string | null;
    };
    url: '/api/v1/media';
};

export type ListMediaErrors = {
    /**
     * Unauthorized: `expired_api_key`, `invalid_api_key`, `malformed_authorization`, `missing_api_key`, `revoked_api_key`
     */
    401: ErrorBody;
    /**
     * Forbidden: `account_not_allowed`, `missing_scope`, `other_organization`
     */
    403: ErrorBody;
    /**
     * Request Entity Too Large: `body_too_large`
     */
    413: ErrorBody;
    /**
     * Validation Error
     */
    422: HttpValidationError;
    /**
     * Too Many Requests: `rate_limited`, `too_many_reads`
     */
    429: ErrorBody;
    /**
     * Service Unavailable: `unavailable`
     */
    503: ErrorBody;
};

export type ListMediaError = ListMediaErrors[keyof ListMediaErrors];

export type ListMediaResponses = {
    /**
     * Successful Response
     */
    200: MediaList;
};

export type ListMediaResponse = ListMediaResponses[keyof ListMediaResponses];

export type UploadMediaData = {
    /**
     * The file's own bytes, with its media type as `Content-Type`.
     */
    body: Blob | File;
    headers?: {
        /**
         * A name for this request, 1 to 255 characters, quoted or not: a repeat within 24 hours gets the first answer, and nothing is done twice.
         */
        'Idempotency-Key'?: string | null;
    };
    path?: never;
    query?: {
        /**
         * The file's name, at most 255 bytes in UTF-8: without `/`, `\\` and control characters. Recipients of the file as a document see it.
         */
        file_name?: string | null;
    };
    url: '/api/v1/media';
};

export type UploadMediaErrors = {
    /**
     * Unauthorized: `expired_api_key`, `invalid_api_key`, `malformed_authorization`, `missing_api_key`, `revoked_api_key`
     */
    401: ErrorBody;
    /**
     * Forbidden: `account_not_allowed`, `missing_scope`
     */
    403: ErrorBody;
    /**
     * Conflict: `idempotency_conflict`
     */
    409: ErrorBody;
    /**
     * Request Entity Too Large: `body_too_large`
     */
    413: ErrorBody;
    /**
     * Unsupported Media Type: `unsupported_media_type`
     */
    415: ErrorBody;
    /**
     * Validation Error
     */
    422: HttpValidationError;
    /**
     * Too Many Requests: `plan_limit_reached`, `rate_limited`, `too_many_reads`
     */
    429: ErrorBody;
    /**
     * Service Unavailable: `unavailable`
     */
    503: ErrorBody;
};

export type UploadMediaError = UploadMediaErrors[keyof UploadMediaErrors];

export type UploadMediaResponses = {
    /**
     * Successful Response
     */
    201: MediaFile;
};

export type UploadMediaResponse = UploadMediaResponses[keyof UploadMediaResponses];

export type DeleteMediaData = {
    body?: never;
    path: {
        /**
         * The file's id, as returned by the upload.
         */
        media_id: string;
    };
    query?: never;
    url: '/api/v1/media/{media_id}';
};

export type DeleteMediaErrors = {
    /**
     * Unauthorized: `expired_api_key`, `invalid_api_key`, `malformed_authorization`, `missing_api_key`, `revoked_api_key`
     */
    401: ErrorBody;
    /**
     * Forbidden: `account_not_allowed`, `missing_scope`, `other_organization`
     */
    403: ErrorBody;
    /**
     * Not Found: `media_not_found`
     */
    404: ErrorBody;
    /**
     * Conflict: `media_in_use`
     */
    409: ErrorBody;
    /**
     * Request Entity Too Large: `body_too_large`
     */
    413: ErrorBody;
    /**
     * Validation Error
     */
    422: HttpValidationError;
    /**
     * Too Many Requests: `rate_limited`, `too_many_reads`
     */
    429: ErrorBody;
    /**
     * Service Unavailable: `unavailable`
     */
    503: ErrorBody;
};

export type DeleteMediaError = DeleteMediaErrors[keyof DeleteMediaErrors];

export type DeleteMediaResponses = {
    /**
     * Successful Response
     */
    204: void;
};

export type DeleteMediaResponse = DeleteMediaResponses[keyof DeleteMediaResponses];

export type GetMediaData = {
    body?: never;
    path: {
        /**
         * The file's id, as returned by the upload.
         */
        media_id: string;
    };
    query?: never;
    url: '/api/v1/media/{media_id}';
};

export type GetMediaErrors = {
    /**
     * Unauthorized: `expired_api_key`, `invalid_api_key`, `malformed_authorization`, `missing_api_key`, `revoked_api_key`
     */
    401: ErrorBody;
    /**
     * Forbidden: `account_not_allowed`, `missing_scope`, `other_organization`
     */
    403: ErrorBody;
    /**
     * Not Found: `media_not_found`
     */
    404: ErrorBody;
    /**
     * Request Entity Too Large: `body_too_large`
     */
    413: ErrorBody;
    /**
     * Validation Error
     */
    422: HttpValidationError;
    /**
     * Too Many Requests: `rate_limited`, `too_many_reads`
     */
    429: ErrorBody;
    /**
     * Service Unavailable: `unavailable`
     */
    503: ErrorBody;
};

export type GetMediaError = GetMediaErrors[keyof GetMediaErrors];

export type GetMediaResponses = {
    /**
     * Successful Response
     */
    200: MediaFile;
};

export type GetMediaResponse = GetMediaResponses[keyof GetMediaResponses];

export type SyncContactsData = {
    body: SyncContacts;
    headers?: {
        /**
         * A name for this request, 1 to 255 characters, quoted or not: a repeat within 24 hours gets the first answer, and nothing is done twice.
         */
        'Idempotency-Key'?: string | null;
    };
    path?: never;
    query?: never;
    url: '/api/v1/contacts/sync';
};

export type SyncContactsErrors = {
    /**
     * Unauthorized: `expired_api_key`, `invalid_api_key`, `malformed_authorization`, `missing_api_key`, `revoked_api_key`
     */
    401: ErrorBody;
    /**
     * Forbidden: `account_not_allowed`, `missing_scope`, `other_organization`
     */
    403: ErrorBody;
    /**
     * Not Found: `chat_account_not_found`
     */
    404: ErrorBody;
    /**
     * Conflict: `chat_account_not_connected`, `idempotency_conflict`, `not_supported_by_network`
     */
    409: ErrorBody;
    /**
     * Request Entity Too Large: `body_too_large`
     */
    413: ErrorBody;
    /**
     * Unsupported Media Type: `unsupported_media_type`
     */
    415: ErrorBody;
    /**
     * Validation Error
     */
    422: HttpValidationError;
    /**
     * Too Many Requests: `rate_limited`, `too_many_reads`
     */
    429: ErrorBody;
    /**
     * Service Unavailable: `unavailable`
     */
    503: ErrorBody;
};

export type SyncContactsError = SyncContactsErrors[keyof SyncContactsErrors];

export type SyncContactsResponses = {
    /**
     * Successful Response
     */
    200: SyncStarted;
};

export type SyncContactsResponse = SyncContactsResponses[keyof SyncContactsResponses];

export type GetContactSyncData = {
    body?: never;
    path: {
        /**
         * The synchronization's id, as returned at its start.
         */
        job_id: string;
    };
    query?: never;
    url: '/api/v1/contacts/sync/{job_id}';
};

export type GetContactSyncErrors = {
    /**
     * Unauthorized: `expired_api_key`, `invalid_api_key`, `malformed_authorization`, `missing_api_key`, `revoked_api_key`
     */
    401: ErrorBody;
    /**
     * Forbidden: `account_not_allowed`, `missing_scope`, `other_organization`
     */
    403: ErrorBody;
    /**
     * Not Found: `not_found`
     */
    404: ErrorBody;
    /**
     * Request Entity Too Large: `body_too_large`
     */
    413: ErrorBody;
    /**
     * Validation Error
     */
    422: HttpValidationError;
    /**
     * Too Many Requests: `rate_limited`, `too_many_reads`
     */
    429: ErrorBody;
    /**
     * Service Unavailable: `unavailable`
     */
    503: ErrorBody;
};

export type GetContactSyncError = GetContactSyncErrors[keyof GetContactSyncErrors];

export type GetContactSyncResponses = {
    /**
     * Successful Response
     */
    200: SyncState;
};

export type GetContactSyncResponse = GetContactSyncResponses[keyof GetContactSyncResponses];

export type ListContactsData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * Maximum number of entries.
         */
        limit?: number;
        /**
         * Where to continue: the `next_cursor` of the previous page. Without it, the newest entries.
         */
        cursor?: string | null;
        /**
         * Part of a name, in any case, or of the phone number, in any notation.
         */
        search?: string | null;
        /**
         * Only those with this label.
         */
        label_id?: string | null;
        /**
         * Only the one with this number, in any notation.
         */
        phone_number?: string | null;
    };
    url: '/api/v1/contacts';
};

export type ListContactsErrors = {
    /**
     * Unauthorized: `expired_api_key`, `invalid_api_key`, `malformed_authorization`, `missing_api_key`, `revoked_api_key`
     */
    401: ErrorBody;
    /**
     * Forbidden: `account_not_allowed`, `missing_scope`, `other_organization`
     */
    403: ErrorBody;
    /**
     * Request Entity Too Large: `body_too_large`
     */
    413: ErrorBody;
    /**
     * Validation Error
     */
    422: HttpValidationError;
    /**
     * Too Many Requests: `rate_limited`, `too_many_reads`
     */
    429: ErrorBody;
    /**
     * Service Unavailable: `unavailable`
     */
    503: ErrorBody;
};

export type ListContactsError = ListContactsErrors[keyof ListContactsErrors];

export type ListContactsResponses = {
    /**
     * Successful Response
     */
    200: ContactList;
};

export type ListContactsResponse = ListContactsResponses[keyof ListContactsResponses];

export type GetContactData = {
    body?: never;
    path: {
        /**
         * The contact's id.
         */
        contact_id: string;
    };
    query?: never;
    url: '/api/v1/contacts/{contact_id}';
};

export type GetContactErrors = {
    /**
     * Unauthorized: `expired_api_key`, `invalid_api_key`, `malformed_authorization`, `missing_api_key`, `revoked_api_key`
     */
    401: ErrorBody;
    /**
     * Forbidden: `account_not_allowed`, `missing_scope`, `other_organization`
     */
    403: ErrorBody;
    /**
     * Not Found: `contact_not_found`
     */
    404: ErrorBody;
    /**
     * Request Entity Too Large: `body_too_large`
     */
    413: ErrorBody;
    /**
     * Validation Error
     */
    422: HttpValidationError;
    /**
     * Too Many Requests: `rate_limited`, `too_many_reads`
     */
    429: ErrorBody;
    /**
     * Service Unavailable: `unavailable`
     */
    503: ErrorBody;
};

export type GetContactError = GetContactErrors[keyof GetContactErrors];

export type GetContactResponses = {
    /**
     * Successful Response
     */
    200: Contact;
};

export type GetContactResponse = GetContactResponses[keyof GetContactResponses];

export type ChangeContactData = {
    body: ChangeContact;
    path: {
        /**
         * The contact's id.
         */
        contact_id: string;
    };
    query?: never;
    url: '/api/v1/contacts/{contact_id}';
};

export type ChangeContactErrors = {
    /**
     * Unauthorized: `expired_api_key`, `invalid_api_key`, `malformed_authorization`, `missing_api_key`, `revoked_api_key`
     */
    401: ErrorBody;
    /**
     * Forbidden: `account_not_allowed`, `missing_scope`, `other_organization`
     */
    403: ErrorBody;
    /**
     * Not Found: `contact_not_found`, `not_found`
     */
    404: ErrorBody;
    /**
     * Request Entity Too Large: `body_too_large`
     */
    413: ErrorBody;
    /**
     * Unsupported Media Type: `unsupported_media_type`
     */
    415: ErrorBody;
    /**
     * Validation Error
     */
    422: HttpValidationError;
    /**
     * Too Many Requests: `rate_limited`, `too_many_reads`
     */
    429: ErrorBody;
    /**
     * Service Unavailable: `unavailable`
     */
    503: ErrorBody;
};

export type ChangeContactError = ChangeContactErrors[keyof ChangeContactErrors];

export type ChangeContactResponses = {
    /**
     * Successful Response
     */
    200: Contact;
};

export type ChangeContactResponse = ChangeContactResponses[keyof ChangeContactResponses];

export type GetContactProfilePictureData = {
    body?: never;
    path: {
        /**
         * The contact's id.
         */
        contact_id: string;
    };
    query?: {
        /**
         * The account to look with; default: the primary connected account.
         */
        chat_account_id?: string | null;
        /**
         * True for the thumbnail.
         */
        preview?: boolean;
    };
    url: '/api/v1/contacts/{contact_id}/profile-picture';
};

export type GetContactProfilePictureErrors = {
    /**
     * Unauthorized: `expired_api_key`, `invalid_api_key`, `malformed_authorization`, `missing_api_key`, `revoked_api_key`
     */
    401: ErrorBody;
    /**
     * Forbidden: `account_not_allowed`, `missing_scope`, `other_organization`
     */
    403: ErrorBody;
    /**
     * Not Found: `chat_account_not_found`, `contact_not_found`, `picture_not_found`
     */
    404: ErrorBody;
    /**
     * Conflict: `chat_account_not_connected`, `no_chat_account`, `not_supported_by_network`, `refused_for_good`
     */
    409: ErrorBody;
    /**
     * Request Entity Too Large: `body_too_large`
     */
    413: ErrorBody;
    /**
     * Validation Error
     */
    422: HttpValidationError;
    /**
     * Too Many Requests: `rate_limited`, `too_many_reads`
     */
    429: ErrorBody;
    /**
     * Bad Gateway: `network_refused`
     */
    502: ErrorBody;
    /**
     * Service Unavailable: `unavailable`
     */
    503: ErrorBody;
    /**
     * Gateway Timeout: `network_timeout`
     */
    504: ErrorBody;
};

export type GetContactProfilePictureError = GetContactProfilePictureErrors[keyof GetContactProfilePictureErrors];

export type GetContactProfilePictureResponses = {
    /**
     * Successful Response
     */
    200: ProfilePicture;
};

export type GetContactProfilePictureResponse = GetContactProfilePictureResponses[keyof GetContactProfilePictureResponses];

export type ListLabelsData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * Maximum number of entries.
         */
        limit?: number;
        /**
         * Number of entries to skip.
         */
        offset?: number;
    };
    url: '/api/v1/labels';
};

export type ListLabelsErrors = {
    /**
     * Unauthorized: `expired_api_key`, `invalid_api_key`, `malformed_authorization`, `missing_api_key`, `revoked_api_key`
     */
    401: ErrorBody;
    /**
     * Forbidden: `account_not_allowed`, `missing_scope`
     */
    403: ErrorBody;
    /**
     * Request Entity Too Large: `body_too_large`
     */
    413: ErrorBody;
    /**
     * Validation Error
     */
    422: HttpValidationError;
    /**
     * Too Many Requests: `rate_limited`, `too_many_reads`
     */
    429: ErrorBody;
    /**
     * Service Unavailable: `unavailable`
     */
    503: ErrorBody;
};

export type ListLabelsError = ListLabelsErrors[keyof ListLabelsErrors];

export type ListLabelsResponses = {
    /**
     * Successful Response
     */
    200: LabelList;
};

export type ListLabelsResponse = ListLabelsResponses[keyof ListLabelsResponses];

export type CreateLabelData = {
    body: CreateLabel;
    headers?: {
        /**
         * A name for this request, 1 to 255 characters, quoted or not: a repeat within 24 hours gets the first answer, and nothing is done twice.
         */
        'Idempotency-Key'?: string | null;
    };
    path?: never;
    query?: never;
    url: '/api/v1/labels';
};

export type CreateLabelErrors = {
    /**
     * Unauthorized: `expired_api_key`, `invalid_api_key`, `malformed_authorization`, `missing_api_key`, `revoked_api_key`
     */
    401: ErrorBody;
    /**
     * Forbidden: `account_not_allowed`, `missing_scope`
     */
    403: ErrorBody;
    /**
     * Conflict: `idempotency_conflict`
     */
    409: ErrorBody;
    /**
     * Request Entity Too Large: `body_too_large`
     */
    413: ErrorBody;
    /**
     * Unsupported Media Type: `unsupported_media_type`
     */
    415: ErrorBody;
    /**
     * Validation Error
     */
    422: HttpValidationError;
    /**
     * Too Many Requests: `rate_limited`, `too_many_reads`
     */
    429: ErrorBody;
    /**
     * Service Unavailable: `unavailable`
     */
    503: ErrorBody;
};

export type CreateLabelError = CreateLabelErrors[keyof CreateLabelErrors];

export type CreateLabelResponses = {
    /**
     * Successful Response
     */
    201: Label;
};

export type CreateLabelResponse = CreateLabelResponses[keyof CreateLabelResponses];

export type DeleteLabelData = {
    body?: never;
    path: {
        /**
         * The label's id.
         */
        label_id: string;
    };
    query?: never;
    url: '/api/v1/labels/{label_id}';
};

export type DeleteLabelErrors = {
    /**
     * Unauthorized: `expired_api_key`, `invalid_api_key`, `malformed_authorization`, `missing_api_key`, `revoked_api_key`
     */
    401: ErrorBody;
    /**
     * Forbidden: `account_not_allowed`, `missing_scope`, `other_organization`
     */
    403: ErrorBody;
    /**
     * Not Found: `not_found`
     */
    404: ErrorBody;
    /**
     * Request Entity Too Large: `body_too_large`
     */
    413: ErrorBody;
    /**
     * Validation Error
     */
    422: HttpValidationError;
    /**
     * Too Many Requests: `rate_limited`, `too_many_reads`
     */
    429: ErrorBody;
    /**
     * Service Unavailable: `unavailable`
     */
    503: ErrorBody;
};

export type DeleteLabelError = DeleteLabelErrors[keyof DeleteLabelErrors];

export type DeleteLabelResponses = {
    /**
     * Successful Response
     */
    204: void;
};

export type DeleteLabelResponse = DeleteLabelResponses[keyof DeleteLabelResponses];

export type ChangeLabelData = {
    body: ChangeLabel;
    path: {
        /**
         * The label's id.
         */
        label_id: string;
    };
    query?: never;
    url: '/api/v1/labels/{label_id}';
};

export type ChangeLabelErrors = {
    /**
     * Unauthorized: `expired_api_key`, `invalid_api_key`, `malformed_authorization`, `missing_api_key`, `revoked_api_key`
     */
    401: ErrorBody;
    /**
     * Forbidden: `account_not_allowed`, `missing_scope`, `other_organization`
     */
    403: ErrorBody;
    /**
     * Not Found: `not_found`
     */
    404: ErrorBody;
    /**
     * Request Entity Too Large: `body_too_large`
     */
    413: ErrorBody;
    /**
     * Unsupported Media Type: `unsupported_media_type`
     */
    415: ErrorBody;
    /**
     * Validation Error
     */
    422: HttpValidationError;
    /**
     * Too Many Requests: `rate_limited`, `too_many_reads`
     */
    429: ErrorBody;
    /**
     * Service Unavailable: `unavailable`
     */
    503: ErrorBody;
};

export type ChangeLabelError = ChangeLabelErrors[keyof ChangeLabelErrors];

export type ChangeLabelResponses = {
    /**
     * Successful Response
     */
    200: Label;
};

export type ChangeLabelResponse = ChangeLabelResponses[keyof ChangeLabelResponses];

export type ListMembersData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * Maximum number of entries.
         */
        limit?: number;
        /**
         * Number of entries to skip.
         */
        offset?: number;
    };
    url: '/api/v1/members';
};

export type ListMembersErrors = {
    /**
     * Unauthorized: `expired_api_key`, `invalid_api_key`, `malformed_authorization`, `missing_api_key`, `revoked_api_key`
     */
    401: ErrorBody;
    /**
     * Forbidden: `account_not_allowed`, `missing_scope`
     */
    403: ErrorBody;
    /**
     * Request Entity Too Large: `body_too_large`
     */
    413: ErrorBody;
    /**
     * Validation Error
     */
    422: HttpValidationError;
    /**
     * Too Many Requests: `rate_limited`, `too_many_reads`
     */
    429: ErrorBody;
    /**
     * Service Unavailable: `unavailable`
     */
    503: ErrorBody;
};

export type ListMembersError = ListMembersErrors[keyof ListMembersErrors];

export type ListMembersResponses = {
    /**
     * Successful Response
     */
    200: MemberList;
};

export type ListMembersResponse = ListMembersResponses[keyof ListMembersResponses];

export type ListDevicesData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * Maximum number of entries.
         */
        limit?: number;
        /**
         * Number of entries to skip.
         */
        offset?: number;
        /**
         * Only devices in this state, such as `connected`, `disconnected`.
         */
        status?: string | null;
        /**
         * Part of a device name or session name, in any case, or of a phone number, in any notation, such as `+1 (555) 010`.
         */
        search?: string | null;
        /**
         * What to sort by.
         */
        sort_by?: DeviceSort;
        /**
         * The direction.
         */
        sort_order?: SortOrder;
    };
    url: '/api/v1/devices';
};

export type ListDevicesErrors = {
    /**
     * Unauthorized: `expired_api_key`, `invalid_api_key`, `malformed_authorization`, `missing_api_key`, `revoked_api_key`
     */
    401: ErrorBody;
    /**
     * Forbidden: `account_not_allowed`, `missing_scope`
     */
    403: ErrorBody;
    /**
     * Request Entity Too Large: `body_too_large`
     */
    413: ErrorBody;
    /**
     * Validation Error
     */
    422: HttpValidationError;
    /**
     * Too Many Requests: `rate_limited`, `too_many_reads`
     */
    429: ErrorBody;
    /**
     * Service Unavailable: `unavailable`
     */
    503: ErrorBody;
};

export type ListDevicesError = ListDevicesErrors[keyof ListDevicesErrors];

export type ListDevicesResponses = {
    /**
     * Successful Response
     */
    200: DeviceList;
};

export type ListDevicesResponse = ListDevicesResponses[keyof ListDevicesResponses];

export type CreateDeviceData = {
    body: CreateDevice;
    headers?: {
        /**
         * A name for this request, 1 to 255 characters, quoted or not: a repeat within 24 hours gets the first answer, and nothing is done twice.
         */
        'Idempotency-Key'?: string | null;
    };
    path?: never;
    query?: never;
    url: '/api/v1/devices';
};

export type CreateDeviceErrors = {
    /**
     * Unauthorized: `expired_api_key`, `invalid_api_key`, `malformed_authorization`, `missing_api_key`, `revoked_api_key`
     */
    401: ErrorBody;
    /**
     * Forbidden: `account_not_allowed`, `missing_scope`
     */
    403: ErrorBody;
    /**
     * Conflict: `idempotency_conflict`
     */
    409: ErrorBody;
    /**
     * Request Entity Too Large: `body_too_large`
     */
    413: ErrorBody;
    /**
     * Unsupported Media Type: `unsupported_media_type`
     */
    415: ErrorBody;
    /**
     * Validation Error
     */
    422: HttpValidationError;
    /**
     * Too Many Requests: `plan_limit_reached`, `rate_limited`, `too_many_reads`
     */
    429: ErrorBody;
    /**
     * Service Unavailable: `unavailable`
     */
    503: ErrorBody;
};

export type CreateDeviceError = CreateDeviceErrors[keyof CreateDeviceErrors];

export type CreateDeviceResponses = {
    /**
     * Successful Response
     */
    201: DeviceDetails;
};

export type CreateDeviceResponse = CreateDeviceResponses[keyof CreateDeviceResponses];

export type DeleteDeviceData = {
    body?: never;
    path: {
        /**
         * The device's id: the `chat_account_id` of messages and conversations.
         */
        device_id: string;
    };
    query?: never;
    url: '/api/v1/devices/{device_id}';
};

export type DeleteDeviceErrors = {
    /**
     * Unauthorized: `expired_api_key`, `invalid_api_key`, `malformed_authorization`, `missing_api_key`, `revoked_api_key`
     */
    401: ErrorBody;
    /**
     * Forbidden: `account_not_allowed`, `missing_scope`, `other_organization`
     */
    403: ErrorBody;
    /**
     * Not Found: `chat_account_not_found`
     */
    404: ErrorBody;
    /**
     * Conflict: `chat_account_connected`
     */
    409: ErrorBody;
    /**
     * Request Entity Too Large: `body_too_large`
     */
    413: ErrorBody;
    /**
     * Validation Error
     */
    422: HttpValidationError;
    /**
     * Too Many Requests: `rate_limited`, `too_many_reads`
     */
    429: ErrorBody;
    /**
     * Service Unavailable: `unavailable`
     */
    503: ErrorBody;
};

export type DeleteDeviceError = DeleteDeviceErrors[keyof DeleteDeviceErrors];

export type DeleteDeviceResponses = {
    /**
     * Successful Response
     */
    204: void;
};

export type DeleteDeviceResponse = DeleteDeviceResponses[keyof DeleteDeviceResponses];

export type GetDeviceData = {
    body?: never;
    path: {
        /**
         * The device's id: the `chat_account_id` of messages and conversations.
         */
        device_id: string;
    };
    query?: never;
    url: '/api/v1/devices/{device_id}';
};

export type GetDeviceErrors = {
    /**
     * Unauthorized: `expired_api_key`, `invalid_api_key`, `malformed_authorization`, `missing_api_key`, `revoked_api_key`
     */
    401: ErrorBody;
    /**
     * Forbidden: `account_not_allowed`, `missing_scope`, `other_organization`
     */
    403: ErrorBody;
    /**
     * Not Found: `chat_account_not_found`
     */
    404: ErrorBody;
    /**
     * Request Entity Too Large: `body_too_large`
     */
    413: ErrorBody;
    /**
     * Validation Error
     */
    422: HttpValidationError;
    /**
     * Too Many Requests: `rate_limited`, `too_many_reads`
     */
    429: ErrorBody;
    /**
     * Service Unavailable: `unavailable`
     */
    503: ErrorBody;
};

export type GetDeviceError = GetDeviceErrors[keyof GetDeviceErrors];

export type GetDeviceResponses = {
    /**
     * Successful Response
     */
    200: DeviceDetails;
};

export type GetDeviceResponse = GetDeviceResponses[keyof GetDeviceResponses];

export type ChangeDeviceData = {
    body: ChangeDevice;
    path: {
        /**
         * The device's id: the `chat_account_id` of messages and conversations.
         */
        device_id: string;
    };
    query?: never;
    url: '/api/v1/devices/{device_id}';
};

export type ChangeDeviceErrors = {
    /**
     * Unauthorized: `expired_api_key`, `invalid_api_key`, `malformed_authorization`, `missing_api_key`, `revoked_api_key`
     */
    401: ErrorBody;
    /**
     * Forbidden: `account_not_allowed`, `missing_scope`, `other_organization`
     */
    403: ErrorBody;
    /**
     * Not Found: `chat_account_not_found`
     */
    404: ErrorBody;
    /**
     * Request Entity Too Large: `body_too_large`
     */
    413: ErrorBody;
    /**
     * Unsupported Media Type: `unsupported_media_type`
     */
    415: ErrorBody;
    /**
     * Validation Error
     */
    422: HttpValidationError;
    /**
     * Too Many Requests: `rate_limited`, `too_many_reads`
     */
    429: ErrorBody;
    /**
     * Service Unavailable: `unavailable`
     */
    503: ErrorBody;
};

export type ChangeDeviceError = ChangeDeviceErrors[keyof ChangeDeviceErrors];

export type ChangeDeviceResponses = {
    /**
     * Successful Response
     */
    200: DeviceDetails;
};

export type ChangeDeviceResponse = ChangeDeviceResponses[keyof ChangeDeviceResponses];

export type GetDevicePairingData = {
    body?: never;
    headers?: {
        /**
         * `image/png` for the QR code as a picture.
         */
        accept?: string | null;
    };
    path: {
        /**
         * The device's id: the `chat_account_id` of messages and conversations.
         */
        device_id: string;
    };
    query?: never;
    url: '/api/v1/devices/{device_id}/pairing';
};

export type GetDevicePairingErrors = {
    /**
     * Unauthorized: `expired_api_key`, `invalid_api_key`, `malformed_authorization`, `missing_api_key`, `revoked_api_key`
     */
    401: ErrorBody;
    /**
     * Forbidden: `account_not_allowed`, `missing_scope`, `other_organization`
     */
    403: ErrorBody;
    /**
     * Not Found: `chat_account_not_found`
     */
    404: ErrorBody;
    /**
     * Conflict: `no_qr_code`
     */
    409: ErrorBody;
    /**
     * Request Entity Too Large: `body_too_large`
     */
    413: ErrorBody;
    /**
     * Validation Error
     */
    422: HttpValidationError;
    /**
     * Too Many Requests: `rate_limited`, `too_many_reads`
     */
    429: ErrorBody;
    /**
     * Service Unavailable: `unavailable`
     */
    503: ErrorBody;
};

export type GetDevicePairingError = GetDevicePairingErrors[keyof GetDevicePairingErrors];

export type GetDevicePairingResponses = {
    /**
     * Successful Response
     */
    200: Pairing;
};

export type GetDevicePairingResponse = GetDevicePairingResponses[keyof GetDevicePairingResponses];

export type PairDeviceData = {
    body: PairDevice;
    headers?: {
        /**
         * A name for this request, 1 to 255 characters, quoted or not: a repeat within 24 hours gets the first answer, and nothing is done twice.
         */
        'Idempotency-Key'?: string | null;
    };
    path: {
        /**
         * The device's id: the `chat_account_id` of messages and conversations.
         */
        device_id: string;
    };
    query?: never;
    url: '/api/v1/devices/{device_id}/pairing';
};

export type PairDeviceErrors = {
    /**
     * Unauthorized: `expired_api_key`, `invalid_api_key`, `malformed_authorization`, `missing_api_key`, `revoked_api_key`
     */
    401: ErrorBody;
    /**
     * Forbidden: `account_not_allowed`, `missing_scope`, `other_organization`
     */
    403: ErrorBody;
    /**
     * Not Found: `chat_account_not_found`
     */
    404: ErrorBody;
    /**
     * Conflict: `chat_account_connected`, `idempotency_conflict`, `not_supported_by_network`
     */
    409: ErrorBody;
    /**
     * Request Entity Too Large: `body_too_large`
     */
    413: ErrorBody;
    /**
     * Unsupported Media Type: `unsupported_media_type`
     */
    415: ErrorBody;
    /**
     * Validation Error
     */
    422: HttpValidationError;
    /**
     * Too Many Requests: `rate_limited`, `too_many_reads`
     */
    429: ErrorBody;
    /**
     * Service Unavailable: `unavailable`
     */
    503: ErrorBody;
};

export type PairDeviceError = PairDeviceErrors[keyof PairDeviceErrors];

export type PairDeviceResponses = {
    /**
     * Successful Response
     */
    202: Pairing;
};

export type PairDeviceResponse = PairDeviceResponses[keyof PairDeviceResponses];

export type ReconnectDeviceData = {
    body?: never;
    headers?: {
        /**
         * A name for this request, 1 to 255 characters, quoted or not: a repeat within 24 hours gets the first answer, and nothing is done twice.
         */
        'Idempotency-Key'?: string | null;
    };
    path: {
        /**
         * The device's id: the `chat_account_id` of messages and conversations.
         */
        device_id: string;
    };
    query?: never;
    url: '/api/v1/devices/{device_id}/reconnect';
};

export type ReconnectDeviceErrors = {
    /**
     * Unauthorized: `expired_api_key`, `invalid_api_key`, `malformed_authorization`, `missing_api_key`, `revoked_api_key`
     */
    401: ErrorBody;
    /**
     * Forbidden: `account_not_allowed`, `missing_scope`, `other_organization`
     */
    403: ErrorBody;
    /**
     * Not Found: `chat_account_not_found`
     */
    404: ErrorBody;
    /**
     * Conflict: `idempotency_conflict`
     */
    409: ErrorBody;
    /**
     * Request Entity Too Large: `body_too_large`
     */
    413: ErrorBody;
    /**
     * Validation Error
     */
    422: HttpValidationError;
    /**
     * Too Many Requests: `rate_limited`, `too_many_reads`
     */
    429: ErrorBody;
    /**
     * Service Unavailable: `unavailable`
     */
    503: ErrorBody;
};

export type ReconnectDeviceError = ReconnectDeviceErrors[keyof ReconnectDeviceErrors];

export type ReconnectDeviceResponses = {
    /**
     * Successful Response
     */
    202: Device;
};

export type ReconnectDeviceResponse = ReconnectDeviceResponses[keyof ReconnectDeviceResponses];

export type LogOutDeviceData = {
    body?: never;
    headers?: {
        /**
         * A name for this request, 1 to 255 characters, quoted or not: a repeat within 24 hours gets the first answer, and nothing is done twice.
         */
        'Idempotency-Key'?: string | null;
    };
    path: {
        /**
         * The device's id: the `chat_account_id` of messages and conversations.
         */
        device_id: string;
    };
    query?: never;
    url: '/api/v1/devices/{device_id}/log-out';
};

export type LogOutDeviceErrors = {
    /**
     * Unauthorized: `expired_api_key`, `invalid_api_key`, `malformed_authorization`, `missing_api_key`, `revoked_api_key`
     */
    401: ErrorBody;
    /**
     * Forbidden: `account_not_allowed`, `missing_scope`, `other_organization`
     */
    403: ErrorBody;
    /**
     * Not Found: `chat_account_not_found`
     */
    404: ErrorBody;
    /**
     * Conflict: `chat_account_not_connected`, `idempotency_conflict`, `job_unknown`, `not_supported_by_network`, `refused_for_good`
     */
    409: ErrorBody;
    /**
     * Request Entity Too Large: `body_too_large`
     */
    413: ErrorBody;
    /**
     * Validation Error
     */
    422: HttpValidationError;
    /**
     * Too Many Requests: `rate_limited`, `too_many_reads`
     */
    429: ErrorBody;
    /**
     * Bad Gateway: `network_refused`
     */
    502: ErrorBody;
    /**
     * Service Unavailable: `unavailable`
     */
    503: ErrorBody;
    /**
     * Gateway Timeout: `network_timeout`
     */
    504: ErrorBody;
};

export type LogOutDeviceError = LogOutDeviceErrors[keyof LogOutDeviceErrors];

export type LogOutDeviceResponses = {
    /**
     * Successful Response
     */
    200: Device;
};

export type LogOutDeviceResponse = LogOutDeviceResponses[keyof LogOutDeviceResponses];

export type ListNetworksData = {
    body?: never;
    path?: never;
    query?: never;
    url: '/api/v1/networks';
};

export type ListNetworksErrors = {
    /**
     * Unauthorized: `expired_api_key`, `invalid_api_key`, `malformed_authorization`, `missing_api_key`, `revoked_api_key`
     */
    401: ErrorBody;
    /**
     * Forbidden: `account_not_allowed`, `missing_scope`
     */
    403: ErrorBody;
    /**
     * Request Entity Too Large: `body_too_large`
     */
    413: ErrorBody;
    /**
     * Validation Error
     */
    422: HttpValidationError;
    /**
     * Too Many Requests: `rate_limited`, `too_many_reads`
     */
    429: ErrorBody;
    /**
     * Service Unavailable: `unavailable`
     */
    503: ErrorBody;
};

export type ListNetworksError = ListNetworksErrors[keyof ListNetworksErrors];

export type ListNetworksResponses = {
    /**
     * Successful Response
     */
    200: NetworkList;
};

export type ListNetworksResponse = ListNetworksResponses[keyof ListNetworksResponses];

export type ListOrgWebhookEventsData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * Maximum number of entries.
         */
        limit?: number;
        /**
         * Number of entries to skip.
         */
        offset?: number;
    };
    url: '/api/v1/webhooks/subscriptions/events';
};

export type ListOrgWebhookEventsErrors = {
    /**
     * Unauthorized: `expired_api_key`, `invalid_api_key`, `malformed_authorization`, `missing_api_key`, `revoked_api_key`
     */
    401: ErrorBody;
    /**
     * Forbidden: `account_not_allowed`, `missing_scope`
     */
    403: ErrorBody;
    /**
     * Request Entity Too Large: `body_too_large`
     */
    413: ErrorBody;
    /**
     * Validation Error
     */
    422: HttpValidationError;
    /**
     * Too Many Requests: `rate_limited`, `too_many_reads`
     */
    429: ErrorBody;
    /**
     * Service Unavailable: `unavailable`
     */
    503: ErrorBody;
};

export type ListOrgWebhookEventsError = ListOrgWebhookEventsErrors[keyof ListOrgWebhookEventsErrors];

export type ListOrgWebhookEventsResponses = {
    /**
     * Successful Response
     */
    200: WebhookEventList;
};

export type ListOrgWebhookEventsResponse = ListOrgWebhookEventsResponses[keyof ListOrgWebhookEventsResponses];

export type ListWebhookSubscriptionsData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * Maximum number of entries.
         */
        limit?: number;
        /**
         * Number of entries to skip.
         */
        offset?: number;
    };
    url: '/api/v1/webhooks/subscriptions';
};

export type ListWebhookSubscriptionsErrors = {
    /**
     * Unauthorized: `expired_api_key`, `invalid_api_key`, `malformed_authorization`, `missing_api_key`, `revoked_api_key`
     */
    401: ErrorBody;
    /**
     * Forbidden: `account_not_allowed`, `missing_scope`
     */
    403: ErrorBody;
    /**
     * Request Entity Too Large: `body_too_large`
     */
    413: ErrorBody;
    /**
     * Validation Error
     */
    422: HttpValidationError;
    /**
     * Too Many Requests: `rate_limited`, `too_many_reads`
     */
    429: ErrorBody;
    /**
     * Service Unavailable: `unavailable`
     */
    503: ErrorBody;
};

export type ListWebhookSubscriptionsError = ListWebhookSubscriptionsErrors[keyof ListWebhookSubscriptionsErrors];

export type ListWebhookSubscriptionsResponses = {
    /**
     * Successful Response
     */
    200: SubscriptionList;
};

export type ListWebhookSubscriptionsResponse = ListWebhookSubscriptionsResponses[keyof ListWebhookSubscriptionsResponses];

export type CreateWebhookSubscriptionData = {
    body: CreateSubscription;
    headers?: {
        /**
         * A name for this request, 1 to 255 characters, quoted or not: a repeat within 24 hours gets the first answer, and nothing is done twice.
         */
        'Idempotency-Key'?: string | null;
    };
    path?: never;
    query?: never;
    url: '/api/v1/webhooks/subscriptions';
};

export type CreateWebhookSubscriptionErrors = {
    /**
     * Unauthorized: `expired_api_key`, `invalid_api_key`, `malformed_authorization`, `missing_api_key`, `revoked_api_key`
     */
    401: ErrorBody;
    /**
     * Forbidden: `account_not_allowed`, `missing_scope`, `other_organization`
     */
    403: ErrorBody;
    /**
     * Not Found: `chat_account_not_found`
     */
    404: ErrorBody;
    /**
     * Conflict: `idempotency_conflict`
     */
    409: ErrorBody;
    /**
     * Request Entity Too Large: `body_too_large`
     */
    413: ErrorBody;
    /**
     * Unsupported Media Type: `unsupported_media_type`
     */
    415: ErrorBody;
    /**
     * Validation Error
     */
    422: HttpValidationError;
    /**
     * Too Many Requests: `plan_limit_reached`, `rate_limited`, `too_many_reads`
     */
    429: ErrorBody;
    /**
     * Service Unavailable: `unavailable`
     */
    503: ErrorBody;
};

export type CreateWebhookSubscriptionError = CreateWebhookSubscriptionErrors[keyof CreateWebhookSubscriptionErrors];

export type CreateWebhookSubscriptionResponses = {
    /**
     * Successful Response
     */
    201: CreatedSubscription;
};

export type CreateWebhookSubscriptionResponse = CreateWebhookSubscriptionResponses[keyof CreateWebhookSubscriptionResponses];

export type DeleteWebhookSubscriptionData = {
    body?: never;
    path: {
        /**
         * The webhook's id.
         */
        subscription_id: string;
    };
    query?: never;
    url: '/api/v1/webhooks/subscriptions/{subscription_id}';
};

export type DeleteWebhookSubscriptionErrors = {
    /**
     * Unauthorized: `expired_api_key`, `invalid_api_key`, `malformed_authorization`, `missing_api_key`, `revoked_api_key`
     */
    401: ErrorBody;
    /**
     * Forbidden: `account_not_allowed`, `missing_scope`, `other_organization`
     */
    403: ErrorBody;
    /**
     * Not Found: `subscription_not_found`
     */
    404: ErrorBody;
    /**
     * Request Entity Too Large: `body_too_large`
     */
    413: ErrorBody;
    /**
     * Validation Error
     */
    422: HttpValidationError;
    /**
     * Too Many Requests: `rate_limited`, `too_many_reads`
     */
    429: ErrorBody;
    /**
     * Service Unavailable: `unavailable`
     */
    503: ErrorBody;
};

export type DeleteWebhookSubscriptionError = DeleteWebhookSubscriptionErrors[keyof DeleteWebhookSubscriptionErrors];

export type DeleteWebhookSubscriptionResponses = {
    /**
     * Successful Response
     */
    204: void;
};

export type DeleteWebhookSubscriptionResponse = DeleteWebhookSubscriptionResponses[keyof DeleteWebhookSubscriptionResponses];

export type GetWebhookSubscriptionData = {
    body?: never;
    path: {
        /**
         * The webhook's id.
         */
        subscription_id: string;
    };
    query?: never;
    url: '/api/v1/webhooks/subscriptions/{subscription_id}';
};

export type GetWebhookSubscriptionErrors = {
    /**
     * Unauthorized: `expired_api_key`, `invalid_api_key`, `malformed_authorization`, `missing_api_key`, `revoked_api_key`
     */
    401: ErrorBody;
    /**
     * Forbidden: `account_not_allowed`, `missing_scope`, `other_organization`
     */
    403: ErrorBody;
    /**
     * Not Found: `subscription_not_found`
     */
    404: ErrorBody;
    /**
     * Request Entity Too Large: `body_too_large`
     */
    413: ErrorBody;
    /**
     * Validation Error
     */
    422: HttpValidationError;
    /**
     * Too Many Requests: `rate_limited`, `too_many_reads`
     */
    429: ErrorBody;
    /**
     * Service Unavailable: `unavailable`
     */
    503: ErrorBody;
};

export type GetWebhookSubscriptionError = GetWebhookSubscriptionErrors[keyof GetWebhookSubscriptionErrors];

export type GetWebhookSubscriptionResponses = {
    /**
     * Successful Response
     */
    200: Subscription;
};

export type GetWebhookSubscriptionResponse = GetWebhookSubscriptionResponses[keyof GetWebhookSubscriptionResponses];

export type UpdateWebhookSubscriptionData = {
    body: ChangeSubscription;
    path: {
        /**
         * The webhook's id.
         */
        subscription_id: string;
    };
    query?: never;
    url: '/api/v1/webhooks/subscriptions/{subscription_id}';
};

export type UpdateWebhookSubscriptionErrors = {
    /**
     * Unauthorized: `expired_api_key`, `invalid_api_key`, `malformed_authorization`, `missing_api_key`, `revoked_api_key`
     */
    401: ErrorBody;
    /**
     * Forbidden: `account_not_allowed`, `missing_scope`, `other_organization`
     */
    403: ErrorBody;
    /**
     * Not Found: `chat_account_not_found`, `subscription_not_found`
     */
    404: ErrorBody;
    /**
     * Request Entity Too Large: `body_too_large`
     */
    413: ErrorBody;
    /**
     * Unsupported Media Type: `unsupported_media_type`
     */
    415: ErrorBody;
    /**
     * Validation Error
     */
    422: HttpValidationError;
    /**
     * Too Many Requests: `rate_limited`, `too_many_reads`
     */
    429: ErrorBody;
    /**
     * Service Unavailable: `unavailable`
     */
    503: ErrorBody;
};

export type UpdateWebhookSubscriptionError = UpdateWebhookSubscriptionErrors[keyof UpdateWebhookSubscriptionErrors];

export type UpdateWebhookSubscriptionResponses = {
    /**
     * Successful Response
     */
    200: Subscription;
};

export type UpdateWebhookSubscriptionResponse = UpdateWebhookSubscriptionResponses[keyof UpdateWebhookSubscriptionResponses];

export type PingWebhookSubscriptionData = {
    body?: never;
    headers?: {
        /**
         * A name for this request, 1 to 255 characters, quoted or not: a repeat within 24 hours gets the first answer, and nothing is done twice.
         */
        'Idempotency-Key'?: string | null;
    };
    path: {
        /**
         * The webhook's id.
         */
        subscription_id: string;
    };
    query?: never;
    url: '/api/v1/webhooks/subscriptions/{subscription_id}/ping';
};

export type PingWebhookSubscriptionErrors = {
    /**
     * Unauthorized: `expired_api_key`, `invalid_api_key`, `malformed_authorization`, `missing_api_key`, `revoked_api_key`
     */
    401: ErrorBody;
    /**
     * Forbidden: `account_not_allowed`, `missing_scope`, `other_organization`
     */
    403: ErrorBody;
    /**
     * Not Found: `subscription_not_found`
     */
    404: ErrorBody;
    /**
     * Conflict: `idempotency_conflict`, `webhook_disabled`
     */
    409: ErrorBody;
    /**
     * Request Entity Too Large: `body_too_large`
     */
    413: ErrorBody;
    /**
     * Validation Error
     */
    422: HttpValidationError;
    /**
     * Too Many Requests: `rate_limited`, `too_many_reads`
     */
    429: ErrorBody;
    /**
     * Service Unavailable: `unavailable`
     */
    503: ErrorBody;
};

export type PingWebhookSubscriptionError = PingWebhookSubscriptionErrors[keyof PingWebhookSubscriptionErrors];

export type PingWebhookSubscriptionResponses = {
    /**
     * Successful Response
     */
    202: PingSent;
};

export type PingWebhookSubscriptionResponse = PingWebhookSubscriptionResponses[keyof PingWebhookSubscriptionResponses];

export type RotateWebhookSecretData = {
    body?: RotateSecret;
    headers?: {
        /**
         * A name for this request, 1 to 255 characters, quoted or not: a repeat within 24 hours gets the first answer, and nothing is done twice.
         */
        'Idempotency-Key'?: string | null;
    };
    path: {
        /**
         * The webhook's id.
         */
        subscription_id: string;
    };
    query?: never;
    url: '/api/v1/webhooks/subscriptions/{subscription_id}/rotate-secret';
};

export type RotateWebhookSecretErrors = {
    /**
     * Unauthorized: `expired_api_key`, `invalid_api_key`, `malformed_authorization`, `missing_api_key`, `revoked_api_key`
     */
    401: ErrorBody;
    /**
     * Forbidden: `account_not_allowed`, `missing_scope`, `other_organization`
     */
    403: ErrorBody;
    /**
     * Not Found: `subscription_not_found`
     */
    404: ErrorBody;
    /**
     * Conflict: `idempotency_conflict`, `too_many_secrets`
     */
    409: ErrorBody;
    /**
     * Request Entity Too Large: `body_too_large`
     */
    413: ErrorBody;
    /**
     * Unsupported Media Type: `unsupported_media_type`
     */
    415: ErrorBody;
    /**
     * Validation Error
     */
    422: HttpValidationError;
    /**
     * Too Many Requests: `rate_limited`, `too_many_reads`
     */
    429: ErrorBody;
    /**
     * Service Unavailable: `unavailable`
     */
    503: ErrorBody;
};

export type RotateWebhookSecretError = RotateWebhookSecretErrors[keyof RotateWebhookSecretErrors];

export type RotateWebhookSecretResponses = {
    /**
     * Successful Response
     */
    201: CreatedSubscription;
};

export type RotateWebhookSecretResponse = RotateWebhookSecretResponses[keyof RotateWebhookSecretResponses];

export type ReplayWebhookEventsData = {
    body: ReplayEvents;
    headers?: {
        /**
         * A name for this request, 1 to 255 characters, quoted or not: a repeat within 24 hours gets the first answer, and nothing is done twice.
         */
        'Idempotency-Key'?: string | null;
    };
    path: {
        /**
         * The webhook's id.
         */
        subscription_id: string;
    };
    query?: never;
    url: '/api/v1/webhooks/subscriptions/{subscription_id}/replay';
};

export type ReplayWebhookEventsErrors = {
    /**
     * Unauthorized: `expired_api_key`, `invalid_api_key`, `malformed_authorization`, `missing_api_key`, `revoked_api_key`
     */
    401: ErrorBody;
    /**
     * Forbidden: `account_not_allowed`, `missing_scope`, `other_organization`
     */
    403: ErrorBody;
    /**
     * Not Found: `subscription_not_found`
     */
    404: ErrorBody;
    /**
     * Conflict: `idempotency_conflict`, `webhook_disabled`
     */
    409: ErrorBody;
    /**
     * Request Entity Too Large: `body_too_large`
     */
    413: ErrorBody;
    /**
     * Unsupported Media Type: `unsupported_media_type`
     */
    415: ErrorBody;
    /**
     * Validation Error
     */
    422: HttpValidationError;
    /**
     * Too Many Requests: `rate_limited`, `too_many_reads`
     */
    429: ErrorBody;
    /**
     * Service Unavailable: `unavailable`
     */
    503: ErrorBody;
};

export type ReplayWebhookEventsError = ReplayWebhookEventsErrors[keyof ReplayWebhookEventsErrors];

export type ReplayWebhookEventsResponses = {
    /**
     * Successful Response
     */
    202: ReplayProgress;
};

export type ReplayWebhookEventsResponse = ReplayWebhookEventsResponses[keyof ReplayWebhookEventsResponses];

export type ListWebhookDeliveriesData = {
    body?: never;
    path: {
        /**
         * The webhook's id.
         */
        subscription_id: string;
    };
    query?: {
        /**
         * Maximum number of entries.
         */
        limit?: number;
        /**
         * Where to continue: the `next_cursor` of the previous page. Without it, the newest entries.
         */
        cursor?: string | null;
        /**
         * Only deliveries in this state, such as `failed`.
         */
        status?: string | null;
    };
    url: '/api/v1/webhooks/subscriptions/{subscription_id}/deliveries';
};

export type ListWebhookDeliveriesErrors = {
    /**
     * Unauthorized: `expired_api_key`, `invalid_api_key`, `malformed_authorization`, `missing_api_key`, `revoked_api_key`
     */
    401: ErrorBody;
    /**
     * Forbidden: `account_not_allowed`, `missing_scope`, `other_organization`
     */
    403: ErrorBody;
    /**
     * Not Found: `subscription_not_found`
     */
    404: ErrorBody;
    /**
     * Request Entity Too Large: `body_too_large`
     */
    413: ErrorBody;
    /**
     * Validation Error
     */
    422: HttpValidationError;
    /**
     * Too Many Requests: `rate_limited`, `too_many_reads`
     */
    429: ErrorBody;
    /**
     * Service Unavailable: `unavailable`
     */
    503: ErrorBody;
};

export type ListWebhookDeliveriesError = ListWebhookDeliveriesErrors[keyof ListWebhookDeliveriesErrors];

export type ListWebhookDeliveriesResponses = {
    /**
     * Successful Response
     */
    200: DeliveryList;
};

export type ListWebhookDeliveriesResponse = ListWebhookDeliveriesResponses[keyof ListWebhookDeliveriesResponses];

export type GetWebhookDeliveryData = {
    body?: never;
    path: {
        /**
         * The delivery's id.
         */
        delivery_id: string;
    };
    query?: never;
    url: '/api/v1/webhooks/deliveries/{delivery_id}';
};

export type GetWebhookDeliveryErrors = {
    /**
     * Unauthorized: `expired_api_key`, `invalid_api_key`, `malformed_authorization`, `missing_api_key`, `revoked_api_key`
     */
    401: ErrorBody;
    /**
     * Forbidden: `account_not_allowed`, `missing_scope`, `other_organization`
     */
    403: ErrorBody;
    /**
     * Not Found: `delivery_not_found`
     */
    404: ErrorBody;
    /**
     * Request Entity Too Large: `body_too_large`
     */
    413: ErrorBody;
    /**
     * Validation Error
     */
    422: HttpValidationError;
    /**
     * Too Many Requests: `rate_limited`, `too_many_reads`
     */
    429: ErrorBody;
    /**
     * Service Unavailable: `unavailable`
     */
    503: ErrorBody;
};

export type GetWebhookDeliveryError = GetWebhookDeliveryErrors[keyof GetWebhookDeliveryErrors];

export type GetWebhookDeliveryResponses = {
    /**
     * Successful Response
     */
    200: DeliveryDetails;
};

export type GetWebhookDeliveryResponse = GetWebhookDeliveryResponses[keyof GetWebhookDeliveryResponses];

export type RedeliverWebhookEventData = {
    body?: never;
    headers?: {
        /**
         * A name for this request, 1 to 255 characters, quoted or not: a repeat within 24 hours gets the first answer, and nothing is done twice.
         */
        'Idempotency-Key'?: string | null;
    };
    path: {
        /**
         * The delivery's id.
         */
        delivery_id: string;
    };
    query?: never;
    url: '/api/v1/webhooks/deliveries/{delivery_id}/redeliver';
};

export type RedeliverWebhookEventErrors = {
    /**
     * Unauthorized: `expired_api_key`, `invalid_api_key`, `malformed_authorization`, `missing_api_key`, `revoked_api_key`
     */
    401: ErrorBody;
    /**
     * Forbidden: `account_not_allowed`, `missing_scope`, `other_organization`
     */
    403: ErrorBody;
    /**
     * Not Found: `delivery_not_found`, `not_found`, `subscription_not_found`
     */
    404: ErrorBody;
    /**
     * Conflict: `idempotency_conflict`, `webhook_disabled`
     */
    409: ErrorBody;
    /**
     * Request Entity Too Large: `body_too_large`
     */
    413: ErrorBody;
    /**
     * Validation Error
     */
    422: HttpValidationError;
    /**
     * Too Many Requests: `rate_limited`, `too_many_reads`
     */
    429: ErrorBody;
    /**
     * Service Unavailable: `unavailable`
     */
    503: ErrorBody;
};

export type RedeliverWebhookEventError = RedeliverWebhookEventErrors[keyof RedeliverWebhookEventErrors];

export type RedeliverWebhookEventResponses = {
    /**
     * Successful Response
     */
    202: Delivery;
};

export type RedeliverWebhookEventResponse = RedeliverWebhookEventResponses[keyof RedeliverWebhookEventResponses];

export type ListEventsData = {
    body?: never;
    headers?: {
        /**
         * The id of the last event from a stream; takes precedence over `after`.
         */
        'Last-Event-ID'?: string | null;
    };
    path?: never;
    query?: {
        /**
         * Where to continue: the `next_cursor` of the previous page, or `oldest` for all events that are kept. Without it, only events from now on.
         */
        after?: string | null;
        /**
         * Only events of these types, separated by commas: `message.received`, `device.*`. They require the scope to read what they show: `messages:read`, `conversations:read` or `contacts:read`, `*` all three. Without it, all events that the key may read.
         */
        types?: string | null;
        /**
         * Only of this account.
         */
        chat_account_id?: string | null;
        /**
         * Maximum number of entries; streams ignore it.
         */
        limit?: number;
        /**
         * Seconds to wait if there is nothing yet; streams ignore it.
         */
        wait?: number;
    };
    url: '/api/v1/events';
};

export type ListEventsErrors = {
    /**
     * Unauthorized: `expired_api_key`, `invalid_api_key`, `malformed_authorization`, `missing_api_key`, `revoked_api_key`
     */
    401: ErrorBody;
    /**
     * Forbidden: `account_not_allowed`, `missing_scope`, `other_organization`
     */
    403: ErrorBody;
    /**
     * Gone: `cursor_expired`
     */
    410: ErrorBody;
    /**
     * Request Entity Too Large: `body_too_large`
     */
    413: ErrorBody;
    /**
     * Validation Error
     */
    422: HttpValidationError;
    /**
     * Too Many Requests: `rate_limited`, `too_many_readers`, `too_many_reads`
     */
    429: ErrorBody;
    /**
     * Service Unavailable: `unavailable`
     */
    503: ErrorBody;
};

export type ListEventsError = ListEventsErrors[keyof ListEventsErrors];

export type ListEventsResponses = {
    /**
     * Successful Response
     */
    200: EventPage;
};

export type ListEventsResponse = ListEventsResponses[keyof ListEventsResponses];

export type ListApiKeysData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * Maximum number of entries.
         */
        limit?: number;
        /**
         * Number of entries to skip.
         */
        offset?: number;
    };
    url: '/api/v1/api-keys';
};

export type ListApiKeysErrors = {
    /**
     * Unauthorized: `expired_api_key`, `invalid_api_key`, `malformed_authorization`, `missing_api_key`, `revoked_api_key`
     */
    401: ErrorBody;
    /**
     * Forbidden: `account_not_allowed`, `missing_scope`
     */
    403: ErrorBody;
    /**
     * Request Entity Too Large: `body_too_large`
     */
    413: ErrorBody;
    /**
     * Validation Error
     */
    422: HttpValidationError;
    /**
     * Too Many Requests: `rate_limited`, `too_many_reads`
     */
    429: ErrorBody;
    /**
     * Service Unavailable: `unavailable`
     */
    503: ErrorBody;
};

export type ListApiKeysError = ListApiKeysErrors[keyof ListApiKeysErrors];

export type ListApiKeysResponses = {
    /**
     * Successful Response
     */
    200: ApiKeyList;
};

export type ListApiKeysResponse = ListApiKeysResponses[keyof ListApiKeysResponses];

export type CreateApiKeyData = {
    body: CreateApiKey;
    headers?: {
        /**
         * A name for this request, 1 to 255 characters, quoted or not: a repeat within 24 hours gets the first answer, and nothing is done twice.
         */
        'Idempotency-Key'?: string | null;
    };
    path?: never;
    query?: never;
    url: '/api/v1/api-keys';
};

export type CreateApiKeyErrors = {
    /**
     * Unauthorized: `expired_api_key`, `invalid_api_key`, `malformed_authorization`, `missing_api_key`, `revoked_api_key`
     */
    401: ErrorBody;
    /**
     * Forbidden: `account_not_allowed`, `expiry_not_allowed`, `missing_scope`
     */
    403: ErrorBody;
    /**
     * Conflict: `idempotency_conflict`
     */
    409: ErrorBody;
    /**
     * Request Entity Too Large: `body_too_large`
     */
    413: ErrorBody;
    /**
     * Unsupported Media Type: `unsupported_media_type`
     */
    415: ErrorBody;
    /**
     * Validation Error
     */
    422: HttpValidationError;
    /**
     * Too Many Requests: `plan_limit_reached`, `rate_limited`, `too_many_reads`
     */
    429: ErrorBody;
    /**
     * Service Unavailable: `unavailable`
     */
    503: ErrorBody;
};

export type CreateApiKeyError = CreateApiKeyErrors[keyof CreateApiKeyErrors];

export type CreateApiKeyResponses = {
    /**
     * Successful Response
     */
    201: CreatedApiKey;
};

export type CreateApiKeyResponse = CreateApiKeyResponses[keyof CreateApiKeyResponses];

export type RevokeApiKeyData = {
    body?: never;
    path: {
        /**
         * The API key's id.
         */
        key_id: string;
    };
    query?: never;
    url: '/api/v1/api-keys/{key_id}';
};

export type RevokeApiKeyErrors = {
    /**
     * Unauthorized: `expired_api_key`, `invalid_api_key`, `malformed_authorization`, `missing_api_key`, `revoked_api_key`
     */
    401: ErrorBody;
    /**
     * Forbidden: `account_not_allowed`, `expiry_not_allowed`, `missing_scope`, `other_organization`
     */
    403: ErrorBody;
    /**
     * Not Found: `api_key_not_found`
     */
    404: ErrorBody;
    /**
     * Request Entity Too Large: `body_too_large`
     */
    413: ErrorBody;
    /**
     * Validation Error
     */
    422: HttpValidationError;
    /**
     * Too Many Requests: `rate_limited`, `too_many_reads`
     */
    429: ErrorBody;
    /**
     * Service Unavailable: `unavailable`
     */
    503: ErrorBody;
};

export type RevokeApiKeyError = RevokeApiKeyErrors[keyof RevokeApiKeyErrors];

export type RevokeApiKeyResponses = {
    /**
     * Successful Response
     */
    204: void;
};

export type RevokeApiKeyResponse = RevokeApiKeyResponses[keyof RevokeApiKeyResponses];

export type RotateApiKeyData = {
    body?: RotateApiKey;
    headers?: {
        /**
         * A name for this request, 1 to 255 characters, quoted or not: a repeat within 24 hours gets the first answer, and nothing is done twice.
         */
        'Idempotency-Key'?: string | null;
    };
    path: {
        /**
         * The API key's id.
         */
        key_id: string;
    };
    query?: never;
    url: '/api/v1/api-keys/{key_id}/rotate';
};

export type RotateApiKeyErrors = {
    /**
     * Unauthorized: `expired_api_key`, `invalid_api_key`, `malformed_authorization`, `missing_api_key`, `revoked_api_key`
     */
    401: ErrorBody;
    /**
     * Forbidden: `account_not_allowed`, `expiry_not_allowed`, `missing_scope`, `other_organization`
     */
    403: ErrorBody;
    /**
     * Not Found: `api_key_not_found`
     */
    404: ErrorBody;
    /**
     * Conflict: `idempotency_conflict`, `too_many_secrets`
     */
    409: ErrorBody;
    /**
     * Request Entity Too Large: `body_too_large`
     */
    413: ErrorBody;
    /**
     * Unsupported Media Type: `unsupported_media_type`
     */
    415: ErrorBody;
    /**
     * Validation Error
     */
    422: HttpValidationError;
    /**
     * Too Many Requests: `rate_limited`, `too_many_reads`
     */
    429: ErrorBody;
    /**
     * Service Unavailable: `unavailable`
     */
    503: ErrorBody;
};

export type RotateApiKeyError = RotateApiKeyErrors[keyof RotateApiKeyErrors];

export type RotateApiKeyResponses = {
    /**
     * Successful Response
     */
    200: CreatedApiKey;
};

export type RotateApiKeyResponse = RotateApiKeyResponses[keyof RotateApiKeyResponses];

export type OnMessageReceivedWebhookPayload = MessageReceivedEvent;

export type OnMessageReceivedWebhookRequest = {
    body: OnMessageReceivedWebhookPayload;
    key: 'message.received';
    path?: never;
    query?: never;
};

export type OnMessageSentWebhookPayload = MessageSentEvent;

export type OnMessageSentWebhookRequest = {
    body: OnMessageSentWebhookPayload;
    key: 'message.sent';
    path?: never;
    query?: never;
};

export type OnMessageDeliveredWebhookPayload = MessageDeliveredEvent;

export type OnMessageDeliveredWebhookRequest = {
    body: OnMessageDeliveredWebhookPayload;
    key: 'message.delivered';
    path?: never;
    query?: never;
};

export type OnMessageReadWebhookPayload = MessageReadEvent;

export type OnMessageReadWebhookRequest = {
    body: OnMessageReadWebhookPayload;
    key: 'message.read';
    path?: never;
    query?: never;
};

export type OnMessageFailedWebhookPayload = MessageFailedEvent;

export type OnMessageFailedWebhookRequest = {
    body: OnMessageFailedWebhookPayload;
    key: 'message.failed';
    path?: never;
    query?: never;
};

export type OnMessageCanceledWebhookPayload = MessageCanceledEvent;

export type OnMessageCanceledWebhookRequest = {
    body: OnMessageCanceledWebhookPayload;
    key: 'message.canceled';
    path?: never;
    query?: never;
};

export type OnMessageEditedWebhookPayload = MessageEditedEvent;

export type OnMessageEditedWebhookRequest = {
    body: OnMessageEditedWebhookPayload;
    key: 'message.edited';
    path?: never;
    query?: never;
};

export type OnMessageDeletedWebhookPayload = MessageDeletedEvent;

export type OnMessageDeletedWebhookRequest = {
    body: OnMessageDeletedWebhookPayload;
    key: 'message.deleted';
    path?: never;
    query?: never;
};

export type OnMessageReactionWebhookPayload = MessageReactionEvent;

export type OnMessageReactionWebhookRequest = {
    body: OnMessageReactionWebhookPayload;
    key: 'message.reaction';
    path?: never;
    query?: never;
};

export type OnConversationUpdatedWebhookPayload = ConversationUpdatedEvent;

export type OnConversationUpdatedWebhookRequest = {
    body: OnConversationUpdatedWebhookPayload;
    key: 'conversation.updated';
    path?: never;
    query?: never;
};

export type OnContactUpdatedWebhookPayload = ContactUpdatedEvent;

export type OnContactUpdatedWebhookRequest = {
    body: OnContactUpdatedWebhookPayload;
    key: 'contact.updated';
    path?: never;
    query?: never;
};

export type OnContactsSyncedWebhookPayload = ContactsSyncedEvent;

export type OnContactsSyncedWebhookRequest = {
    body: OnContactsSyncedWebhookPayload;
    key: 'contacts.synced';
    path?: never;
    query?: never;
};

export type OnDevicePairingWebhookPayload = DevicePairingEvent;

export type OnDevicePairingWebhookRequest = {
    body: OnDevicePairingWebhookPayload;
    key: 'device.pairing';
    path?: never;
    query?: never;
};

export type OnDeviceConnectedWebhookPayload = DeviceConnectedEvent;

export type OnDeviceConnectedWebhookRequest = {
    body: OnDeviceConnectedWebhookPayload;
    key: 'device.connected';
    path?: never;
    query?: never;
};

export type OnDeviceDisconnectedWebhookPayload = DeviceDisconnectedEvent;

export type OnDeviceDisconnectedWebhookRequest = {
    body: OnDeviceDisconnectedWebhookPayload;
    key: 'device.disconnected';
    path?: never;
    query?: never;
};

export type OnDeviceLoggedOutWebhookPayload = DeviceLoggedOutEvent;

export type OnDeviceLoggedOutWebhookRequest = {
    body: OnDeviceLoggedOutWebhookPayload;
    key: 'device.logged_out';
    path?: never;
    query?: never;
};

export type OnDeviceRestrictedWebhookPayload = DeviceRestrictedEvent;

export type OnDeviceRestrictedWebhookRequest = {
    body: OnDeviceRestrictedWebhookPayload;
    key: 'device.restricted';
    path?: never;
    query?: never;
};

export type OnDeviceUnrestrictedWebhookPayload = DeviceUnrestrictedEvent;

export type OnDeviceUnrestrictedWebhookRequest = {
    body: OnDeviceUnrestrictedWebhookPayload;
    key: 'device.unrestricted';
    path?: never;
    query?: never;
};

export type OnWebhookPingWebhookPayload = WebhookPingEvent;

export type OnWebhookPingWebhookRequest = {
    body: OnWebhookPingWebhookPayload;
    key: 'webhook.ping';
    path?: never;
    query?: never;
};

/**
 * BatchBody
 *
 * Several events in one request of at most 1 MiB, the same in every attempt.
 */
export type OnBatchWebhookPayload = {
    type: 'batch';
    /**
     * The timestamp of the last event.
     */
    timestamp: string;
    /**
     * BatchedEvents
     *
     * The events of a batch, in order within each conversation.
     */
    data: {
        events: Array<LoggedEvent>;
    };
};

export type OnBatchWebhookRequest = {
    body: OnBatchWebhookPayload;
    key: 'batch';
    path?: never;
    query?: never;
};
