import type { INodeProperties } from 'n8n-workflow';

import { filterFields, listingFields } from './listing';

const filters = filterFields('device', [
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
			{ name: 'Connected', value: 'connected' },
			{ name: 'Connecting', value: 'connecting' },
			{ name: 'Disconnected', value: 'disconnected' },
			{ name: 'Logged Out', value: 'logged_out' },
			{ name: 'Pairing', value: 'pairing' },
		],
		default: 'connected',
	},
]);

export const deviceFields: INodeProperties[] = [
	{
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: { resource: ['device'] } },
		options: [
			{
				name: 'Get Many',
				value: 'getAll',
				description: 'List the connected accounts',
				action: 'Get many devices',
			},
		],
		default: 'getAll',
	},
	...listingFields('device'),
	filters,
];
