import { isRecord } from '../fixtures/json.ts';

/** Additional members of a line, by its message. Every other member is a leak. */
const MEMBERS: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^request( aborted)?$/, ['method', 'route', 'id', 'status', 'owner', 'actor', 'duration_ms']],
  [/^malformed request$/, ['status', 'code']],
  [/^(the request failed|response aborted|unavailable|internal_error)$/, ['err']],
  [/^Server listening at https?:\/\/127\.0\.0\.1:\d+$/, []],
];
const OF_EVERY_LINE = ['level', 'time', 'pid', 'hostname', 'request_id', 'msg'];

/** Patterns of members about a request. */
const VALUES: Readonly<Record<string, RegExp>> = {
  method: /^[A-Z-]+$/,
  // Routes as declared, without ids and query.
  route: /^(null|(?!.*[0-9a-f]{8}-)(\/[\w:.-]+)+)$/,
  id: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i,
  status: /^(null|[1-5]\d\d)$/,
  code: /^\w+$/,
  request_id: /^[\w.-]{1,128}$/,
};

/** Patterns that must not occur in a log. */
const SECRETS: readonly (readonly [string, RegExp])[] = [
  ['an API key', /[a-z]+_[0-9a-f]{10}_[\w-]{20}/],
  ['a secret that signs webhooks', /whsec_/],
  ['a token', /eyJ[\w-]{8}/],
  ['an email', /[\w.+-]+@[\w-]+\.[a-z]{2}/i],
  ['a header with credentials', /authorization|x-api-key/i],
  ['contents of an order', /MUG-330|Mug 330 ml/],
];

/** Returns the faults of a log line. */
export function faultsIn(line: string): readonly string[] {
  const secrets = SECRETS.flatMap(([name, pattern]) => (pattern.test(line) ? [`it contains ${name}`] : []));
  const parsed: unknown = JSON.parse(line);
  const entries = Object.entries(isRecord(parsed) ? parsed : {});
  const message = entries.find(([name]) => name === 'msg')?.[1];
  const known = MEMBERS.find(([pattern]) => typeof message === 'string' && pattern.test(message));
  if (!known) return [...secrets, `the message "${String(message)}" is not known`];
  const allowed = new Set([...OF_EVERY_LINE, ...known[1]]);
  return [
    ...secrets,
    ...entries.flatMap(([name, value]) => {
      if (!allowed.has(name)) return [`the member ${name} is not known`];
      return VALUES[name]?.test(String(value)) === false ? [`${name} is ${JSON.stringify(value)}`] : [];
    }),
  ];
}
