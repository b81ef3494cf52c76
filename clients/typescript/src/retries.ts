import { retryAfterOf } from "./errors.js";

type Fetch = (request: Request) => Promise<Response>;

export interface Patience {
  /** How often a call is repeated at most. */
  retries: number;
  /** Milliseconds for one attempt, its answer included; the upload of a file takes its time. */
  timeout: number;
}

const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 8_000;
const LONGEST_RETRY_AFTER = 60; // seconds; the gateway never asks for more, but a proxy may

/** Repeat what is safe to repeat, when the gateway says, or after pauses that grow. */
export function retrying(fetch: Fetch, { retries, timeout }: Patience): Fetch {
  return async (request) => {
    await setIdempotencyKey(request);
    for (let attempt = 0; ; attempt++) {
      const last = attempt >= retries;
      // The last attempt takes the request itself, so that its body is not kept any longer.
      const outcome = await attemptOnce(fetch, last ? request : request.clone(), timeout);
      const pause = last ? undefined : await pauseAfter(outcome, request, attempt);
      if (pause === undefined) {
        if ("error" in outcome) throw outcome.error;
        return outcome.response;
      }
      await sleep(pause, request.signal);
    }
  };
}

/** One key for all attempts: the gateway then carries the request out once. */
async function setIdempotencyKey(request: Request): Promise<void> {
  if (request.method === "POST" && !request.headers.has("Idempotency-Key")) {
    request.headers.set("Idempotency-Key", (await webCrypto()).randomUUID());
  }
}

// Node 18 has Web Crypto, but not as a global. Bundlers for other runtimes don't follow a variable.
async function webCrypto(): Promise<Crypto> {
  const node = "node:crypto";
  return globalThis.crypto ?? (await import(node)).webcrypto;
}

type Outcome = { response: Response } | { error: unknown };

async function attemptOnce(fetch: Fetch, request: Request, timeout: number): Promise<Outcome> {
  const controller = new AbortController();
  const stop = () => controller.abort(request.signal.reason);
  const late = () => controller.abort(new DOMException(`none within ${timeout} ms`, "TimeoutError"));
  const timer = isUpload(request) ? undefined : setTimeout(late, timeout);
  request.signal.addEventListener("abort", stop);
  if (request.signal.aborted) stop();
  try {
    return { response: await readWhole(await fetch(new Request(request, { signal: controller.signal }))) };
  } catch (error) {
    return { error: controller.signal.aborted ? controller.signal.reason : error };
  } finally {
    clearTimeout(timer);
    request.signal.removeEventListener("abort", stop);
  }
}

function isUpload(request: Request): boolean {
  return ![null, "application/json"].includes(request.headers.get("Content-Type"));
}

/** An answer that breaks off is then one that was lost, like any other. */
async function readWhole(response: Response): Promise<Response> {
  if (!response.body) return response;
  return new Response(await response.arrayBuffer(), response);
}

/** Milliseconds until the next attempt; undefined if there is to be none. */
async function pauseAfter(
  outcome: Outcome,
  request: Request,
  attempt: number,
): Promise<number | undefined> {
  const grown = Math.random() * Math.min(FIRST_PAUSE * 2 ** attempt, LONGEST_PAUSE);
  if ("error" in outcome) return !request.signal.aborted && isRepeatable(request) ? grown : undefined;
  const { response } = outcome;
  if (!(await mayRepeat(response, request))) return undefined;
  const seconds = retryAfterOf(response);
  if (seconds === undefined) return grown;
  return seconds <= LONGEST_RETRY_AFTER ? seconds * 1000 + grown : undefined;
}

/** Whether a repeat may succeed, and does nothing twice. */
async function mayRepeat(response: Response, request: Request): Promise<boolean> {
  const { status } = response;
  if (status === 409) return (await errorBodyOf(response)).code === "idempotency_conflict";
  // A plan's limit lifts at the end of a day or a month, whatever `Retry-After` says.
  if (status === 429) return (await errorBodyOf(response)).code !== "plan_limit_reached";
  if (![408, 502, 503, 504].includes(status)) return false;
  return isRepeatable(request) || (await errorBodyOf(response)).maybe_stored === false;
}

/** Whether nothing is done twice, even if the gateway has already done it. */
function isRepeatable(request: Request): boolean {
  return request.method !== "PATCH";
}

interface ErrorBody {
  code?: string;
  maybe_stored?: boolean;
}

async function errorBodyOf(response: Response): Promise<ErrorBody> {
  const body: unknown = await response.clone().json().catch(() => undefined);
  return typeof body === "object" && body !== null ? body : {};
}

function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, milliseconds);
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
  });
}
