import type { IDataObject, IHookFunctions } from 'n8n-workflow';

import { listByOffset } from '../transport/pages';
import { callGateway, findAtGateway } from '../transport/request';

const PATH = '/webhooks/subscriptions';

/** What n8n keeps for the node while its workflow is active. */
export interface StaticData {
	subscriptionId?: string;
	secret?: string;
}

interface Options {
	batchSize?: number;
	batchWait?: number;
	chatAccountIds?: string[];
	chatType?: string;
}

export function staticDataOf(context: IHookFunctions): StaticData {
	return context.getWorkflowStaticData('node') as StaticData;
}

/** Subscribe this node's URL, and keep the secret: the gateway shows it this once. */
export async function subscribe(context: IHookFunctions): Promise<void> {
	const created = await callGateway(context, {
		method: 'POST',
		path: PATH,
		body: readSubscription(context),
	});
	const data = staticDataOf(context);
	data.subscriptionId = created.id as string;
	data.secret = created.secret as string;
}

/** Bring the known subscription in line with the node. False if there is none, or no secret. */
export async function renew(context: IHookFunctions): Promise<boolean> {
	const { subscriptionId, secret } = staticDataOf(context);
	if (!subscriptionId || !secret) return false;
	const renewed = await findAtGateway(context, {
		method: 'PATCH',
		path: `${PATH}/${subscriptionId}`,
		body: readSubscription(context),
	});
	return renewed !== null;
}

/** End the known subscription, and forget it. One that is gone already is as good as ended. */
export async function unsubscribe(context: IHookFunctions): Promise<void> {
	const data = staticDataOf(context);
	if (data.subscriptionId) await remove(context, data.subscriptionId);
	delete data.subscriptionId;
	delete data.secret;
}

/**
 * End what an activation left behind that was cut off before n8n kept its id. The URL is this
 * node's alone, and without the secret nobody can verify what would be posted to it.
 */
export async function removeStrays(context: IHookFunctions): Promise<void> {
	const url = context.getNodeWebhookUrl('default');
	const listed = await listByOffset(context, { path: PATH, member: 'subscriptions' });
	for (const stray of listed.filter((subscription) => subscription.url === url)) {
		await remove(context, stray.id as string);
	}
}

async function remove(context: IHookFunctions, id: string): Promise<void> {
	await findAtGateway(context, { method: 'DELETE', path: `${PATH}/${id}` });
}

function readSubscription(context: IHookFunctions): IDataObject {
	const { name } = context.getWorkflow();
	const options = context.getNodeParameter('options', {}) as Options;
	return {
		url: context.getNodeWebhookUrl('default'),
		events: context.getNodeParameter('events') as string[],
		description: `n8n: ${name ?? ''}`.slice(0, 200),
		enabled: true,
		filter: readFilter(options),
		batch: readBatch(options),
	};
}

function readFilter({ chatAccountIds = [], chatType = '' }: Options): IDataObject | null {
	if (chatAccountIds.length === 0 && !chatType) return null;
	return {
		chat_account_ids: chatAccountIds.length ? chatAccountIds : null,
		chat_type: chatType || null,
	};
}

function readBatch({ batchSize = 1, batchWait = 1000 }: Options): IDataObject | null {
	return batchSize > 1 ? { max_events: batchSize, max_wait_ms: batchWait } : null;
}
