import type { Webhooks } from "./generated/index.js";

// What the description says is posted, one by one: a batch holds several of these.
type Posted = Exclude<Webhooks["body"], { type: "batch" }>;

// Distributes over the union, so that each type keeps its own `data`.
type Identified<Event> = Event extends unknown ? Event & { id: string } : never;

/** An event of a type that this version of the client knows. */
export type KnownEvent = Identified<Posted>;

// A string as a type that no known one equals: `event.type === "message.read"` leaves UnknownEvent out. A
// plain `string` would stay possible there, and a branded one keeps the compiler from narrowing at all.
declare enum AddedLater {
  Type = "a type that was added later",
}

/** An event of a type that was added to the gateway after this client was generated. */
export interface UnknownEvent {
  id: string;
  /** Any string: `const type: string = event.type`. */
  type: AddedLater;
  timestamp: string;
  data: Record<string, unknown>;
}

/** What has happened. Drop duplicates by `id`, which is the same in webhooks and in the event log. */
export type GatewayEvent = KnownEvent | UnknownEvent;
