import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { callGateway } from '../transport/request';
import { listConversations, listDevices, listMessages } from './listings';
import { download, upload } from './media';
import { get as getMessage, send } from './messages';

type Operation = (context: IExecuteFunctions, itemIndex: number) => Promise<INodeExecutionData[]>;

const OPERATIONS: Record<string, Operation> = {
	'conversation.get': one(getConversation),
	'conversation.getAll': many(listConversations),
	'device.getAll': many(listDevices),
	'media.download': async (context, itemIndex) => [await download(context, itemIndex)],
	'media.upload': one(upload),
	'message.get': one(getMessage),
	'message.getAll': many(listMessages),
	'message.send': one(send),
};

/** Do for this item what the node is set to. */
export async function runOperation(
	context: IExecuteFunctions,
	itemIndex: number,
): Promise<INodeExecutionData[]> {
	const resource = context.getNodeParameter('resource', itemIndex) as string;
	const operation = context.getNodeParameter('operation', itemIndex) as string;
	const run = OPERATIONS[`${resource}.${operation}`];
	if (!run) {
		throw new NodeOperationError(
			context.getNode(),
			`No operation '${operation}' of '${resource}'`,
			{
				itemIndex,
			},
		);
	}
	const results = await run(context, itemIndex);
	return results.map((result) => ({ ...result, pairedItem: { item: itemIndex } }));
}

function one(
	run: (context: IExecuteFunctions, itemIndex: number) => Promise<IDataObject>,
): Operation {
	return async (context, itemIndex) => [{ json: await run(context, itemIndex) }];
}

function many(
	run: (context: IExecuteFunctions, itemIndex: number) => Promise<IDataObject[]>,
): Operation {
	return async (context, itemIndex) => (await run(context, itemIndex)).map((json) => ({ json }));
}

async function getConversation(
	context: IExecuteFunctions,
	itemIndex: number,
): Promise<IDataObject> {
	const id = encodeURIComponent(context.getNodeParameter('conversationId', itemIndex) as string);
	return await callGateway(context, { method: 'GET', path: `/conversations/${id}`, itemIndex });
}
