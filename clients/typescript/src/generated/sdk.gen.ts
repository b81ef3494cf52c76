// Generated from ../openapi.json by `npm run generate`: do not edit.
/* eslint-disable */

import type { Client, Options as Options2, TDataShape } from './client/index.js';
import type { AddGroupParticipantsData, AddGroupParticipantsErrors, AddGroupParticipantsResponses, CancelMessageData, CancelMessageErrors, CancelMessageResponses, ChangeContactData, ChangeContactErrors, ChangeContactResponses, ChangeConversationData, ChangeConversationErrors, ChangeConversationResponses, ChangeDeviceData, ChangeDeviceErrors, ChangeDeviceResponses, ChangeGroupData, ChangeGroupErrors, ChangeGroupResponses, ChangeLabelData, ChangeLabelErrors, ChangeLabelResponses, CheckContactsData, CheckContactsErrors, CheckContactsResponses, CreateApiKeyData, CreateApiKeyErrors, CreateApiKeyResponses, CreateConversationGroupData, CreateConversationGroupErrors, CreateConversationGroupResponses, CreateConversationNoteData, CreateConversationNoteErrors, CreateConversationNoteResponses, CreateDeviceData, CreateDeviceErrors, CreateDeviceResponses, CreateLabelData, CreateLabelErrors, CreateLabelResponses, CreateWebhookSubscriptionData, CreateWebhookSubscriptionErrors, CreateWebhookSubscriptionResponses, DeleteDeviceData, DeleteDeviceErrors, DeleteDeviceResponses, DeleteLabelData, DeleteLabelErrors, DeleteLabelResponses, DeleteMediaData, DeleteMediaErrors, DeleteMediaResponses, DeleteMessageData, DeleteMessageErrors, DeleteMessageReactionData, DeleteMessageReactionErrors, DeleteMessageReactionResponses, DeleteMessageResponses, DeleteWebhookSubscriptionData, DeleteWebhookSubscriptionErrors, DeleteWebhookSubscriptionResponses, EditMessageData, EditMessageErrors, EditMessageResponses, GetContactData, GetContactErrors, GetContactProfilePictureData, GetContactProfilePictureErrors, GetContactProfilePictureResponses, GetContactResponses, GetContactSyncData, GetContactSyncErrors, GetContactSyncResponses, GetConversationData, GetConversationErrors, GetConversationResponses, GetDeviceData, GetDeviceErrors, GetDevicePairingData, GetDevicePairingErrors, GetDevicePairingResponses, GetDeviceResponses, GetGroupData, GetGroupErrors, GetGroupInviteLinkData, GetGroupInviteLinkErrors, GetGroupInviteLinkResponses, GetGroupResponses, GetMediaData, GetMediaErrors, GetMediaResponses, GetMessageData, GetMessageErrors, GetMessageHistoryData, GetMessageHistoryErrors, GetMessageHistoryResponses, GetMessageResponses, GetMessageStatsData, GetMessageStatsErrors, GetMessageStatsResponses, GetWebhookDeliveryData, GetWebhookDeliveryErrors, GetWebhookDeliveryResponses, GetWebhookSubscriptionData, GetWebhookSubscriptionErrors, GetWebhookSubscriptionResponses, JoinGroupData, JoinGroupErrors, JoinGroupResponses, LeaveGroupData, LeaveGroupErrors, LeaveGroupResponses, ListApiKeysData, ListApiKeysErrors, ListApiKeysResponses, ListContactsData, ListContactsErrors, ListContactsResponses, ListConversationNotesData, ListConversationNotesErrors, ListConversationNotesResponses, ListConversationsData, ListConversationsErrors, ListConversationsResponses, ListDevicesData, ListDevicesErrors, ListDevicesResponses, ListEventsData, ListEventsErrors, ListEventsResponses, ListLabelsData, ListLabelsErrors, ListLabelsResponses, ListMediaData, ListMediaErrors, ListMediaResponses, ListMembersData, ListMembersErrors, ListMembersResponses, ListMessagesData, ListMessagesErrors, ListMessagesResponses, ListNetworksData, ListNetworksErrors, ListNetworksResponses, ListOrgWebhookEventsData, ListOrgWebhookEventsErrors, ListOrgWebhookEventsResponses, ListWebhookDeliveriesData, ListWebhookDeliveriesErrors, ListWebhookDeliveriesResponses, ListWebhookSubscriptionsData, ListWebhookSubscriptionsErrors, ListWebhookSubscriptionsResponses, LogOutDeviceData, LogOutDeviceErrors, LogOutDeviceResponses, MarkConversationReadData, MarkConversationReadErrors, MarkConversationReadResponses, PairDeviceData, PairDeviceErrors, PairDeviceResponses, PingWebhookSubscriptionData, PingWebhookSubscriptionErrors, PingWebhookSubscriptionResponses, ReconnectDeviceData, ReconnectDeviceErrors, ReconnectDeviceResponses, RedeliverWebhookEventData, RedeliverWebhookEventErrors, RedeliverWebhookEventResponses, RemoveGroupParticipantData, RemoveGroupParticipantErrors, RemoveGroupParticipantResponses, ReplayWebhookEventsData, ReplayWebhookEventsErrors, ReplayWebhookEventsResponses, RevokeApiKeyData, RevokeApiKeyErrors, RevokeApiKeyResponses, RotateApiKeyData, RotateApiKeyErrors, RotateApiKeyResponses, RotateWebhookSecretData, RotateWebhookSecretErrors, RotateWebhookSecretResponses, SendButtonMessageData, SendButtonMessageErrors, SendButtonMessageResponses, SendMessageData, SendMessageErrors, SendMessageResponses, SetMessageReactionData, SetMessageReactionErrors, SetMessageReactionResponses, ShowTypingData, ShowTypingErrors, ShowTypingResponses, SyncContactsData, SyncContactsErrors, SyncContactsResponses, UpdateWebhookSubscriptionData, UpdateWebhookSubscriptionErrors, UpdateWebhookSubscriptionResponses, UploadMediaData, UploadMediaErrors, UploadMediaResponses } from './types.gen.js';

