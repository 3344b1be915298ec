import { WEBHOOK_URL_LENGTH_MAX } from '@orders/domain/webhooks';
import type { ApiResponse } from '../fixtures/a-client.ts';
import { httpsTargets } from '../fixtures/a-webhooks.ts';
import { at, isRecord, membersOf, textAt } from '../fixtures/json.ts';
import { fieldsOf, type FuzzRequest, written } from './fuzz-requests.ts';
import { type SeededApi, USED_KEYS } from './seeded-api.ts';

/** The state of the API that rules depend on. */
type Beyond = Pick<SeededApi, 'definition' | 'seeds' | 'cursors'>;

/** A rule that a schema cannot express, or not in a comprehensible way. */
interface Rule {
  readonly code: string;
  /** Returns the fields with which a request may break the rule, or `undefined` if the rule does not apply. */
  readonly brokenBy: (request: FuzzRequest, beyond: Beyond) => readonly string[] | undefined;
}

/** The query parameters of lists that choose no elements. */
const UNFILTERED = ['limit', 'offset', 'after', 'sort', 'at'];

/** All rules by which the API may reject a request that the document allows. */
const BEYOND_THE_SCHEMA: Readonly<Record<string, Rule>> = {
  'an order has one currency': {
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
    // The domain reports custom data as a whole.
    brokenBy: ({ body }) => found(illFormed(body?.value, '').map((field) => field.replace(/^custom[.[].*/s, 'custom'))),
  },
  'a reason requires a cancellation': {
    code: 'validation_failed',
    brokenBy: ({ body }, { definition }) =>
      at(body?.value, 'cancel_reason') !== undefined && at(body?.value, 'status') !== definition.cancel
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
  'metadata has at most fifty keys after a patch': {
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
  'a URL is a target that the server allows': {
    code: 'validation_failed',
    brokenBy: ({ body }) => {
      const url = at(body?.value, 'url');
      if (typeof url !== 'string') return undefined;
      // The normal form can be longer.
      const isAllowed = httpsTargets.parse(url).match(
        (normal) => normal.length <= WEBHOOK_URL_LENGTH_MAX,
        () => false,
      );
      return isAllowed ? undefined : ['url'];
    },
  },
  'a cursor excludes an offset': {
    code: 'conflicting_parameters',
    brokenBy: ({ parameters: { after, offset } }) =>
      after === undefined || offset === undefined ? undefined : ['offset'],
  },
  'a cursor excludes a time': {
    code: 'conflicting_parameters',
    brokenBy: ({ parameters: { after, at } }) => (after === undefined || at === undefined ? undefined : ['at']),
  },
  'a cursor excludes the end of the feed': {
    code: 'conflicting_parameters',
    brokenBy: ({ parameters: { after, start } }) => (after === undefined || start !== 'latest' ? undefined : ['start']),
  },
  'a cursor requires the same list, sort and filter': {
    code: 'invalid_cursor',
    brokenBy: ({ operation, parameters }, { seeds, cursors }) => {
      const { after, id, sort = '-created_at' } = parameters;
      const list = operation.path.split('/').at(-1) ?? '';
      const filters = operation.parameters.filter(({ name, place }) => place === 'query' && !UNFILTERED.includes(name));
      // A cursor of the feed is only a position.
      const filtered = list !== 'events' && filters.some(({ name }) => parameters[name] !== undefined);
      const own = after === cursors[list] && sort === '-created_at' && !filtered;
      const ofOrder = id === undefined || written(id).toLowerCase() === seeds.long;
      return after === undefined || (own && ofOrder) ? undefined : ['after'];
    },
  },
  'an idempotency key belongs to one request': {
    code: 'idempotency_key_reused',
    // Other tests check when two requests are the same.
    brokenBy: ({ parameters }) => (USED_KEYS.some((key) => key === parameters['Idempotency-Key']) ? [] : undefined),
  },
};

/** Returns the rules that a request may break, with the fields. */
function brokenRules(request: FuzzRequest, beyond: Beyond) {
  return Object.values(BEYOND_THE_SCHEMA).flatMap(({ code, brokenBy }) => {
    const fields = brokenBy(request, beyond);
    return fields ? [{ code, fields }] : [];
  });
}

/** Statuses of an invalid request. */
const INVALID = [400, 422];

/** Returns the code or fields of a rejection that no rule explains. */
export function unexplained(request: FuzzRequest, beyond: Beyond, response: ApiResponse): readonly string[] {
  if (!INVALID.includes(response.status)) return [];
  const broken = brokenRules(request, beyond);
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

/** BigInt, because a floating-point product is rounded. */
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
