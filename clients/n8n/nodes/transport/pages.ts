import type { IDataObject } from 'n8n-workflow';

import { callGateway, type Caller } from './request';

const LARGEST_PAGE = 100;

export interface Listing {
	/** Below `/api/v1`, such as `/messages`. */
	path: string;
	/** The member of an answer that holds the entries. */
	member: string;
	query?: IDataObject;
	/** How many to return at most; all if undefined. */
	limit?: number;
	itemIndex?: number;
}

/** List what is paged by `cursor`. A page may be empty and still not be the last. */
export async function listByCursor(caller: Caller, listing: Listing): Promise<IDataObject[]> {
	const { path, member, query, limit = Infinity, itemIndex } = listing;
	const entries: IDataObject[] = [];
	let cursor: string | undefined;
	do {
		const page = await callGateway(caller, {
			method: 'GET',
			path,
			query: { ...query, cursor, limit: Math.min(LARGEST_PAGE, limit - entries.length) },
			itemIndex,
		});
		entries.push(...(page[member] as IDataObject[]));
		cursor = (page.next_cursor as string | null) ?? undefined;
	} while (cursor !== undefined && entries.length < limit);
	return entries;
}

/** List what is paged by `offset` and tells its `total`. */
export async function listByOffset(caller: Caller, listing: Listing): Promise<IDataObject[]> {
	const { path, member, query, limit = Infinity, itemIndex } = listing;
	const entries: IDataObject[] = [];
	for (;;) {
		const page = await callGateway(caller, {
			method: 'GET',
			path,
			query: {
				...query,
				offset: entries.length,
				limit: Math.min(LARGEST_PAGE, limit - entries.length),
			},
			itemIndex,
		});
		const found = page[member] as IDataObject[];
		entries.push(...found);
		const isLast = found.length === 0 || entries.length >= (page.total as number);
		if (isLast || entries.length >= limit) return entries;
	}
}
