import type { IN8nHttpFullResponse, INode } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

const API = /\/api\/v1$/;

/** The gateway's address, without slashes at its end. Throws an error that says what is wrong with it. */
export function readAddress(node: INode, baseUrl: string, itemIndex?: number): string {
	const address = baseUrl.trim().replace(/\/+$/, '');
	const problem = problemOf(address);
	if (problem) throw new NodeOperationError(node, problem, { itemIndex });
	return address;
}

function problemOf(address: string): string | undefined {
	if (!/^https?:\/\/[^/]/i.test(address)) {
		return `The Base URL in the credentials must begin with http:// or https://: '${address}'`;
	}
	if (API.test(address)) {
		return `The Base URL in the credentials must not end in /api/v1: '${address.replace(API, '')}'`;
	}
	return undefined;
}

/** Whether a page came in place of an answer, as from a site that has one for every address. */
export function isPage({ headers }: IN8nHttpFullResponse): boolean {
	return String(headers['content-type'] ?? '').startsWith('text/html');
}