export type Options<TData extends TDataShape = TDataShape, ThrowOnError extends boolean = boolean, TResponse = unknown> = Options2<TData, ThrowOnError, TResponse> & {
    /**
     * You can provide a client instance returned by `createClient()` instead of
     * individual options. This might be also useful if you want to implement a
     * custom client.
     */
    client?: Client;
    /**
     * You can pass arbitrary values through the `meta` object. This can be
     * used to access values that aren't defined as part of the SDK function.
     */
    meta?: Record<string, unknown>;
};

class HeyApiClient {
    protected client: Client;
    
    constructor(args: {
        client: Client;
    }) {
        this.client = args.client;
    }
}

class HeyApiRegistry<T> {
    private readonly defaultKey = 'default';
    
    private readonly instances: Map<string, T> = new Map();
    
    get(key?: string): T {
        const instance = this.instances.get(key ?? this.defaultKey);
        if (!instance) {
            throw new Error(`No SDK client found. Create one with "new Operations()" to fix this error.`);
        }
        return instance;
    }
    
    set(value: T, key?: string): void {
        this.instances.set(key ?? this.defaultKey, value);
    }
}

export class Operations extends HeyApiClient {
    public static readonly __registry = new HeyApiRegistry<Operations>();
    
    constructor(args: {
        client: Client;
        key?: string;
    }) {
        super(args);
        Operations.__registry.set(this, args.key);
    }
    
