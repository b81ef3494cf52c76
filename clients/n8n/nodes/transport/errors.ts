import type { IN8nHttpFullResponse, INode, JsonObject } from 'n8n-workflow';
import { NodeApiError } from 'n8n-workflow';

import { isPage } from './address';

interface InvalidValue {
	loc: Array<string | number>;
	msg: string;
}

interface ErrorBody {
	detail?: string | InvalidValue[];
	code?: string;
}

/** The error that n8n shows: the gateway's sentence, below it what support asks for. */
export function toApiError(
	node: INode,
	response: IN8nHttpFullResponse,
	itemIndex?: number,
): NodeApiError {
	const body = bodyOf(response);
	return new NodeApiError(node, body as JsonObject, {
		message: sentenceOf(body) ?? strangerOf(response),
		description: describe(body, response),
		httpCode: String(response.statusCode),
		itemIndex,
	});
}

function strangerOf(response: IN8nHttpFullResponse): string {
	return isPage(response) && response.statusCode < 500
		? 'What answers at the Base URL in the credentials is not a gateway'
		: `The gateway answered ${response.statusCode}`;
}

function bodyOf(response: IN8nHttpFullResponse): ErrorBody {
	const { body } = response;
	return body !== null && typeof body === 'object' && !Buffer.isBuffer(body)
		? (body as ErrorBody)
		: {};
}

function sentenceOf({ detail }: ErrorBody): string | undefined {
	if (!Array.isArray(detail)) return detail;
	return detail
		.map(({ loc, msg }) => `${loc.slice(1).join('.') || loc.join('.')}: ${msg}`)
		.join('; ');
}

function describe({ code }: ErrorBody, { statusCode, headers }: IN8nHttpFullResponse): string {
	const requestId = headers['x-request-id'];
	const parts = [`HTTP ${statusCode}`, code, requestId && `request ${String(requestId)}`];
	return parts.filter(Boolean).join(', ');
}
