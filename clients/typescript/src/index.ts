export { Heliograph } from "./client.js";
export type { EventsOptions, HeliographOptions } from "./client.js";
export { HeliographError } from "./errors.js";
export type { GatewayEvent, KnownEvent } from "./events.js";
export { verifyWebhook, WebhookVerificationError } from "./webhooks.js";
export type { WebhookHeaders } from "./webhooks.js";
export type * from "./generated/index.js";