    /**
     * Send Button Message
     *
     * Store a message with interactive quick-reply buttons and send it as soon as possible.
     *
     * The answer comes once the message is on disk; it does not wait for the chat network. While
     * its account is disconnected, the message waits.
     *
     * Required scope: `messages:write`.
     */
    public sendButtonMessage<ThrowOnError extends boolean = true>(options: Options<SendButtonMessageData, ThrowOnError>) {
        return (options.client ?? this.client).post<SendButtonMessageResponses, SendButtonMessageErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/api/v1/messages/send/interactive/buttons',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options.headers
            }
        });
    }
    
    /**
     * List Messages
     *
     * List messages, newest first; a message must match all given filters. A page checks a limited
     * number of messages, so that every page costs the same: a filtered one may hold fewer than
     * `limit`, even none, and still have a `next_cursor`. A search finds a new message a few seconds
     * after it was stored, and never one of an account that keeps no contents.
     *
     * Required scope: `messages:read`.
     */
    public listMessages<ThrowOnError extends boolean = true>(options?: Options<ListMessagesData, ThrowOnError>) {
        return (options?.client ?? this.client).get<ListMessagesResponses, ListMessagesErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/api/v1/messages',
            ...options
        });
    }
    
    /**
     * Send Message
     *
     * Store a message of any kind and send it as soon as possible, or at its scheduled time.
     *
     * The answer comes once the message is on disk; it does not wait for the chat network. While its
     * account is disconnected, the message waits. Messages to one recipient go out in the order in
     * which they were accepted.
     *
     * Required scope: `messages:write`.
     */
    public sendMessage<ThrowOnError extends boolean = true>(options: Options<SendMessageData, ThrowOnError>) {
        return (options.client ?? this.client).post<SendMessageResponses, SendMessageErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/api/v1/messages',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options.headers
            }
        });
    }
    
    /**
     * Get Message Stats
     *
     * Count the organization's messages by state and direction, including deleted ones.
     *
     * Required scope: `messages:read`.
     */
    public getMessageStats<ThrowOnError extends boolean = true>(options?: Options<GetMessageStatsData, ThrowOnError>) {
        return (options?.client ?? this.client).get<GetMessageStatsResponses, GetMessageStatsErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/api/v1/messages/stats/summary',
            ...options
        });
    }
    
    /**
     * Delete Message
     *
     * Delete a message for everyone. A waiting message is canceled, unless an attempt may have sent
     * it. Otherwise `message.deleted` follows once the network has deleted it, or `message.failed`
     * with `change` if that failed. A repeat while the deletion waits gets the same `change_id`.
     *
     * Required scope: `messages:write`.
     */
    public deleteMessage<ThrowOnError extends boolean = true>(options: Options<DeleteMessageData, ThrowOnError>) {
        return (options.client ?? this.client).delete<DeleteMessageResponses, DeleteMessageErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/api/v1/messages/{message_id}',
            ...options
        });
    }
    
    /**
     * Get Message
     *
     * Read a message with its timeline.
     *
     * Required scope: `messages:read`.
     */
    public getMessage<ThrowOnError extends boolean = true>(options: Options<GetMessageData, ThrowOnError>) {
        return (options.client ?? this.client).get<GetMessageResponses, GetMessageErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/api/v1/messages/{message_id}',
            ...options
        });
    }
    
    /**
     * Edit Message
     *
     * Change the content of a message. A waiting message is changed at once. One that was sent, or
     * may have been, is edited on the network, after earlier changes; then `message.edited` follows,
     * or `message.failed` with `change` if that failed.
     *
     * Required scope: `messages:write`.
     */
    public editMessage<ThrowOnError extends boolean = true>(options: Options<EditMessageData, ThrowOnError>) {
        return (options.client ?? this.client).patch<EditMessageResponses, EditMessageErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/api/v1/messages/{message_id}',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options.headers
            }
        });
    }
    
    /**
     * Cancel Message
     *
     * Cancel a message that has certainly not been sent, and return it. A message that is already
     * canceled is returned the same way. One that may be on the phone, because the network did not
     * answer an attempt to send it, can't be canceled, only deleted.
     *
     * Required scope: `messages:write`.
     */
    public cancelMessage<ThrowOnError extends boolean = true>(options: Options<CancelMessageData, ThrowOnError>) {
        return (options.client ?? this.client).post<CancelMessageResponses, CancelMessageErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/api/v1/messages/{message_id}/cancel',
            ...options
        });
    }
    
    /**
     * Delete Message Reaction
     *
     * Remove the account's reaction to a message.
     *
     * Required scope: `messages:write`.
     */
    public deleteMessageReaction<ThrowOnError extends boolean = true>(options: Options<DeleteMessageReactionData, ThrowOnError>) {
        return (options.client ?? this.client).delete<DeleteMessageReactionResponses, DeleteMessageReactionErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/api/v1/messages/{message_id}/reaction',
            ...options
        });
    }
    
    /**
     * Set Message Reaction
     *
     * React to a message in the account's name; the reaction replaces an earlier one.
     * `message.reaction` follows once the network has accepted it, or `message.failed` with `change`
     * if it did not.
     *
     * Required scope: `messages:write`.
     */
    public setMessageReaction<ThrowOnError extends boolean = true>(options: Options<SetMessageReactionData, ThrowOnError>) {
        return (options.client ?? this.client).put<SetMessageReactionResponses, SetMessageReactionErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/api/v1/messages/{message_id}/reaction',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options.headers
            }
        });
    }
    
    /**
     * Get Message History
     *
     * Find out why a message did not arrive: its steps with their times and reasons, its attempts
     * on the chat network, and its webhook deliveries with each attempt. Deliveries require the scope
     * `webhooks:read`, the account's name in the explanation `admin:read`.
     *
     * Required scope: `messages:read`.
     */
    public getMessageHistory<ThrowOnError extends boolean = true>(options: Options<GetMessageHistoryData, ThrowOnError>) {
        return (options.client ?? this.client).get<GetMessageHistoryResponses, GetMessageHistoryErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/api/v1/messages/{message_id}/history',
            ...options
        });
    }
    
    /**
     * Create Conversation Group
     *
     * Create a group on the chat network and store its conversation.
     *
     * The answer waits for the chat network, 30 seconds unless the operator has set another time.
     * After that the work continues: a repeat with the same `Idempotency-Key` waits for its result.
     *
     * Required scope: `groups:write`.
     */
    public createConversationGroup<ThrowOnError extends boolean = true>(options: Options<CreateConversationGroupData, ThrowOnError>) {
        return (options.client ?? this.client).post<CreateConversationGroupResponses, CreateConversationGroupErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/api/v1/conversations/groups',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options.headers
            }
        });
    }
    
    /**
     * List Conversations
     *
     * List conversations, newest activity first; those without messages come last. Conversations
     * that get a message after the first page was read come last, some of them for the second time: a
     * client that continues until `next_cursor` is null sees each at least once. A page of a filtered
     * list checks 10,000 conversations at most, so it may be short, or empty, and still have a
     * `next_cursor`.
     *
     * Required scope: `conversations:read`.
     */
    public listConversations<ThrowOnError extends boolean = true>(options?: Options<ListConversationsData, ThrowOnError>) {
        return (options?.client ?? this.client).get<ListConversationsResponses, ListConversationsErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/api/v1/conversations',
            ...options
        });
    }
    
    /**
     * Get Conversation
     *
     * Read a conversation.
     *
     * Required scope: `conversations:read`.
     */
    public getConversation<ThrowOnError extends boolean = true>(options: Options<GetConversationData, ThrowOnError>) {
        return (options.client ?? this.client).get<GetConversationResponses, GetConversationErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/api/v1/conversations/{conversation_id}',
            ...options
        });
    }
    
    /**
     * Change Conversation
     *
     * Change the given fields of a conversation, all or none. A snoozed conversation reopens at
     * `snoozed_until`, or when somebody writes. A label that does not exist is answered 404.
     *
     * Required scope: `conversations:write`.
     */
    public changeConversation<ThrowOnError extends boolean = true>(options: Options<ChangeConversationData, ThrowOnError>) {
        return (options.client ?? this.client).patch<ChangeConversationResponses, ChangeConversationErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/api/v1/conversations/{conversation_id}',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options.headers
            }
        });
    }
    
    /**
     * Mark Conversation Read
     *
     * Set the number of unread messages to 0 and their status to `read`, and mark them as read on
     * the chat network. Networks with read receipts get those for the newest 100, if the account is
     * connected. Messages that the account's owner reads or answers on their phone become read, too.
     *
     * Required scope: `conversations:write`.
     */
    public markConversationRead<ThrowOnError extends boolean = true>(options: Options<MarkConversationReadData, ThrowOnError>) {
        return (options.client ?? this.client).post<MarkConversationReadResponses, MarkConversationReadErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/api/v1/conversations/{conversation_id}/read',
            ...options
        });
    }
    
    /**
     * List Conversation Notes
     *
     * List colleagues' notes about a conversation, newest first.
     *
     * Required scope: `conversations:read`.
     */
    public listConversationNotes<ThrowOnError extends boolean = true>(options: Options<ListConversationNotesData, ThrowOnError>) {
        return (options.client ?? this.client).get<ListConversationNotesResponses, ListConversationNotesErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/api/v1/conversations/{conversation_id}/notes',
            ...options
        });
    }
    
    /**
     * Create Conversation Note
     *
     * Write a note about a conversation for colleagues. Its contact never sees it.
     *
     * Required scope: `conversations:write`.
     */
    public createConversationNote<ThrowOnError extends boolean = true>(options: Options<CreateConversationNoteData, ThrowOnError>) {
        return (options.client ?? this.client).post<CreateConversationNoteResponses, CreateConversationNoteErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/api/v1/conversations/{conversation_id}/notes',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options.headers
            }
        });
    }
    
    /**
     * Join Group
     *
     * Join a group through an invite link; the answer waits for the chat network.
     *
     * Required scope: `groups:write`.
     */
    public joinGroup<ThrowOnError extends boolean = true>(options: Options<JoinGroupData, ThrowOnError>) {
        return (options.client ?? this.client).post<JoinGroupResponses, JoinGroupErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/api/v1/groups/join',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options.headers
            }
        });
    }
    
    /**
     * Get Group
     *
     * Ask the chat network for a group's name and participants.
     *
     * Required scope: `groups:read`.
     */
    public getGroup<ThrowOnError extends boolean = true>(options: Options<GetGroupData, ThrowOnError>) {
        return (options.client ?? this.client).get<GetGroupResponses, GetGroupErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/api/v1/groups/{conversation_id}',
            ...options
        });
    }
    
    /**
     * Change Group
     *
     * Change a group's name, description or both, and return the group as it is then.
     *
     * Required scope: `groups:write`.
     */
    public changeGroup<ThrowOnError extends boolean = true>(options: Options<ChangeGroupData, ThrowOnError>) {
        return (options.client ?? this.client).patch<ChangeGroupResponses, ChangeGroupErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/api/v1/groups/{conversation_id}',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options.headers
            }
        });
    }
    
    /**
     * Add Group Participants
     *
     * Add people to a group; the answer says who could not be added.
     *
     * Required scope: `groups:write`.
     */
    public addGroupParticipants<ThrowOnError extends boolean = true>(options: Options<AddGroupParticipantsData, ThrowOnError>) {
        return (options.client ?? this.client).post<AddGroupParticipantsResponses, AddGroupParticipantsErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/api/v1/groups/{conversation_id}/participants',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options.headers
            }
        });
    }
    
    /**
     * Remove Group Participant
     *
     * Remove somebody from a group.
     *
     * Required scope: `groups:write`.
     */
    public removeGroupParticipant<ThrowOnError extends boolean = true>(options: Options<RemoveGroupParticipantData, ThrowOnError>) {
        return (options.client ?? this.client).delete<RemoveGroupParticipantResponses, RemoveGroupParticipantErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/api/v1/groups/{conversation_id}/participants/{jid}',
            ...options
        });
    }
    
    /**
     * Get Group Invite Link
     *
     * Get the link through which people join a group.
     *
     * Required scope: `groups:write`.
     */
    public getGroupInviteLink<ThrowOnError extends boolean = true>(options: Options<GetGroupInviteLinkData, ThrowOnError>) {
        return (options.client ?? this.client).get<GetGroupInviteLinkResponses, GetGroupInviteLinkErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/api/v1/groups/{conversation_id}/invite-link',
            ...options
        });
    }
    
    /**
     * Leave Group
     *
     * Leave a group. Its conversation stays.
     *
     * Required scope: `groups:write`.
     */
    public leaveGroup<ThrowOnError extends boolean = true>(options: Options<LeaveGroupData, ThrowOnError>) {
        return (options.client ?? this.client).post<LeaveGroupResponses, LeaveGroupErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/api/v1/groups/{conversation_id}/leave',
            ...options
        });
    }
    
    /**
     * Check Contacts
     *
     * Ask the chat network which phone numbers it knows.
     *
     * Required scope: `contacts:write`.
     */
    public checkContacts<ThrowOnError extends boolean = true>(options: Options<CheckContactsData, ThrowOnError>) {
        return (options.client ?? this.client).post<CheckContactsResponses, CheckContactsErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/api/v1/contacts/check',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options.headers
            }
        });
    }
    
    /**
     * Show Typing
     *
     * Show the other side that somebody is typing. Networks stop showing it after some seconds.
     *
     * Required scope: `conversations:write`.
     */
    public showTyping<ThrowOnError extends boolean = true>(options: Options<ShowTypingData, ThrowOnError>) {
        return (options.client ?? this.client).post<ShowTypingResponses, ShowTypingErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/api/v1/conversations/{conversation_id}/typing',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options.headers
            }
        });
    }
    
    /**
     * List Media
     *
     * List files, newest first: uploaded, fetched and received ones. `stored_bytes` says how much
     * of the plan's quota is used; received files do not count. A page checks a limited number of
     * files: a filtered one may hold fewer than `limit`, even none, and still have a `next_cursor`.
     *
     * Required scope: `messages:read`.
     */
    public listMedia<ThrowOnError extends boolean = true>(options?: Options<ListMediaData, ThrowOnError>) {
        return (options?.client ?? this.client).get<ListMediaResponses, ListMediaErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/api/v1/media',
            ...options
        });
    }
    
    /**
     * Upload Media
     *
     * Upload a file, to send in messages by its id. The body is the file itself, up to the size
     * that the plan allows (64 MiB by default). Its first bytes have to match its `Content-Type`;
     * without one, or with `application/octet-stream`, the bytes alone decide.
     *
     * Required scope: `messages:write`.
     */
    public uploadMedia<ThrowOnError extends boolean = true>(options: Options<UploadMediaData, ThrowOnError>) {
        return (options.client ?? this.client).post<UploadMediaResponses, UploadMediaErrors, ThrowOnError, 'data'>({
            bodySerializer: null,
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/api/v1/media',
            ...options,
            headers: {
                'Content-Type': 'application/octet-stream',
                ...options.headers
            }
        });
    }
    
    /**
     * Delete Media
     *
     * Delete a file, which frees its place in the quota at once. While a message with the file
     * waits to be sent, the answer is 409 `media_in_use`. Other messages with it stay, without their
     * file.
     *
     * Required scope: `messages:write`.
     */
    public deleteMedia<ThrowOnError extends boolean = true>(options: Options<DeleteMediaData, ThrowOnError>) {
        return (options.client ?? this.client).delete<DeleteMediaResponses, DeleteMediaErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/api/v1/media/{media_id}',
            ...options
        });
    }
    
    /**
     * Get Media
     *
     * Read a file's record. Its `url`, new at every read, gives access to the file for an hour,
     * without a key.
     *
     * Required scope: `messages:read`.
     */
    public getMedia<ThrowOnError extends boolean = true>(options: Options<GetMediaData, ThrowOnError>) {
        return (options.client ?? this.client).get<GetMediaResponses, GetMediaErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/api/v1/media/{media_id}',
            ...options
        });
    }
    
    /**
     * Sync Contacts
     *
     * Start fetching an account's contacts; while that runs, a second call returns the same job.
     *
     * Required scope: `contacts:write`.
     */
    public syncContacts<ThrowOnError extends boolean = true>(options: Options<SyncContactsData, ThrowOnError>) {
        return (options.client ?? this.client).post<SyncContactsResponses, SyncContactsErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/api/v1/contacts/sync',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options.headers
            }
        });
    }
    
    /**
     * Get Contact Sync
     *
     * Read the progress of a contact synchronization, by the `job_id` returned at its start.
     *
     * Required scope: `contacts:read`.
     */
    public getContactSync<ThrowOnError extends boolean = true>(options: Options<GetContactSyncData, ThrowOnError>) {
        return (options.client ?? this.client).get<GetContactSyncResponses, GetContactSyncErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/api/v1/contacts/sync/{job_id}',
            ...options
        });
    }
    
    /**
     * List Contacts
     *
     * List the organization's contacts, newest first. A page of a filtered list checks 10,000
     * contacts at most, so it may be short, or empty, and still have a `next_cursor`. A key that is
     * limited to certain accounts sees only contacts that have a conversation with one of them.
     *
     * Required scope: `contacts:read`.
     */
    public listContacts<ThrowOnError extends boolean = true>(options?: Options<ListContactsData, ThrowOnError>) {
        return (options?.client ?? this.client).get<ListContactsResponses, ListContactsErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/api/v1/contacts',
            ...options
        });
    }
    
    /**
     * Get Contact
     *
     * Read a contact. When two turned out to be one person, both ids lead to the one that was
     * kept.
     *
     * Required scope: `contacts:read`.
     */
    public getContact<ThrowOnError extends boolean = true>(options: Options<GetContactData, ThrowOnError>) {
        return (options.client ?? this.client).get<GetContactResponses, GetContactErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/api/v1/contacts/{contact_id}',
            ...options
        });
    }
    
    /**
     * Change Contact
     *
     * Change the given fields of a contact, all or none. `attributes` and `label_ids` replace the
     * existing ones.
     *
     * Required scope: `contacts:write`.
     */
    public changeContact<ThrowOnError extends boolean = true>(options: Options<ChangeContactData, ThrowOnError>) {
        return (options.client ?? this.client).patch<ChangeContactResponses, ChangeContactErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/api/v1/contacts/{contact_id}',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options.headers
            }
        });
    }
    
    /**
     * Get Contact Profile Picture
     *
     * Find a contact's profile picture, in object storage or on the chat network.
     *
     * Required scope: `contacts:read`.
     */
    public getContactProfilePicture<ThrowOnError extends boolean = true>(options: Options<GetContactProfilePictureData, ThrowOnError>) {
        return (options.client ?? this.client).get<GetContactProfilePictureResponses, GetContactProfilePictureErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/api/v1/contacts/{contact_id}/profile-picture',
            ...options
        });
    }
    
    /**
     * List Labels
     *
     * List the organization's labels by name.
     *
     * Required scope: `conversations:read`.
     */
    public listLabels<ThrowOnError extends boolean = true>(options?: Options<ListLabelsData, ThrowOnError>) {
        return (options?.client ?? this.client).get<ListLabelsResponses, ListLabelsErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/api/v1/labels',
            ...options
        });
    }
    
    /**
     * Create Label
     *
     * Create a label. An organization can have 200. A key that is limited to certain devices can't
     * create one: all devices share the labels.
     *
     * Required scope: `conversations:write`.
     */
    public createLabel<ThrowOnError extends boolean = true>(options: Options<CreateLabelData, ThrowOnError>) {
        return (options.client ?? this.client).post<CreateLabelResponses, CreateLabelErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/api/v1/labels',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options.headers
            }
        });
    }
    
    /**
     * Delete Label
     *
     * Delete a label, and remove it from all conversations and contacts. A key that is limited to
     * certain devices can't.
     *
     * Required scope: `conversations:write`.
     */
    public deleteLabel<ThrowOnError extends boolean = true>(options: Options<DeleteLabelData, ThrowOnError>) {
        return (options.client ?? this.client).delete<DeleteLabelResponses, DeleteLabelErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/api/v1/labels/{label_id}',
            ...options
        });
    }
    
    /**
     * Change Label
     *
     * Change a label's name or color everywhere. A key that is limited to certain devices can't:
     * all devices share the labels.
     *
     * Required scope: `conversations:write`.
     */
    public changeLabel<ThrowOnError extends boolean = true>(options: Options<ChangeLabelData, ThrowOnError>) {
        return (options.client ?? this.client).patch<ChangeLabelResponses, ChangeLabelErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/api/v1/labels/{label_id}',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options.headers
            }
        });
    }
    
    /**
     * List Members
     *
     * List the people of the organization by name. A conversation can be assigned to each of them,
     * with their `id` as `assignee_user_id`.
     *
     * Required scope: `conversations:read`.
     */
    public listMembers<ThrowOnError extends boolean = true>(options?: Options<ListMembersData, ThrowOnError>) {
        return (options?.client ?? this.client).get<ListMembersResponses, ListMembersErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/api/v1/members',
            ...options
        });
    }
    
    /**
     * List Devices
     *
     * List the organization's devices.
     *
     * Required scope: `admin:read`.
     */
    public listDevices<ThrowOnError extends boolean = true>(options?: Options<ListDevicesData, ThrowOnError>) {
        return (options?.client ?? this.client).get<ListDevicesResponses, ListDevicesErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/api/v1/devices',
            ...options
        });
    }
    
    /**
     * Create Device
     *
     * Connect a device to a chat network, with the network's form. It starts connecting or pairing
     * automatically; the device's pairing says what a person has to do. The first device of an
     * organization becomes the primary one. A key that is limited to certain devices can't connect
     * another.
     *
     * Required scope: `admin:write`.
     */
    public createDevice<ThrowOnError extends boolean = true>(options: Options<CreateDeviceData, ThrowOnError>) {
        return (options.client ?? this.client).post<CreateDeviceResponses, CreateDeviceErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/api/v1/devices',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options.headers
            }
        });
    }
    
    /**
     * Delete Device
     *
     * Remove a device. Its conversations and messages stay. Messages waiting to be sent are
     * canceled; those that may have been sent fail. A connected device has to be logged out first.
     *
     * Required scope: `admin:write`.
     */
    public deleteDevice<ThrowOnError extends boolean = true>(options: Options<DeleteDeviceData, ThrowOnError>) {
        return (options.client ?? this.client).delete<DeleteDeviceResponses, DeleteDeviceErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/api/v1/devices/{device_id}',
            ...options
        });
    }
    
    /**
     * Get Device
     *
     * Read a device, with the number of messages that wait to be sent through it.
     *
     * Required scope: `admin:read`.
     */
    public getDevice<ThrowOnError extends boolean = true>(options: Options<GetDeviceData, ThrowOnError>) {
        return (options.client ?? this.client).get<GetDeviceResponses, GetDeviceErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/api/v1/devices/{device_id}',
            ...options
        });
    }
    
    /**
     * Change Device
     *
     * Change a device; fields that are left out stay as they are. This reopens its connection.
     * `settings` replaces the values that it names; an empty value means the form's default. A key
     * that is limited to certain devices can't make another device the primary one.
     *
     * Required scope: `admin:write`.
     */
    public changeDevice<ThrowOnError extends boolean = true>(options: Options<ChangeDeviceData, ThrowOnError>) {
        return (options.client ?? this.client).patch<ChangeDeviceResponses, ChangeDeviceErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/api/v1/devices/{device_id}',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options.headers
            }
        });
    }
    
    /**
     * Get Device Pairing
     *
     * Read what a person has to do to pair a device: scan a QR code, or type a code. The code
     * changes every few seconds until somebody uses it: ask again when it expires. With
     * `Accept: image/png` the answer is the QR code as a picture, to show unchanged; while there is
     * none, it is 409 `no_qr_code`.
     *
     * Required scope: `admin:read`.
     */
    public getDevicePairing<ThrowOnError extends boolean = true>(options: Options<GetDevicePairingData, ThrowOnError>) {
        return (options.client ?? this.client).get<GetDevicePairingResponses, GetDevicePairingErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/api/v1/devices/{device_id}/pairing',
            ...options
        });
    }
    
    /**
     * Pair Device
     *
     * Start pairing a device, also one that was logged out, or change the method. The answer does
     * not wait for the chat network: read the code to scan or type a moment later, with
     * `getDevicePairing`.
     *
     * Required scope: `admin:write`.
     */
    public pairDevice<ThrowOnError extends boolean = true>(options: Options<PairDeviceData, ThrowOnError>) {
        return (options.client ?? this.client).post<PairDeviceResponses, PairDeviceErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/api/v1/devices/{device_id}/pairing',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options.headers
            }
        });
    }
    
    /**
     * Reconnect Device
     *
     * Reopen a device's connection; a logged-out device starts pairing again.
     *
     * Required scope: `admin:write`.
     */
    public reconnectDevice<ThrowOnError extends boolean = true>(options: Options<ReconnectDeviceData, ThrowOnError>) {
        return (options.client ?? this.client).post<ReconnectDeviceResponses, ReconnectDeviceErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/api/v1/devices/{device_id}/reconnect',
            ...options
        });
    }
    
    /**
     * Log Out Device
     *
     * End a device's registration on its network. Its queue is kept; it can be paired again.
     *
     * Required scope: `admin:write`.
     */
    public logOutDevice<ThrowOnError extends boolean = true>(options: Options<LogOutDeviceData, ThrowOnError>) {
        return (options.client ?? this.client).post<LogOutDeviceResponses, LogOutDeviceErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/api/v1/devices/{device_id}/log-out',
            ...options
        });
    }
    
    /**
     * List Networks
     *
     * List the chat networks, with their capabilities and the form that connects a device.
     *
     * Required scope: `admin:read`.
     */
    public listNetworks<ThrowOnError extends boolean = true>(options?: Options<ListNetworksData, ThrowOnError>) {
        return (options?.client ?? this.client).get<ListNetworksResponses, ListNetworksErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/api/v1/networks',
            ...options
        });
    }
    
    /**
     * List Org Webhook Events
     *
     * List deliveries across all webhooks of the organization, newest first.
     *
     * Required scope: `webhooks:read`.
     */
    public listOrgWebhookEvents<ThrowOnError extends boolean = true>(options?: Options<ListOrgWebhookEventsData, ThrowOnError>) {
        return (options?.client ?? this.client).get<ListOrgWebhookEventsResponses, ListOrgWebhookEventsErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/api/v1/webhooks/subscriptions/events',
            ...options
        });
    }
    
    /**
     * List Webhook Subscriptions
     *
     * List the organization's webhooks, oldest first; a key that is limited to certain accounts
     * sees those that take only events of these.
     *
     * Required scope: `webhooks:read`.
     */
    public listWebhookSubscriptions<ThrowOnError extends boolean = true>(options?: Options<ListWebhookSubscriptionsData, ThrowOnError>) {
        return (options?.client ?? this.client).get<ListWebhookSubscriptionsResponses, ListWebhookSubscriptionsErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/api/v1/webhooks/subscriptions',
            ...options
        });
    }
    
    /**
     * Create Webhook Subscription
     *
     * Subscribe a URL to events. Only this answer shows its signing secret; the dashboard can
     * show it again. Events also require the scope to read what they show: `messages:read` for
     * messages, `conversations:read` for conversations, `contacts:read` for contacts, and all three
     * for `*`. With a key that is limited to certain accounts, the webhook gets only events of
     * these accounts.
     *
     * Required scope: `webhooks:write`.
     */
    public createWebhookSubscription<ThrowOnError extends boolean = true>(options: Options<CreateWebhookSubscriptionData, ThrowOnError>) {
        return (options.client ?? this.client).post<CreateWebhookSubscriptionResponses, CreateWebhookSubscriptionErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/api/v1/webhooks/subscriptions',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options.headers
            }
        });
    }
    
    /**
     * Delete Webhook Subscription
     *
     * Delete a webhook and cancel its pending deliveries. Its deliveries stay listed.
     *
     * Required scope: `webhooks:write`.
     */
    public deleteWebhookSubscription<ThrowOnError extends boolean = true>(options: Options<DeleteWebhookSubscriptionData, ThrowOnError>) {
        return (options.client ?? this.client).delete<DeleteWebhookSubscriptionResponses, DeleteWebhookSubscriptionErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/api/v1/webhooks/subscriptions/{subscription_id}',
            ...options
        });
    }
    
    /**
     * Get Webhook Subscription
     *
     * Read a webhook. Its secret and the values of its custom headers are not shown.
     *
     * Required scope: `webhooks:read`.
     */
    public getWebhookSubscription<ThrowOnError extends boolean = true>(options: Options<GetWebhookSubscriptionData, ThrowOnError>) {
        return (options.client ?? this.client).get<GetWebhookSubscriptionResponses, GetWebhookSubscriptionErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/api/v1/webhooks/subscriptions/{subscription_id}',
            ...options
        });
    }
    
    /**
     * Update Webhook Subscription
     *
     * Change the given fields. Pending deliveries go to the new URL, with the new headers. New
     * events or a new filter require the scopes to read what the events show. A new URL requires
     * `messages:read`, `conversations:read` and `contacts:read`, since any event may be pending.
     * Enabling a webhook posts its pending deliveries and forgets earlier failures. Events already in
     * a batch stay in it.
     *
     * Required scope: `webhooks:write`.
     */
    public updateWebhookSubscription<ThrowOnError extends boolean = true>(options: Options<UpdateWebhookSubscriptionData, ThrowOnError>) {
        return (options.client ?? this.client).patch<UpdateWebhookSubscriptionResponses, UpdateWebhookSubscriptionErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/api/v1/webhooks/subscriptions/{subscription_id}',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options.headers
            }
        });
    }
    
    /**
     * Ping Webhook Subscription
     *
     * Post a `webhook.ping` to this webhook only, whatever it subscribes to.
     *
     * Required scope: `webhooks:write`.
     */
    public pingWebhookSubscription<ThrowOnError extends boolean = true>(options: Options<PingWebhookSubscriptionData, ThrowOnError>) {
        return (options.client ?? this.client).post<PingWebhookSubscriptionResponses, PingWebhookSubscriptionErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/api/v1/webhooks/subscriptions/{subscription_id}/ping',
            ...options
        });
    }
    
    /**
     * Rotate Webhook Secret
     *
     * Give a webhook a new secret. Only this answer shows it; the dashboard can show it again.
     * During the grace period the old one signs, too, as do older ones until their own grace periods
     * end.
     *
     * Required scope: `webhooks:write`.
     */
    public rotateWebhookSecret<ThrowOnError extends boolean = true>(options: Options<RotateWebhookSecretData, ThrowOnError>) {
        return (options.client ?? this.client).post<RotateWebhookSecretResponses, RotateWebhookSecretErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/api/v1/webhooks/subscriptions/{subscription_id}/rotate-secret',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options.headers
            }
        });
    }
    
    /**
     * Replay Webhook Events
     *
     * Post the events of a time range to this webhook again, each under its `webhook-id`.
     *
     * That includes events it was never sent: from before it was made, or while it was disabled. One
     * call checks 2,000 events and queues those that the webhook takes; while the answer has a
     * `next_cursor`, repeat the call with it. Nothing continues by itself.
     *
     * Required scope: `webhooks:write`.
     */
    public replayWebhookEvents<ThrowOnError extends boolean = true>(options: Options<ReplayWebhookEventsData, ThrowOnError>) {
        return (options.client ?? this.client).post<ReplayWebhookEventsResponses, ReplayWebhookEventsErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/api/v1/webhooks/subscriptions/{subscription_id}/replay',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options.headers
            }
        });
    }
    
    /**
     * List Webhook Deliveries
     *
     * List a webhook's deliveries, newest first. A page checks 10,000 deliveries of the
     * organization at most: it may hold fewer than `limit`, even none, and have a `next_cursor`.
     *
     * Required scope: `webhooks:read`.
     */
    public listWebhookDeliveries<ThrowOnError extends boolean = true>(options: Options<ListWebhookDeliveriesData, ThrowOnError>) {
        return (options.client ?? this.client).get<ListWebhookDeliveriesResponses, ListWebhookDeliveriesErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/api/v1/webhooks/subscriptions/{subscription_id}/deliveries',
            ...options
        });
    }
    
    /**
     * Get Webhook Delivery
     *
     * Read a delivery: its event, and each attempt with the endpoint's answer. This also requires
     * the scope to read what the event shows, such as `messages:read`. An event in a batch has the
     * attempts of its batch.
     *
     * Required scope: `webhooks:read`.
     */
    public getWebhookDelivery<ThrowOnError extends boolean = true>(options: Options<GetWebhookDeliveryData, ThrowOnError>) {
        return (options.client ?? this.client).get<GetWebhookDeliveryResponses, GetWebhookDeliveryErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/api/v1/webhooks/deliveries/{delivery_id}',
            ...options
        });
    }
    
    /**
     * Redeliver Webhook Event
     *
     * Post the event of a delivery again, as a new delivery with the same `webhook-id`. This also
     * requires the scope to read what the event shows, such as `messages:read`. If the webhook takes
     * batches, the event is posted in a new one.
     *
     * Required scope: `webhooks:write`.
     */
    public redeliverWebhookEvent<ThrowOnError extends boolean = true>(options: Options<RedeliverWebhookEventData, ThrowOnError>) {
        return (options.client ?? this.client).post<RedeliverWebhookEventResponses, RedeliverWebhookEventErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/api/v1/webhooks/deliveries/{delivery_id}/redeliver',
            ...options
        });
    }
    
    /**
     * List Events
     *
     * Read events after a cursor, oldest first: as a page, or, with `Accept: text/event-stream`, as
     * a stream of server-sent events whose ids are cursors. A client that keeps the cursor misses
     * nothing and gets nothing twice. A page may hold no events and still move the cursor. A page
     * without events whose cursor is the one you sent means that there is nothing more for now.
     *
     * Required scope: `webhooks:read`.
     */
    public listEvents<ThrowOnError extends boolean = true>(options?: Options<ListEventsData, ThrowOnError>) {
        return (options?.client ?? this.client).get<ListEventsResponses, ListEventsErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/api/v1/events',
            ...options
        });
    }
    
    /**
     * List Api Keys
     *
     * List the organization's API keys, newest first, including revoked ones. A key that is limited
     * to certain devices sees only keys that are limited to these, too.
     *
     * Required scope: `admin:write`.
     */
    public listApiKeys<ThrowOnError extends boolean = true>(options?: Options<ListApiKeysData, ThrowOnError>) {
        return (options?.client ?? this.client).get<ListApiKeysResponses, ListApiKeysErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/api/v1/api-keys',
            ...options
        });
    }
    
    /**
     * Create Api Key
     *
     * Create an API key. The answer contains its secret, which is shown only this once. A key can't
     * create one with more scopes or devices than its own, or one that lives longer.
     *
     * Required scope: `admin:write`.
     */
    public createApiKey<ThrowOnError extends boolean = true>(options: Options<CreateApiKeyData, ThrowOnError>) {
        return (options.client ?? this.client).post<CreateApiKeyResponses, CreateApiKeyErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/api/v1/api-keys',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options.headers
            }
        });
    }
    
    /**
     * Revoke Api Key
     *
     * Revoke a key for good, on every node within a second. It stays in the list, as revoked;
     * revoking it again changes nothing. A key can't revoke one that lives longer than itself.
     *
     * Required scope: `admin:write`.
     */
    public revokeApiKey<ThrowOnError extends boolean = true>(options: Options<RevokeApiKeyData, ThrowOnError>) {
        return (options.client ?? this.client).delete<RevokeApiKeyResponses, RevokeApiKeyErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/api/v1/api-keys/{key_id}',
            ...options
        });
    }
    
    /**
     * Rotate Api Key
     *
     * Give a key a new secret, which is shown only this once. The old one stays valid for a grace
     * period. Rotating again does not shorten the grace period of older secrets; at most four are
     * valid at once. A key can't rotate one that lives longer than itself.
     *
     * Required scope: `admin:write`.
     */
    public rotateApiKey<ThrowOnError extends boolean = true>(options: Options<RotateApiKeyData, ThrowOnError>) {
        return (options.client ?? this.client).post<RotateApiKeyResponses, RotateApiKeyErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/api/v1/api-keys/{key_id}/rotate',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options.headers
            }
        });
    }
}
