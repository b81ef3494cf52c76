import { atAddress, describeStranger } from "./address.js";
import type { ErrorBody, HttpValidationError, ValidationError } from "./generated/index.js";

/**
 * A call that failed. Decide by `code` where there is one, otherwise by `status`.
 *
 * Without an answer (no connection, or none in time) `status` is undefined, and `cause` says why.
 */
export class HeliographError extends Error {
  override readonly name = "HeliographError";
  readonly status: number | undefined;
  /** The word for a program: `missing_scope`, `rate_limited`… A 422 has none. */
  readonly code: string | undefined;
  /** The sentence for a person. */
  readonly detail: string;
  /** What is wrong with the request, value by value, if the answer is 422; otherwise empty. */
  readonly errors: readonly ValidationError[];
  /** Quote it when you ask about the answer: the gateway's log has it, too. */
  readonly requestId: string | undefined;
  /** Seconds until a repeat makes sense, if the gateway said so. */
  readonly retryAfter: number | undefined;
  /** The whole answer, with members such as `required_scope`. */
  readonly body: unknown;

  constructor(body: unknown, response: Response | undefined, cause?: unknown, url?: string) {
    const errors = errorsOf(body);
    const detail = detailOf(body, errors, response, cause, url);
    super(response ? `${response.status}: ${detail}` : detail, { cause });
    this.status = response?.status;
    this.code = isErrorBody(body) ? body.code : undefined;
    this.detail = detail;
    this.errors = errors;
    this.requestId = response?.headers.get("X-Request-Id") ?? undefined;
    this.retryAfter = retryAfterOf(response);
    this.body = body;
  }
}

/** Seconds, or undefined; the gateway never answers with a date. */
export function retryAfterOf(response: Response | undefined): number | undefined {
  const seconds = Number.parseInt(response?.headers.get("Retry-After") ?? "", 10);
  return Number.isNaN(seconds) ? undefined : seconds;
}

function isErrorBody(body: unknown): body is ErrorBody {
  return typeof body === "object" && body !== null && "code" in body;
}

function errorsOf(body: unknown): readonly ValidationError[] {
  const detail = (body as HttpValidationError | null | undefined)?.detail;
  return Array.isArray(detail) ? detail : [];
}

function detailOf(
  body: unknown,
  errors: readonly ValidationError[],
  response: Response | undefined,
  cause: unknown,
  url: string | undefined,
): string {
  if (errors.length > 0) {
    return errors.map(({ loc, msg }) => `${loc.join(".")}: ${msg}`).join("; ");
  }
  if (isErrorBody(body)) return body.code === "not_found" ? atAddress(body.detail, url) : body.detail;
  if (response) return url ? describeStranger(response, url) : response.statusText;
  return `The gateway did not answer: ${reasonOf(cause)}`;
}

// Node's fetch says only "fetch failed", and keeps what happened in `cause`.
function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  const inner = cause.cause as { message?: string; code?: string } | undefined;
  return inner?.message || inner?.code || cause.message;
}
