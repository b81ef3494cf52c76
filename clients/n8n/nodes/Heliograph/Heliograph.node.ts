import type {
	IExecuteFunctions,
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
	JsonObject,
} from 'n8n-workflow';
import { NodeApiError, NodeConnectionTypes, NodeOperationError } from 'n8n-workflow';

import { getDevices } from '../transport/devices';
import { conversationFields } from './descriptions/conversation';
import { deviceFields } from './descriptions/device';
import { mediaFields } from './descriptions/media';
import { messageFields } from './descriptions/message';
import { runOperation } from './operations';

export class Heliograph implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Heliograph',
		name: 'heliograph',
		icon: {
			light: 'file:../../icons/heliograph.svg',
			dark: 'file:../../icons/heliograph.dark.svg',
		},
		group: ['output'],
		version: 1,
		subtitle: '={{ $parameter["operation"] + ": " + $parameter["resource"] }}',
		description: 'Send and read chat messages through a Heliograph gateway',
		defaults: { name: 'Heliograph' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'heliographApi', required: true }],
		properties: [
			{
				displayName: 'Resource',
				name: 'resource',
				type: 'options',
				noDataExpression: true,
				options: [
					{ name: 'Conversation', value: 'conversation' },
					{ name: 'Device', value: 'device' },
					{ name: 'Media', value: 'media' },
					{ name: 'Message', value: 'message' },
				],
				default: 'message',
			},
			...messageFields,
			...mediaFields,
			...conversationFields,
			...deviceFields,
		],
	};

	methods = { loadOptions: { getDevices } };

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		const results: INodeExecutionData[] = [];
		for (let itemIndex = 0; itemIndex < this.getInputData().length; itemIndex++) {
			try {
				results.push(...(await runOperation(this, itemIndex)));
			} catch (error) {
				const failure = toNodeError(this, error, itemIndex);
				if (!this.continueOnFail()) throw failure;
				results.push({
					json: { error: failure.message },
					error: failure,
					pairedItem: { item: itemIndex },
				});
			}
		}
		return [results];
	}
}

/** n8n's own kind of error, with the item that it happened to. */
function toNodeError(
	context: IExecuteFunctions,
	error: unknown,
	itemIndex: number,
): NodeApiError | NodeOperationError {
	const failure =
		error instanceof NodeOperationError
			? error
			: new NodeApiError(context.getNode(), error as JsonObject);
	failure.context.itemIndex = itemIndex;
	return failure;
}
