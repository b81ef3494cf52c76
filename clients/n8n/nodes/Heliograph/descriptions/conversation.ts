import type { INodeProperties } from 'n8n-workflow';

import { DEVICE_FIELD, filterFields, listingFields } from './listing';

const filters = filterFields('conversation', [
	{ displayName: 'Assignee User ID', name: 'assigneeUserId', type: 'string', default: '' },
	DEVICE_FIELD,
	{
		displayName: 'Is Group',
		name: 'isGroup',
		type: 'boolean',
		default: true,
		description: 'Whether to return groups only, or conversations with one person only',
	},
	{ displayName: 'Label ID', name: 'labelId', type: 'string', default: '' },
	{
		displayName: 'Search',
		name: 'search',
		type: 'string',
		default: '',
		description: 'A part of a name, or of a number however it is written',
	},
	{
		displayName: 'Status',
		name: 'status',
		type: 'options',
		options: [
			{ name: 'Closed', value: 'closed' },
			{ name: 'Open', value: 'open' },
			{ name: 'Pending', value: 'pending' },
			{ name: 'Snoozed', value: 'snoozed' },
		],
		default: 'open',
	},
	{
		displayName: 'Unread',
		name: 'unread',
		type: 'boolean',
		default: true,
		description: 'Whether to return only those with unread messages, or only those without',
	},
]);

export const conversationFields: INodeProperties[] = [
	{
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: { resource: ['conversation'] } },
		options: [
			{
				name: 'Get',
				value: 'get',
				description: 'Get a conversation',
				action: 'Get a conversation',
			},
			{
				name: 'Get Many',
				value: 'getAll',
				description: 'Find conversations, by when something was last said',
				action: 'Get many conversations',
			},
		],
		default: 'getAll',
	},
	{
		displayName: 'Conversation ID',
		name: 'conversationId',
		type: 'string',
		required: true,
		default: '',
		displayOptions: { show: { resource: ['conversation'], operation: ['get'] } },
	},
	...listingFields('conversation'),
	filters,
];
