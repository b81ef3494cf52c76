import type { IDataObject } from 'n8n-workflow';

/** One event, as the workflow gets it. The gateway may post it again: by `id` it is the same. */
export interface Event extends IDataObject {
	id: string;
	type: string;
	timestamp: string;
	data: IDataObject;
}

interface Payload {
	type: string;
	timestamp: string;
	data: IDataObject;
}

/** The events of a verified request: one, or those of a batch. */
export function readEvents(webhookId: string, body: Buffer): Event[] {
	const payload = JSON.parse(body.toString('utf8')) as Payload;
	if (payload.type === 'batch') return payload.data.events as Event[];
	return [{ id: webhookId, ...payload }];
}
