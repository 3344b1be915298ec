import type { ApiResponse } from '../a-client.ts';
import { at, isRecord, membersOf, textAt } from '../json.ts';
import { fieldsOf, type FuzzRequest, written } from './fuzz-requests.ts';
import { type SeededApi, USED_KEYS } from './seeded-api.ts';

/** What of the API a rule goes by. */
export type Beyond = Pick<SeededApi, 'seeds' | 'cursors'>;

/** A rule that a schema cannot say, or not so that its readers would understand. */
export interface Rule {
  readonly code: string;
  /** The fields of a request that the rule may be broken by; `undefined` where it does not apply. */
  readonly brokenBy: (request: FuzzRequest, beyond: Beyond) => readonly string[] | undefined;
}

/** Why a request that the document allows may be refused as invalid all the same. There is no other reason. */
export const BEYOND_THE_SCHEMA = {
  'an order is in one currency': {
    code: 'currency_mismatch',
    brokenBy: ({ body }) => {
      const currencies = itemsOf(body?.value).map((item) => at(item, 'unit_price', 'currency'));
      const odd = currencies.findIndex((currency) => currency !== currencies[0]);
      return odd === -1 ? undefined : [`items[${odd}].unit_price.currency`];
    },
  },
  'a total is a safe integer': {
    code: 'amount_out_of_range',
    brokenBy: ({ body }) => {
      const totals = itemsOf(body?.value).map(totalOf);
      const large = totals.findIndex(isUnsafe);
      if (large !== -1) return [`items[${large}]`];
      return isUnsafe(totals.reduce((sum, total) => sum + total, 0n)) ? ['items'] : undefined;
    },
  },
  'text is well-formed Unicode': {
    code: 'validation_failed',
    brokenBy: ({ body }) => found(illFormed(body?.value, '')),
  },
  'a reason comes with a cancellation': {
    code: 'validation_failed',
    brokenBy: ({ body }) =>
      at(body?.value, 'cancel_reason') !== undefined && at(body?.value, 'status') !== 'cancelled'
        ? ['cancel_reason']
        : undefined,
  },
  'a customer exists': {
    code: 'validation_failed',
    brokenBy: ({ body }, { seeds }) => {
      const id = at(body?.value, 'customer_id');
      return typeof id === 'string' && !seeds.customers.includes(id.toLowerCase()) ? ['customer_id'] : undefined;
    },
  },
  'metadata has fifty keys at most, whatever a patch says': {
    code: 'validation_failed',
    brokenBy: ({ operation, parameters, body }, { seeds }) => {
      if (operation.method !== 'PATCH') return undefined;
      const keys = new Set(seeds.metadata[written(parameters['id']).toLowerCase()]);
      const patch = at(body?.value, 'metadata');
      for (const key of membersOf(patch)) {
        if (at(patch, key) === null) keys.delete(key);
        else keys.add(key);
      }
      return keys.size > 50 ? ['metadata'] : undefined;
    },
  },
  'a cursor or an offset': {
    code: 'conflicting_parameters',
    brokenBy: ({ parameters: { after, offset } }) =>
      after === undefined || offset === undefined ? undefined : ['offset'],
  },
  'a cursor is of the same list, sort and filter': {
    code: 'invalid_cursor',
    brokenBy: ({ operation, parameters }, { seeds, cursors }) => {
      const { after, id, sort = '-created_at', status, customer_id, reference } = parameters;
      const list = operation.path.split('/').at(-1) ?? '';
      const filtered = [status, customer_id, reference].some((each) => each !== undefined);
      const own = after === cursors[list] && sort === '-created_at' && !filtered;
      const ofItems = id === undefined || written(id).toLowerCase() === seeds.long;
      return after === undefined || (own && ofItems) ? undefined : ['after'];
    },
  },
  'an idempotency key is of one request': {
    code: 'idempotency_key_reused',
    // Whether it is the same request is for the tests of that.
    brokenBy: ({ parameters }) => (USED_KEYS.some((key) => key === parameters['Idempotency-Key']) ? [] : undefined),
  },
} as const satisfies Readonly<Record<string, Rule>>;

export type RuleName = keyof typeof BEYOND_THE_SCHEMA;

/** The rules that a request may break, and by which fields. */
export function brokenRules(
  request: FuzzRequest,
  beyond: Beyond,
): readonly { readonly name: string; readonly code: string; readonly fields: readonly string[] }[] {
  return Object.entries(BEYOND_THE_SCHEMA).flatMap(([name, { code, brokenBy }]) => {
    const fields = brokenBy(request, beyond);
    return fields ? [{ name, code, fields }] : [];
  });
}

/** Statuses that say that a request itself is not as it is to be. */
const INVALID = [400, 422];

/** What of an answer that refuses a request as invalid no rule explains: its code, or fields. */
export function unexplained(request: FuzzRequest, beyond: Beyond, response: ApiResponse): readonly string[] {
  if (!INVALID.includes(response.status)) return [];
  const broken = brokenRules(request, beyond);
  // Without a body there is no code, but a rule there must be.
  if (request.operation.method === 'HEAD') return broken.length > 0 ? [] : [`${response.status}`];
  const code = textAt(response.body, 'code');
  const fields = new Set(broken.flatMap((rule) => rule.fields));
  return [
    ...(broken.some((rule) => rule.code === code) ? [] : [code]),
    ...fieldsOf(response).filter((field) => !fields.has(field)),
  ];
}

function itemsOf(body: unknown): readonly unknown[] {
  const items = at(body, 'items');
  return Array.isArray(items) ? items : [];
}

/** Exactly, where a floating-point product is rounded. */
function totalOf(item: unknown): bigint {
  return BigInt(Number(at(item, 'quantity'))) * BigInt(Number(at(item, 'unit_price', 'amount')));
}

function isUnsafe(total: bigint): boolean {
  return total > BigInt(Number.MAX_SAFE_INTEGER);
}

function illFormed(value: unknown, field: string): readonly string[] {
  if (typeof value === 'string') return value.isWellFormed() ? [] : [field];
  if (Array.isArray(value)) return value.flatMap((each, index) => illFormed(each, `${field}[${index}]`));
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const below = field === 'metadata' ? `metadata[${JSON.stringify(name)}]` : field === '' ? name : `${field}.${name}`;
    return [...(name.isWellFormed() ? [] : [below]), ...illFormed(member, below)];
  });
}

function found(fields: readonly string[]): readonly string[] | undefined {
  return fields.length === 0 ? undefined : fields;
}
