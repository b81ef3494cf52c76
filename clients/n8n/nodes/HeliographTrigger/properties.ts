import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

/** What the gateway can be subscribed to, with its patterns. */
const EVENTS: INodePropertyOptions[] = [
	{ name: 'Any Device Event', value: 'device.*' },
	{ name: 'Any Event', value: '*' },
	{ name: 'Any Message Event', value: 'message.*' },
	{ name: 'Contact Updated', value: 'contact.updated' },
	{ name: 'Contacts Synced', value: 'contacts.synced' },
	{ name: 'Conversation Updated', value: 'conversation.updated' },
	{ name: 'Device Connected', value: 'device.connected' },
	{ name: 'Device Disconnected', value: 'device.disconnected' },
	{ name: 'Device Logged Out', value: 'device.logged_out' },
	{ name: 'Device Pairing', value: 'device.pairing' },
	{ name: 'Device Restricted', value: 'device.restricted' },
	{ name: 'Device Unrestricted', value: 'device.unrestricted' },
	{ name: 'Message Canceled', value: 'message.canceled' },
	{ name: 'Message Deleted', value: 'message.deleted' },
	{ name: 'Message Delivered', value: 'message.delivered' },
	{ name: 'Message Edited', value: 'message.edited' },
	{ name: 'Message Failed', value: 'message.failed' },
	{ name: 'Message Reaction', value: 'message.reaction' },
	{ name: 'Message Read', value: 'message.read' },
	{ name: 'Message Received', value: 'message.received' },
	{ name: 'Message Sent', value: 'message.sent' },
	{ name: 'Webhook Ping', value: 'webhook.ping' },
];

const options: INodeProperties = {
	displayName: 'Options',
	name: 'options',
	type: 'collection',
	placeholder: 'Add Option',
	default: {},
	options: [
		{
			displayName: 'Batch Size',
			name: 'batchSize',
			type: 'number',
			typeOptions: { minValue: 1, maxValue: 500 },
			default: 100,
			description:
				'How many events may start one execution together, each as an item. By default each event starts its own.',
		},
		{
			displayName: 'Batch Wait',
			name: 'batchWait',
			type: 'number',
			typeOptions: { minValue: 0, maxValue: 5000 },
			default: 1000,
			description: 'How many milliseconds the first event of a batch waits for others',
		},
		{
			displayName: 'Chat Type',
			name: 'chatType',
			type: 'options',
			options: [
				{ name: 'Any', value: '' },
				{ name: 'Group', value: 'group' },
				{ name: 'Individual', value: 'individual' },
			],
			default: '',
			description: 'Only messages of such chats. Other events are not filtered.',
		},
		{
			displayName: 'Device Names or IDs',
			name: 'chatAccountIds',
			type: 'multiOptions',
			typeOptions: { loadOptionsMethod: 'getDevices' },
			default: [],
			description:
				'Only events of these connected accounts. The list takes a key with admin:read. Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
		},
	],
};

export const triggerFields: INodeProperties[] = [
	{
		displayName: 'Events',
		name: 'events',
		type: 'multiOptions',
		options: EVENTS,
		required: true,
		default: ['message.received'],
		description: 'What starts the workflow',
	},
	options,
];
