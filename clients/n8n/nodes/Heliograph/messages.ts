import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { NodeOperationError, tryToParseDateTime } from 'n8n-workflow';

import { callGateway, withoutUnset } from '../transport/request';
import { readContent } from './content';
import { idempotencyKeyOf, uploadKeyOf } from './idempotency';

interface SendOptions {
	chatAccountId?: string;
	expiresAt?: string;
	fallBackToText?: boolean;
	idempotencyKey?: string;
	metadata?: { entry?: Array<{ name: string; value: string }> };
	replyToMessageId?: string;
	scheduledFor?: string;
}

/** Send one message for this item. A retry of the item sends nothing twice. */
export async function send(context: IExecuteFunctions, itemIndex: number): Promise<IDataObject> {
	const options = context.getNodeParameter('options', itemIndex, {}) as SendOptions;
	const key = options.idempotencyKey || idempotencyKeyOf(context, itemIndex);
	return await callGateway(context, {
		method: 'POST',
		path: '/messages',
		body: {
			...readRecipient(context, itemIndex),
			...toBody(context, itemIndex, options),
			content: await readContent(context, itemIndex, uploadKeyOf(key)),
		},
		headers: { 'Idempotency-Key': key },
		itemIndex,
	});
}

export async function get(context: IExecuteFunctions, itemIndex: number): Promise<IDataObject> {
	const id = encodeURIComponent(context.getNodeParameter('messageId', itemIndex) as string);
	return await callGateway(context, { method: 'GET', path: `/messages/${id}`, itemIndex });
}

/** `phone_number`, `conversation_id` or `contact_id`, whichever is chosen. */
function readRecipient(context: IExecuteFunctions, itemIndex: number): IDataObject {
	const kind = context.getNodeParameter('recipientType', itemIndex) as string;
	return { [kind]: String(context.getNodeParameter('recipient', itemIndex)) };
}

function toBody(context: IExecuteFunctions, itemIndex: number, options: SendOptions): IDataObject {
	const { entry } = options.metadata ?? {};
	return withoutUnset({
		chat_account_id: options.chatAccountId,
		reply_to_message_id: options.replyToMessageId,
		scheduled_for: toInstant(context, itemIndex, options.scheduledFor),
		expires_at: toInstant(context, itemIndex, options.expiresAt),
		fallback: options.fallBackToText ? 'text' : undefined,
		metadata: entry && Object.fromEntries(entry.map(({ name, value }) => [name, String(value)])),
	});
}

/** A time in UTC. What n8n's picker gives has no zone: it is meant in that of the workflow. */
export function toInstant(
	context: IExecuteFunctions,
	itemIndex: number,
	value: unknown,
): string | undefined {
	if (value === undefined || value === null || value === '') return undefined;
	try {
		return tryToParseDateTime(value, context.getTimezone()).toUTC().toISO() ?? undefined;
	} catch {
		throw new NodeOperationError(context.getNode(), `This is no date and time: ${String(value)}`, {
			itemIndex,
		});
	}
}
