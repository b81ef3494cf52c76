import type { LoggedEvent } from "./generated/index.js";

/**
 * What has happened, told apart by `type`. Drop duplicates by `id`, which is the same in webhooks and in
 * the event log. A type that was added to the gateway later is `"unknown"` for the compiler, and the string
 * that it is for the program: `const type: string = event.type`.
 */
export type GatewayEvent = LoggedEvent;

/** An event of a type that this version of the client knows. */
export type KnownEvent = Exclude<GatewayEvent, { type: "unknown" }>;
