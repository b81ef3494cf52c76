import { isPage, readAddress } from "./address.js";
import { HeliographError } from "./errors.js";
import { createClient, type Client } from "./generated/client/index.js";
import { Operations, type EventPage, type ListEventsData } from "./generated/index.js";
import { checkIds } from "./ids.js";
import { readKey } from "./key.js";
import type { Item, Paged, PagedArguments } from "./pages.js";
import { retrying } from "./retries.js";

export interface HeliographOptions {
  /** Where the gateway is, without `/api/v1`: `https://gateway.example`. What is no such address is a `TypeError`. */
  baseUrl: string | URL;
  /** `hg_…`, or what returns it, for a key that is rotated while the program runs. What can't be a key is a `TypeError`. */
  apiKey: string | (() => string | Promise<string>);
  /** How often a call is repeated at most, where that is safe: 2. */
  retries?: number;
  /** Milliseconds for one attempt: 60,000. Longer than the gateway waits for a chat network, `HELIOGRAPH_NETWORK_TIMEOUT`. */
  timeout?: number;
  /** Another `fetch`, such as one that goes through a proxy. */
  fetch?: (request: Request) => Promise<Response>;
}

export interface EventsOptions extends Omit<NonNullable<ListEventsData["query"]>, "wait"> {
  /** Ends the reading with its reason. */
  signal?: AbortSignal;
}

const TIMEOUT = 60_000;
const LONGEST_WAIT = 30; // seconds that the gateway lets a request wait for events

/**
 * A gateway, as the organization of the API key sees it. Each operation of the API is a method of the
 * same name; `iterate` and `readEvents` go through what comes in pages.
 */
export class Heliograph extends Operations {
  readonly #patient: Operations;
  readonly #wait: number;

  constructor(options: HeliographOptions) {
    super({ client: connect(options) });
    this.#patient = new Operations({ client: connect({ ...options, retries: Infinity }) });
    this.#wait = Math.min(LONGEST_WAIT, Math.floor((options.timeout ?? TIMEOUT) / 2_000));
  }

  /** Go through a list to its end, page by page: `iterate("listMessages", { query: { … } })`. */
  async *iterate<Name extends Paged>(
    operation: Name,
    ...[options]: PagedArguments<Name>
  ): AsyncGenerator<Item<Name>, void, undefined> {
    let cursor = options?.query?.cursor;
    do {
      const query = { ...options?.query, cursor };
      const call = this[operation] as (options: unknown) => Promise<Record<string, unknown>>;
      const page = await call.call(this, { ...options, query });
      yield* Object.values(page).find(Array.isArray) ?? [];
      cursor = page.next_cursor as string | null | undefined;
    } while (cursor);
  }

  /**
   * Read events in the order in which they were stored, and wait for more, for ever.
   *
   * Keep a page's `next_cursor` once its events are worked on: as `after`, it goes on there.
   * Without `after` the first page comes at once and is empty: its cursor is where "from now on" begins.
   * Once a page was read, failures that pass, such as a restart of the gateway, are waited out.
   *
   * @throws {HeliographError} 410 `cursor_expired`: begin again with `after: "oldest"`, and pass over
   * the events whose `id` you know.
   */
  async *readEvents({ signal, ...query }: EventsOptions = {}): AsyncGenerator<EventPage, never, undefined> {
    let operations: Operations = this;
    let after = query.after;
    for (;;) {
      const wait = after ? this.#wait : 0;
      const page = await operations.listEvents({ query: { ...query, after, wait }, signal });
      operations = this.#patient;
      const moved = page.next_cursor !== after;
      after = page.next_cursor;
      if (moved) yield page;
    }
  }
}

function connect({ apiKey, baseUrl, fetch, retries = 2, timeout = TIMEOUT }: HeliographOptions): Client {
  // Looked up at each call, so that what replaces the global later is used.
  const send = fetch ?? ((request: Request) => globalThis.fetch(request));
  const client = createClient({
    auth: typeof apiKey === "function" ? async () => readKey(await apiKey()) : readKey(apiKey),
    baseUrl: readAddress(baseUrl),
    fetch: retrying(send, { retries, timeout }) as typeof globalThis.fetch,
    requestValidator: checkIds,
    throwOnError: true,
  });
  client.interceptors.response.use((response, request) => {
    if (response.ok && isPage(response)) throw new HeliographError(undefined, response, undefined, request.url);
    return response;
  });
  client.interceptors.error.use((error, response, request) => {
    if (response) return new HeliographError(error, response, undefined, request.url);
    return request.signal.aborted ? error : new HeliographError(undefined, undefined, error);
  });
  return client;
}
