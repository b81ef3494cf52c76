import { createHash } from 'node:crypto';

import type { IExecuteFunctions } from 'n8n-workflow';

/**
 * The key under which the gateway does something once, however often n8n tries this item again.
 *
 * A retry of the node has the same execution, run and item, so it gets the same key. What the
 * request says is not in it: an expression such as `$now` would else make a retry a second message.
 */
export function idempotencyKeyOf(context: IExecuteFunctions, itemIndex: number): string {
	const run = context.evaluateExpression('{{ $runIndex }}', itemIndex) as number;
	const { id } = context.getNode();
	const parts = [context.getInstanceId(), context.getExecutionId(), id, run, itemIndex];
	return `n8n-${digest(parts.join(':'))}`;
}

/** The key of an upload that the request with this key needs first. */
export function uploadKeyOf(key: string): string {
	return `n8n-${digest(`${key}:media`)}`;
}

function digest(text: string): string {
	return createHash('sha256').update(text).digest('hex');
}
