import { Webhook, WebhookVerificationError as Refusal } from "standardwebhooks";

import type { GatewayEvent } from "./events.js";

/** A request that the gateway did not sign, or signed too long ago: answer it 400, and do nothing. */
export class WebhookVerificationError extends Error {
  override readonly name = "WebhookVerificationError";
}

/** `Headers`, or what `node:http`, Express and others have as `request.headers`, in any case. */
export type WebhookHeaders =
  | Headers
  | Iterable<readonly [string, string]>
  | Record<string, string | string[] | undefined>;

/**
 * Verify a request to your endpoint, and return its events: one, or those of a batch.
 *
 * `body` is the raw body as it came, before anything has parsed it. `secret` is what the gateway showed
 * when the webhook was made (`whsec_…`). While it is being rotated, the old one and the new one do.
 *
 * @throws {TypeError} if the body has been parsed, or if the secret is malformed.
 * @throws {WebhookVerificationError} if the signature doesn't fit, or if the request was signed more
 * than five minutes ago or ahead.
 */
export function verifyWebhook(
  secret: string,
  body: string | Uint8Array,
  headers: WebhookHeaders,
): GatewayEvent[] {
  const webhook = new Webhook(readSecret(secret));
  const text = typeof body === "string" ? body : decode(requireRaw(body));
  const signed = signedHeaders(headers);
  try {
    webhook.verify(text, signed, { jsonParse: false });
  } catch (error) {
    if (error instanceof Refusal) throw new WebhookVerificationError(error.message);
    throw error;
  }
  return eventsOf(signed["webhook-id"], JSON.parse(text));
}

const SECRET = /^whsec_(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{2}==)$/;

type Body = { type: string; data: { events: GatewayEvent[] } };

function eventsOf(id: string, body: Body): GatewayEvent[] {
  return body.type === "batch" ? body.data.events : [{ id, ...body } as unknown as GatewayEvent];
}

function signedHeaders(headers: WebhookHeaders) {
  const found = { "webhook-id": "", "webhook-timestamp": "", "webhook-signature": "" };
  for (const [name, value] of pairsOf(headers)) {
    const known = name.toLowerCase();
    if (known in found && typeof value === "string") found[known as keyof typeof found] = value;
  }
  return found;
}

function pairsOf(headers: unknown): Iterable<readonly [string, unknown]> {
  if (typeof headers !== "object" || headers === null) {
    throw new TypeError(`verifyWebhook needs the headers of the request, and was given ${String(headers)}.`);
  }
  return Symbol.iterator in headers ? (headers as Headers) : Object.entries(headers);
}

function readSecret(given: unknown): string {
  const secret = typeof given === "string" ? given.trim() : "";
  if (SECRET.test(secret)) return secret;
  throw new TypeError(
    "secret is not a webhook's secret: it would begin with whsec_, and is shown when the webhook is made.",
  );
}

/** The signature is over the bytes: what a parser has made of them can't be verified. */
function requireRaw(body: unknown): Uint8Array {
  if (body instanceof ArrayBuffer) return new Uint8Array(body);
  if (ArrayBuffer.isView(body)) return new Uint8Array(body.buffer, body.byteOffset, body.byteLength);
  throw new TypeError(
    "verifyWebhook needs the raw body, a string or bytes, and was given a parsed one: " +
      "with Express, use express.raw({ type: 'application/json' }) for this route.",
  );
}

function decode(body: Uint8Array): string {
  // A byte order mark that was dropped would be a body that was altered.
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(body);
}
