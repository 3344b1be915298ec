import type { onRequestHookHandler } from 'fastify';
import { type BaseUrl, sendProblem } from '../problems/problem.ts';
import { appendLink } from '../connection/response-headers.ts';

/** The deprecation of an operation (RFC 9745, RFC 8594). Dates mean midnight UTC. */
export interface Deprecation {
  /** When the operation was deprecated, as a date such as `2027-01-31`. */
  readonly since: string;
  /** When the operation is removed, as a date at least twelve months after `since`. From then on it returns 410. */
  readonly sunset: string;
  /** URL of the page that describes the replacement. */
  readonly link: string;
}

/** Deprecated operations, by their id in the OpenAPI document. The only place to deprecate an operation. */
export type Deprecations = Readonly<Record<string, Deprecation>>;

/** Checks that all deprecated operations exist. @throws {RangeError} for an unknown operation */
export function checkDeprecations(
  deprecations: Deprecations = {},
  operations: readonly { readonly id: string }[],
): void {
  const unknown = Object.keys(deprecations).find((name) => !operations.some(({ id }) => id === name));
  if (unknown !== undefined) throw new RangeError(`deprecations.${unknown} must be the id of an operation`);
}

/**
 * Returns the headers of a deprecation: `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and `Link`.
 *
 * @throws {RangeError} for a period of less than twelve months, or an invalid date
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

/** Parses a date as its midnight UTC. */
function readDate(text: string): Date {
  const date = new Date(`${text}T00:00:00.000Z`);
  // `Date` turns a day after the end of a month into one of the next month.
  if (!Number.isNaN(date.getTime()) && date.toISOString().startsWith(text)) return date;
  throw new RangeError(`since and sunset must be dates such as 2027-01-31, got "${text}"`);
}

/** Adds the deprecation headers to each response of an operation, and rejects requests after its sunset. */
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
