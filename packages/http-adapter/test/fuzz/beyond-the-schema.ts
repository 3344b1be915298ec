import {
  ADJUSTMENT_SIGNS,
  ADJUSTMENT_TYPES,
  EXTERNAL_IDS_MAX,
  ITEMS_METADATA_BYTES_MAX,
  WITHDRAWN_COUNTRIES,
  WITHDRAWN_CURRENCIES,
} from '@orders/domain';
import { WEBHOOK_URL_LENGTH_MAX } from '@orders/domain/webhooks';
import type { ApiResponse } from '../fixtures/a-client.ts';
import { httpsTargets } from '../fixtures/a-webhooks.ts';
import { at, isRecord, membersOf, textAt } from '../fixtures/json.ts';
import { fieldsOf, type FuzzRequest, written } from '../hostile/fuzz-requests.ts';
import type { Operation } from '../hostile/operations.ts';
import { KNOWN_ZONES, type SeededApi, USED_KEYS } from './seeded-api.ts';

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

/** The members that ranges select by. */
const TIMES = ['created_at', 'updated_at'];

/** All rules by which the API may reject a request that the document allows. */
const BEYOND_THE_SCHEMA: Readonly<Record<string, Rule>> = {
  'an order has one currency': {
    code: 'currency_mismatch',
    brokenBy: ({ operation, body }) => {
      const items = listOf(body?.value, 'items').map((item) => at(item, 'unit_price', 'currency'));
      const currency = isPlacing(operation) ? items[0] : 'EUR';
      const odd = hasLines(operation) ? items.findIndex((each) => each !== currency) : -1;
      if (odd !== -1) return [`items[${odd}].unit_price.currency`];
      const adjustments = listOf(body?.value, 'adjustments').map((each) => at(each, 'amount', 'currency'));
      const other = adjustments.findIndex((each) => each !== currency);
      return other === -1 ? undefined : [`adjustments[${other}].amount.currency`];
    },
  },
  'a new order has a currency in use': {
    code: 'validation_failed',
    brokenBy: ({ operation, body }) => {
      if (!isPlacing(operation)) return undefined;
      const isWithdrawn = (money: unknown) => WITHDRAWN_CURRENCIES.has(String(at(money, 'currency')));
      return found([
        ...placesIn(body?.value, 'items', '.unit_price.currency', (each) => isWithdrawn(at(each, 'unit_price'))),
        ...placesIn(body?.value, 'adjustments', '.amount.currency', (each) => isWithdrawn(at(each, 'amount'))),
      ]);
    },
  },
  'a total is a safe integer': {
    code: 'amount_out_of_range',
    brokenBy: ({ operation, body }) => {
      if (!hasLines(operation)) return undefined;
      const totals = listOf(body?.value, 'items').map(totalOf);
      const large = totals.findIndex(isUnsafe);
      if (large !== -1) return [`items[${large}]`];
      if (isUnsafe(sumOf(totals))) return ['items'];
      return isUnsafe(placedTotal(body?.value)) ? ['adjustments'] : undefined;
    },
  },
  'a total is not negative': {
    code: 'negative_total',
    brokenBy: ({ operation, body }) => (isPlacing(operation) && placedTotal(body?.value) < 0n ? [] : undefined),
  },
  'an adjustment of a new order has the sign of its type': {
    code: 'validation_failed',
    brokenBy: ({ operation, body }) =>
      isPlacing(operation)
        ? found(placesIn(body?.value, 'adjustments', '.amount.amount', (each) => signOf(each) * amountOf(each) < 0n))
        : undefined,
  },
  'only a tax is included': {
    code: 'validation_failed',
    brokenBy: ({ body }) => {
      const isIncluded = (each: unknown) => at(each, 'included') === true && at(each, 'type') !== 'tax';
      return found(placesIn(body?.value, 'adjustments', '.included', isIncluded));
    },
  },
  'an adjustment belongs to an item': {
    code: 'validation_failed',
    brokenBy: ({ body }) => {
      const { length } = listOf(body?.value, 'items');
      return found(placesIn(body?.value, 'adjustments', '.item', (each) => Number(at(each, 'item') ?? -1) >= length));
    },
  },
  'an adjustment belongs to one item': {
    code: 'validation_failed',
    brokenBy: ({ body }) => {
      const hasBoth = (each: unknown) => !isNone(at(each, 'item')) && !isNone(at(each, 'item_id'));
      return found(placesIn(body?.value, 'adjustments', '.item_id', hasBoth));
    },
  },
  'adjustments of a cancellation require items': {
    code: 'validation_failed',
    brokenBy: ({ operation, body }) =>
      operation.id === 'cancel_order' && isNone(at(body?.value, 'items')) && !isNone(at(body?.value, 'adjustments'))
        ? ['adjustments']
        : undefined,
  },
  'an item of the order is taken once': {
    code: 'validation_failed',
    brokenBy: ({ operation, parameters, body }, { seeds }) => {
      if (isPlacing(operation)) return undefined;
      const known = new Set(seeds.items[written(parameters['id'] ?? '').toLowerCase()]);
      const ids = listOf(body?.value, 'items').map(idOf);
      const isRepeated = (each: unknown, index: number) => !hasLines(operation) && ids.indexOf(idOf(each)) < index;
      const isUnknown = (each: unknown) => !isNone(at(each, 'item_id')) && !known.has(idOf(each));
      return found([
        ...placesIn(body?.value, 'items', '.item_id', (each, index) => isUnknown(each) || isRepeated(each, index)),
        ...placesIn(body?.value, 'adjustments', '.item_id', isUnknown),
      ]);
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
  'someone buys, and an address is in a country that exists': {
    code: 'validation_failed',
    brokenBy: ({ body }) => {
      const { value } = body ?? {};
      const buyer = at(value, 'buyer');
      const isNobody = isRecord(buyer) && Object.values(buyer).every(isNone);
      const isNowhere = (address: unknown) =>
        isRecord(address) && (isNone(address['country']) || WITHDRAWN_COUNTRIES.has(String(address['country'])));
      const addresses = ['shipping_address', 'billing_address'].filter((name) => isNowhere(at(value, name)));
      return found([...(isNobody ? ['buyer'] : []), ...addresses.map((name) => `${name}.country`)]);
    },
  },
  'an order has at most twenty external ids, each once for a system': {
    code: 'validation_failed',
    brokenBy: ({ body }) => {
      const ids = at(body?.value, 'external_ids');
      const systems = Object.entries(isRecord(ids) ? ids : {});
      const count = systems.reduce((sum, [, list]) => sum + (Array.isArray(list) ? list.length : 0), 0);
      const twice = systems.flatMap(([system, list]) =>
        (Array.isArray(list) ? list : []).flatMap((id, index, all) =>
          all.indexOf(id) < index ? [`external_ids[${JSON.stringify(system)}][${index}]`] : [],
        ),
      );
      // The order may have some of other systems.
      return found([...(count > EXTERNAL_IDS_MAX - 2 ? ['external_ids'] : []), ...twice]);
    },
  },
  'the metadata of items have at most 16 KiB': {
    code: 'validation_failed',
    brokenBy: ({ body }) => {
      const texts = listOf(body?.value, 'items').map((item) => JSON.stringify(at(item, 'metadata') ?? null));
      return Buffer.byteLength(texts.join('')) > ITEMS_METADATA_BYTES_MAX ? ['items'] : undefined;
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
  'a set of ids, a lookup and the beginning of references decide the order': {
    code: 'conflicting_parameters',
    brokenBy: ({ parameters: { ids, lookup, reference_prefix, offset, sort } }) =>
      found([
        ...(lookup !== undefined && ids !== undefined ? ['ids'] : []),
        ...(lookup !== undefined && reference_prefix !== undefined ? ['reference_prefix'] : []),
        ...((ids ?? lookup) !== undefined && offset !== undefined ? ['offset'] : []),
        ...((ids ?? lookup ?? reference_prefix) !== undefined && sort !== undefined ? ['sort'] : []),
      ]),
  },
  'a range of another column than the sorted one excludes an offset': {
    code: 'conflicting_parameters',
    brokenBy: ({ parameters }) => {
      const { offset, reference_prefix, sort = '-created_at' } = parameters;
      const isScanning = (of: string) =>
        (reference_prefix !== undefined || !written(sort).endsWith(of)) &&
        (parameters[`${of}_from`] ?? parameters[`${of}_before`]) !== undefined;
      return offset !== undefined && TIMES.some(isScanning) ? ['offset'] : undefined;
    },
  },
  'a range ends after it begins': {
    code: 'invalid_parameter',
    brokenBy: ({ parameters }) => {
      const at = (name: string) => Date.parse(written(parameters[name] ?? '').toUpperCase());
      return found(TIMES.filter((of) => at(`${of}_before`) <= at(`${of}_from`)).map((of) => `${of}_before`));
    },
  },
  'statistics have a range of known years in at most 10,000 buckets': {
    code: 'invalid_parameter',
    brokenBy: ({ parameters: { interval, from, before } }) => {
      if (interval === undefined) return undefined;
      const times = [from, before].map((time) => Date.parse(written(time).toUpperCase()));
      const isKnown = (time: number) => Date.UTC(1900, 0) <= time && time < Date.UTC(2100, 0);
      const strange = ['from', 'before'].filter((_, index) => !isKnown(times[index] ?? 0));
      if (strange.length > 0) return strange;
      const [begin = 0, end = 0] = times;
      const days = { hour: 1 / 24, day: 1, month: 28 }[written(interval)] ?? 0;
      return end <= begin || (end - begin) / 86_400_000 / days > 9_999 ? ['before'] : undefined;
    },
  },
  'a time zone exists': {
    code: 'invalid_parameter',
    brokenBy: ({ parameters: { time_zone } }) =>
      time_zone === undefined || KNOWN_ZONES.includes(written(time_zone)) ? undefined : ['time_zone'],
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
  'a cursor in a body is one of a page': {
    code: 'validation_failed',
    brokenBy: ({ operation, body }) =>
      ['list_person_data', 'search_orders'].includes(operation.id) && at(body?.value, 'after') !== undefined
        ? ['after']
        : undefined,
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

function listOf(body: unknown, member: string): readonly unknown[] {
  const list = at(body, member);
  return Array.isArray(list) ? list : [];
}

/** Returns the fields of the elements of a list for which a rule is broken. */
function placesIn(
  body: unknown,
  list: string,
  member: string,
  isBroken: (element: unknown, index: number) => boolean,
): readonly string[] {
  const places = listOf(body, list).map((each, index) => (isBroken(each, index) ? `${list}[${index}]${member}` : ''));
  return places.filter((place) => place !== '');
}

function isPlacing({ id }: Operation): boolean {
  return id === 'place_order';
}

function hasLines({ id }: Operation): boolean {
  return id === 'place_order' || id === 'add_items';
}

function isNone(value: unknown): boolean {
  return value === undefined || value === null;
}

function idOf(element: unknown): string {
  return String(at(element, 'item_id')).toLowerCase();
}

function amountOf(adjustment: unknown): bigint {
  return BigInt(Number(at(adjustment, 'amount', 'amount')));
}

function signOf(adjustment: unknown): bigint {
  const type = ADJUSTMENT_TYPES.find((each) => each === at(adjustment, 'type'));
  return BigInt(type === undefined ? 0 : ADJUSTMENT_SIGNS[type]);
}

/** Returns the total of a new order. */
function placedTotal(body: unknown): bigint {
  const added = listOf(body, 'adjustments').filter((each) => at(each, 'included') !== true);
  return sumOf([...listOf(body, 'items').map(totalOf), ...added.map(amountOf)]);
}

function sumOf(amounts: readonly bigint[]): bigint {
  return amounts.reduce((sum, amount) => sum + amount, 0n);
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
    const isMap = /(^|\.)metadata$|^external_ids$/.test(field);
    const below = isMap ? `${field}[${JSON.stringify(name)}]` : field === '' ? name : `${field}.${name}`;
    return [...(name.isWellFormed() ? [] : [below]), ...illFormed(member, below)];
  });
}

function found(fields: readonly string[]): readonly string[] | undefined {
  return fields.length === 0 ? undefined : fields;
}
