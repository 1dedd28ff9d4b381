/** The one mark by which a failure says that it may pass. */

/**
 * The mark, in the `details` of a `CallError`, or in the `cause` of a tool's error: the same call may
 * succeed later; what was asked for was surely not done, or does no harm twice. The server asks to be
 * left alone for `retryAfterMs` milliseconds.
 */
type Retryable = { passing: true; retryAfterMs?: number };

/** The statuses of a server that takes no requests now (RFC 6585, section 4; RFC 9110, 15.6). */
const RETRYABLE_STATUSES = [429, 502, 503, 504];

/** The mark of a failure that may pass. */
export function retryable(retryAfterMs?: number): Retryable {
  return { passing: true, ...(retryAfterMs !== undefined && { retryAfterMs }) };
}

/** The mark of an answer with this HTTP status, or nothing for one that means to stay. */
export function retryableStatus(status: number, retryAfterMs?: number): Partial<Retryable> {
  return RETRYABLE_STATUSES.includes(status) ? retryable(retryAfterMs) : {};
}

/** Whether the data of a failure has the mark. */
export function isRetryable(details: Readonly<Record<string, unknown>>): boolean {
  return details["passing"] === true;
}

/** The milliseconds that a `Retry-After` header asks for, in seconds or by a date. */
export function retryAfter(header: string | null): number | undefined {
  if (header === null || header.trim() === "") return undefined;
  const seconds = Number(header);
  const wait = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(header) - Date.now();
  return Number.isNaN(wait) ? undefined : Math.max(0, wait);
}
