import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { listByCursor, listByOffset, type Listing } from '../transport/pages';
import { toInstant } from './messages';

/** The API's name of each filter that the node offers. */
const FILTERS: Record<string, string> = {
	assigneeUserId: 'assignee_user_id',
	chatAccountId: 'chat_account_id',
	contactId: 'contact_id',
	conversationId: 'conversation_id',
	direction: 'direction',
	isGroup: 'is_group',
	labelId: 'label_id',
	messageType: 'message_type',
	search: 'search',
	since: 'since',
	status: 'status',
	unread: 'unread',
	until: 'until',
};

const TIMES = new Set(['since', 'until']);

type Lister = (context: IExecuteFunctions, itemIndex: number) => Promise<IDataObject[]>;

export const listMessages: Lister = async (context, itemIndex) =>
	await listByCursor(context, readListing(context, itemIndex, '/messages', 'messages'));

export const listConversations: Lister = async (context, itemIndex) =>
	await listByCursor(context, readListing(context, itemIndex, '/conversations', 'conversations'));

export const listDevices: Lister = async (context, itemIndex) =>
	await listByOffset(context, readListing(context, itemIndex, '/devices', 'devices'));

function readListing(
	context: IExecuteFunctions,
	itemIndex: number,
	path: string,
	member: string,
): Listing {
	const isAll = context.getNodeParameter('returnAll', itemIndex) as boolean;
	const limit = isAll ? undefined : (context.getNodeParameter('limit', itemIndex) as number);
	return { path, member, query: readFilters(context, itemIndex), limit, itemIndex };
}

function readFilters(context: IExecuteFunctions, itemIndex: number): IDataObject {
	const filters = context.getNodeParameter('filters', itemIndex, {}) as IDataObject;
	const entries = Object.entries(filters).map(([name, value]) => [
		FILTERS[name] ?? name,
		TIMES.has(name) ? toInstant(context, itemIndex, value) : value,
	]);
	return Object.fromEntries(entries) as IDataObject;
}
