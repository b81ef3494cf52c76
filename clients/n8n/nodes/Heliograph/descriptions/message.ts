import type { INodeProperties } from 'n8n-workflow';

import { DEVICE_FIELD, filterFields, listingFields } from './listing';
import { sendFields } from './send';

const operation: INodeProperties = {
	displayName: 'Operation',
	name: 'operation',
	type: 'options',
	noDataExpression: true,
	displayOptions: { show: { resource: ['message'] } },
	options: [
		{ name: 'Get', value: 'get', description: 'Get a message', action: 'Get a message' },
		{
			name: 'Get Many',
			value: 'getAll',
			description: 'Find messages, the newest first',
			action: 'Get many messages',
		},
		{ name: 'Send', value: 'send', description: 'Send a message', action: 'Send a message' },
	],
	default: 'send',
};

const messageId: INodeProperties = {
	displayName: 'Message ID',
	name: 'messageId',
	type: 'string',
	required: true,
	default: '',
	displayOptions: { show: { resource: ['message'], operation: ['get'] } },
};

const filters = filterFields('message', [
	{ displayName: 'Contact ID', name: 'contactId', type: 'string', default: '' },
	{ displayName: 'Conversation ID', name: 'conversationId', type: 'string', default: '' },
	DEVICE_FIELD,
	{
		displayName: 'Direction',
		name: 'direction',
		type: 'options',
		options: [
			{ name: 'Inbound', value: 'inbound' },
			{ name: 'Outbound', value: 'outbound' },
		],
		default: 'inbound',
	},
	{
		displayName: 'Message Type',
		name: 'messageType',
		type: 'string',
		default: '',
		placeholder: 'button_reply',
		description: 'Only messages of this kind',
	},
	{
		displayName: 'Search',
		name: 'search',
		type: 'string',
		default: '',
		description: 'Only messages with all these words',
	},
	{
		displayName: 'Since',
		name: 'since',
		type: 'dateTime',
		default: '',
		description: 'Only messages made at this time or later',
	},
	{
		displayName: 'Status',
		name: 'status',
		type: 'string',
		default: '',
		placeholder: 'failed',
		description: 'Only messages in this state',
	},
	{
		displayName: 'Until',
		name: 'until',
		type: 'dateTime',
		default: '',
		description: 'Only messages made before this time',
	},
]);

export const messageFields: INodeProperties[] = [
	operation,
	messageId,
	...sendFields,
	...listingFields('message'),
	filters,
];
