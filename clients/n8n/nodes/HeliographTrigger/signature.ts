import { createHmac, timingSafeEqual } from 'node:crypto';

/** How far a request's timestamp may be from our clock, in seconds. */
const TOLERANCE = 300;

type Headers = Record<string, string | string[] | undefined>;

/**
 * Whether a request is the gateway's own, by Standard Webhooks 1.0.0.
 *
 * `headers` have names in lower case, `body` is as it came, `now` is in milliseconds. While a secret
 * is being rotated there are several signatures; one that fits is enough.
 */
export function isSigned(secret: string, headers: Headers, body: Buffer, now: number): boolean {
	const id = headers['webhook-id'];
	const timestamp = headers['webhook-timestamp'];
	const signatures = headers['webhook-signature'];
	if (typeof id !== 'string' || typeof signatures !== 'string') return false;
	if (typeof timestamp !== 'string' || !isRecent(timestamp, now)) return false;
	const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
	const hmac = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body);
	const expected = Buffer.from(`v1,${hmac.digest('base64')}`);
	return signatures.split(' ').some((signature) => isSame(Buffer.from(signature), expected));
}

function isRecent(timestamp: string, now: number): boolean {
	return /^\d{1,12}$/.test(timestamp) && Math.abs(now / 1000 - Number(timestamp)) <= TOLERANCE;
}

function isSame(candidate: Buffer, expected: Buffer): boolean {
	return candidate.length === expected.length && timingSafeEqual(candidate, expected);
}
