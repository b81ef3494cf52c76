import type { INodeProperties } from 'n8n-workflow';

/** "Return All" and "Limit" of a resource's operation "Get Many". */
export function listingFields(resource: string): INodeProperties[] {
	return [
		{
			displayName: 'Return All',
			name: 'returnAll',
			type: 'boolean',
			default: false,
			description: 'Whether to return all results or only up to a given limit',
			displayOptions: { show: { resource: [resource], operation: ['getAll'] } },
		},
		{
			displayName: 'Limit',
			name: 'limit',
			type: 'number',
			typeOptions: { minValue: 1 },
			default: 50,
			description: 'Max number of results to return',
			displayOptions: { show: { resource: [resource], operation: ['getAll'], returnAll: [false] } },
		},
	];
}

/** The collection "Filters" of a resource's operation "Get Many". */
export function filterFields(resource: string, options: INodeProperties[]): INodeProperties {
	return {
		displayName: 'Filters',
		name: 'filters',
		type: 'collection',
		placeholder: 'Add Filter',
		default: {},
		displayOptions: { show: { resource: [resource], operation: ['getAll'] } },
		options,
	};
}

export const DEVICE_FIELD: INodeProperties = {
	displayName: 'Device Name or ID',
	name: 'chatAccountId',
	type: 'options',
	typeOptions: { loadOptionsMethod: 'getDevices' },
	default: '',
	description:
		'Which connected account. The list takes a key with admin:read. Choose from the list, or specify an ID using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
};
