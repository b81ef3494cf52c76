import { Webhook, WebhookVerificationError as Refusal } from "standardwebhooks";

import type { GatewayEvent } from "./events.js";

/** A request that the gateway did not sign, or too long ago: answer it 400, and do nothing. */
export class WebhookVerificationError extends Error {
  override readonly name = "WebhookVerificationError";
}

/** `Headers`, or what `node:http`, Express and others have as `request.headers`. */
export type WebhookHeaders = Headers | Record<string, string | string[] | undefined>;

/**
 * Verify a request to your endpoint, and return its events: one, or those of a batch.
 *
 * `body` is the raw body as it came, before anything has parsed it. `secret` is what the gateway showed
 * when the webhook was made (`whsec_…`). While it is being rotated, the old one and the new one do.
 *
 * @throws {WebhookVerificationError} if the signature doesn't fit, or if the request was signed more
 * than five minutes ago or ahead.
 */
export function verifyWebhook(
  secret: string,
  body: string | Uint8Array,
  headers: WebhookHeaders,
): GatewayEvent[] {
  const text = typeof body === "string" ? body : decode(body);
  const signed = signedHeaders(headers);
  try {
    new Webhook(secret).verify(text, signed, { jsonParse: false });
  } catch (error) {
    if (error instanceof Refusal) throw new WebhookVerificationError(error.message);
    throw error;
  }
  return eventsOf(signed["webhook-id"], JSON.parse(text));
}

type Body = { type: string; data: { events: GatewayEvent[] } };

function eventsOf(id: string, body: Body): GatewayEvent[] {
  return body.type === "batch" ? body.data.events : [{ id, ...body } as unknown as GatewayEvent];
}

function signedHeaders(headers: WebhookHeaders) {
  const read = (name: string): string => {
    const value = headers instanceof Headers ? headers.get(name) : headers[name];
    return typeof value === "string" ? value : "";
  };
  return {
    "webhook-id": read("webhook-id"),
    "webhook-timestamp": read("webhook-timestamp"),
    "webhook-signature": read("webhook-signature"),
  };
}

function decode(body: Uint8Array): string {
  // A byte order mark that was dropped would be a body that was altered.
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(body);
}
