import { parseBaseUrl } from '@orders/http-adapter/settings';
import { isAddressBlock } from '@orders/webhooks';
import type { Result } from 'neverthrow';
import { z } from 'zod';
import { readDatabaseUrl } from './database-url.ts';
import { isThisMachine } from './this-machine.ts';

/** An integer from `min` to `max`. */
export const whole = (min: number, max: number) => {
  const error = `must be an integer from ${min} to ${max}`;
  return z
    .string()
    .regex(/^(0|[1-9][0-9]*)$/, error)
    .transform(Number)
    .refine((value) => value >= min && value <= max, { error });
};

const urlOf = (protocols: readonly string[], error: string) =>
  z.string().refine((value) => URL.canParse(value) && protocols.includes(new URL(value).protocol), { error });

/** A list of values separated by commas, for each of which `isValid` holds. Default: `items`, or else an empty list. */
export const listOf = (isValid: (item: string) => boolean, what: string, items: readonly string[] = []) =>
  z
    .string()
    .default(items.join(','))
    .transform((text) => text.split(',').flatMap((item) => (item.trim() === '' ? [] : [item.trim()])))
    .refine((given) => given.every(isValid), { error: `must be ${what}, separated by commas` });

/** A list of addresses and blocks of them. */
export const addressBlocks = (items: readonly string[] = []) =>
  listOf(isAddressBlock, 'IP addresses or CIDR blocks, such as 10.1.0.0/16', items);

/** A text that `read` returns in another form, or rejects with a message. */
const readBy = (read: (text: string) => Result<string, string>) =>
  z.string().transform((value, { issues, value: input }) =>
    read(value).match(
      (url) => url,
      (message) => {
        issues.push({ code: 'custom', message, input });
        return z.NEVER;
      },
    ),
  );

/** The URL of a PostgreSQL database. */
export const databaseUrl = readBy(readDatabaseUrl);

/** The name of a PostgreSQL schema, by the rule of `openDatabase`. */
export const schemaName = z
  .string()
  .regex(
    /^(?!pg_|(?:information_schema|public)$)[a-z_][a-z0-9_]{0,62}$/,
    'must be 1 to 63 characters from a-z, 0-9 and _, not begin with a digit or pg_, and not be information_schema or public',
  );

/** The URL at which clients reach the API. */
export const baseUrl = readBy(parseBaseUrl);

const REDIS_URL_ERROR = 'must be a Redis URL, redis://user:password@host:port, optionally followed by /number';

/** The URL of a Redis. */
export const redisUrl = urlOf(['redis:', 'rediss:'], REDIS_URL_ERROR).refine(
  (value) => URL.canParse(value) && /^(\/\d{0,5})?$/.test(new URL(value).pathname),
  { error: REDIS_URL_ERROR },
);

/** Token keys must not be fetched over a network that others can write to. */
export const keySource = z.string().refine(
  (value) => {
    if (!URL.canParse(value)) return false;
    const url = new URL(value);
    if (url.username !== '' || url.password !== '') return false;
    return url.protocol === 'https:' || (url.protocol === 'http:' && isThisMachine(url));
  },
  { error: 'must be an https URL, or an http URL of this machine, without a user or password' },
);

export const TRACE_PROTOCOLS = z.enum(['http/protobuf', 'http/json'], { error: 'must be http/protobuf or http/json' });

/** The URL of a collector of traces. */
export const collector = urlOf(['http:', 'https:'], 'must be an http or https URL');

export const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

/** A share, from 0 to 1. */
export const share = z
  .string()
  .transform(Number)
  .refine((value) => value >= 0 && value <= 1, { error: 'must be a number from 0 to 1' });

export const DAY_MS = 24 * 60 * 60 * 1000;
