import type { INodeProperties } from 'n8n-workflow';

import { contentFields } from './content';
import { DEVICE_FIELD } from './listing';

const show = { resource: ['message'], operation: ['send'] };

const options: INodeProperties = {
	displayName: 'Options',
	name: 'options',
	type: 'collection',
	placeholder: 'Add Option',
	default: {},
	displayOptions: { show },
	options: [
		DEVICE_FIELD,
		{
			displayName: 'Expires At',
			name: 'expiresAt',
			type: 'dateTime',
			default: '',
			description: 'When it is too late: what has not been sent by then fails',
		},
		{
			displayName: 'Fall Back to Text',
			name: 'fallBackToText',
			type: 'boolean',
			default: true,
			description: 'Whether to send a text where the network lacks this kind of message',
		},
		{
			displayName: 'Idempotency Key',
			name: 'idempotencyKey',
			type: 'string',
			default: '',
			placeholder: 'order-4711',
			description:
				'A name for this message: for 24 hours the gateway sends nothing twice under it. By default each item of an execution has its own, so that a retry of the node sends nothing twice.',
		},
		{
			displayName: 'Metadata',
			name: 'metadata',
			type: 'fixedCollection',
			typeOptions: { multipleValues: true },
			placeholder: 'Add Value',
			default: {},
			description: 'Values of your own, which come back in records and events',
			options: [
				{
					displayName: 'Entry',
					name: 'entry',
					values: [
						{ displayName: 'Name', name: 'name', type: 'string', default: '' },
						{ displayName: 'Value', name: 'value', type: 'string', default: '' },
					],
				},
			],
		},
		{
			displayName: 'Reply To Message ID',
			name: 'replyToMessageId',
			type: 'string',
			default: '',
			description: 'A message of the same conversation, which is quoted',
		},
		{
			displayName: 'Scheduled For',
			name: 'scheduledFor',
			type: 'dateTime',
			default: '',
			description: 'When to send it. By default at once.',
		},
	],
};

export const sendFields: INodeProperties[] = [
	{
		displayName: 'Recipient Type',
		name: 'recipientType',
		type: 'options',
		options: [
			{ name: 'Contact ID', value: 'contact_id' },
			{ name: 'Conversation ID', value: 'conversation_id' },
			{ name: 'Phone Number or JID', value: 'phone_number' },
		],
		default: 'phone_number',
		displayOptions: { show },
	},
	{
		displayName: 'Recipient',
		name: 'recipient',
		type: 'string',
		required: true,
		default: '',
		placeholder: '+15550100001',
		displayOptions: { show },
	},
	...contentFields,
	options,
];
