import type { onRequestHookHandler } from 'fastify';
import { type BaseUrl, sendProblem } from '../problems/problem.ts';
import { appendLink } from '../connection/response-headers.ts';

/** That an operation will be gone one day (RFC 9745, RFC 8594). Dates begin at midnight, UTC. */
export interface Deprecation {
  /** Since when clients are told, as a date: `2027-01-31`. */
  readonly since: string;
  /** From when on it is gone, as a date; twelve months after `since` at the earliest. */
  readonly sunset: string;
  /** Where people read what to use instead. */
  readonly link: string;
}

/** Operations that will be gone, by their id in the OpenAPI document. The one place to deprecate one. */
export type Deprecations = Readonly<Record<string, Deprecation>>;

/** @throws {RangeError} for a deprecation of an operation that does not exist */
export function checkDeprecations(
  deprecations: Deprecations = {},
  operations: readonly { readonly id: string }[],
): void {
  const unknown = Object.keys(deprecations).find((name) => !operations.some(({ id }) => id === name));
  if (unknown !== undefined) throw new RangeError(`deprecations.${unknown} must be the id of an operation`);
}

/**
 * The headers of a deprecation: since when (RFC 9745), until when (RFC 8594), and where to read on.
 *
 * @throws {RangeError} when clients would have less than twelve months, or a date is none
 */
function deprecationHeaders({ since, sunset, link }: Deprecation): {
  deprecation: string;
  sunset: string;
  link: string;
} {
  const [start, end] = [readDate(since), readDate(sunset)];
  const earliest = new Date(start);
  earliest.setUTCMonth(earliest.getUTCMonth() + 12);
  if (end < earliest)
    throw new RangeError(`sunset must be at least twelve months after since, got ${since} and ${sunset}`);
  return {
    deprecation: `@${start.getTime() / 1000}`,
    sunset: end.toUTCString(),
    link: `<${link}>; rel="deprecation"; type="text/html"`,
  };
}

/** The beginning of a day. */
function readDate(text: string): Date {
  const date = new Date(`${text}T00:00:00.000Z`);
  // A day that its month does not have would be one of the next.
  if (!Number.isNaN(date.getTime()) && date.toISOString().startsWith(text)) return date;
  throw new RangeError(`since and sunset must be dates such as 2027-01-31, got "${text}"`);
}

/** Adds the deprecation to each response of an operation, and rejects requests after its sunset. */
export function announceDeprecation(deprecation: Deprecation, now: () => Date, baseUrl: BaseUrl): onRequestHookHandler {
  const { link: documentation, ...headers } = deprecationHeaders(deprecation);
  const end = readDate(deprecation.sunset);
  return (_request, reply, done) => {
    void reply.headers(headers);
    appendLink(reply, documentation);
    if (now() < end) return done();
    const detail = `This operation was supported until ${deprecation.sunset}. ${deprecation.link} describes its replacement.`;
    void sendProblem(reply, { code: 'version_retired', detail }, baseUrl);
  };
}
