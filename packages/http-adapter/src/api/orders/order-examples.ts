import {
  ADDRESS_MEMBERS,
  availableTransitions,
  BUYER_MEMBERS,
  ORDER_FIELDS,
  type OrderDefinition,
  ORDERS,
} from '@orders/domain';
import { perDefinition } from '../definition-schemas.ts';
import { customExample } from './custom-schemas.ts';

const EUR = (amount: number) => ({ amount, currency: 'EUR' });

const ITEM = { sku: 'MUG-330', name: 'Mug 330 ml', quantity: 2, unit_price: EUR(1299) };

export const LINE_ITEM = {
  id: '019b2a4e-8f00-7000-8000-0000000000a1',
  ...ITEM,
  fulfilled_quantity: 0,
  cancelled_quantity: 0,
  returned_quantity: 0,
  total: EUR(2598),
  metadata: {},
};

/** An item that is added later. */
export const FURTHER_ITEM = { sku: 'MUG-500', name: 'Mug 500 ml', quantity: 1, unit_price: EUR(1599) };

/** Some of the item, in the bodies of commands. */
export const ONE_ITEM = { item_id: LINE_ITEM.id, quantity: 1 };

const SHIPPING = { type: 'shipping', name: 'Standard delivery', amount: EUR(490) };
const TAX = { type: 'tax', name: 'VAT 19%', amount: EUR(493), included: true };

/** Who buys. */
export const BUYER = { name: 'Ada Lovelace', email: 'ada@example.com' };
const ADDRESS = {
  name: 'Ada Lovelace',
  line1: '12 Harley Street',
  city: 'London',
  postal_code: 'W1G 9QD',
  country: 'GB',
};

const FIELDS = {
  reference: 'PO-2026-0417',
  external_ids: { stripe: ['pi_3Nk1'], erp: ['4711'] },
  buyer: BUYER,
  shipping_address: ADDRESS,
  note: 'Leave it with the neighbour',
  metadata: { channel: 'web' },
};

const PLACED_ORDER_ID = '019b2a4e-8f00-7000-8000-000000000001';
/** The actor of a change in examples. */
export const ACTOR_EXAMPLE = 'api_key:ord_3f9c0a51d2';
const PLACED_AT = '2026-01-02T03:04:05.678Z';
const LATER = '2026-01-03T08:00:00.000Z';
/** A refund of a part of the order. */
export const REFUND = { type: 'refund', name: 'Goodwill', amount: EUR(-500) };
export const CANCEL_REASON = 'The customer changed their mind';

/** The user for whom a change is made, in examples. */
export const EXTERNAL_USER_ID_EXAMPLE = 'user_8213';

/** An event in examples. */
export const PLACED_EVENT = {
  id: '019b2a4e-8f00-7000-8000-0000000000e1',
  position: 1,
  type: 'order.placed',
  resource: { type: 'order', id: PLACED_ORDER_ID, version: 1 },
  changed: [],
  occurred_at: PLACED_AT,
  actor: ACTOR_EXAMPLE,
  external_user_id: EXTERNAL_USER_ID_EXAMPLE,
};

const UNSET = Object.entries(ORDER_FIELDS).map(([name, { unset }]) => [name, unset] as const);
const withAll = (members: object, texts: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.keys(members).map((name) => [name, texts[name] ?? null]));
const { note, metadata, ...fields } = {
  ...Object.fromEntries(UNSET),
  ...FIELDS,
  buyer: withAll(BUYER_MEMBERS, BUYER),
  shipping_address: withAll(ADDRESS_MEMBERS, ADDRESS),
};

/** Returns examples of requests and orders of a definition. */
export const orderExamples = perDefinition((definition) => {
  const { initial, cancel, noTimes } = definition;
  const custom = customExample(definition);
  const NEW_ORDER = { items: [ITEM], adjustments: [SHIPPING, TAX], ...FIELDS, ...(custom !== undefined && { custom }) };
  const ORDER = {
    id: PLACED_ORDER_ID,
    status: initial,
    ...fields,
    items: [LINE_ITEM],
    adjustments: [
      {
        id: '019b2a4e-8f00-7000-8000-0000000000b1',
        ...SHIPPING,
        item_id: null,
        included: false,
        created_at: PLACED_AT,
      },
      { id: '019b2a4e-8f00-7000-8000-0000000000b2', ...TAX, item_id: null, created_at: PLACED_AT },
    ],
    fulfillments: [],
    subtotal: EUR(2598),
    total: EUR(3088),
    note,
    metadata,
    ...(definition.custom && { custom: custom ?? null }),
    cancel_reason: null,
    available_transitions: availableTransitions(initial, definition),
    version: 1,
    created_at: PLACED_AT,
    updated_at: PLACED_AT,
    ...noTimes,
    corrected_at: null,
    erased_at: null,
  };
  const AFTER_CANCELLATION = {
    ...ORDER,
    ...changesOn(pathTo(cancel, definition), definition),
    cancel_reason: CANCEL_REASON,
  };
  return { NEW_ORDER, ORDER, AFTER_CANCELLATION, CHANGES: changeExamples(definition) };
});

/** Returns the name of the change to the next status. Documents of the default definition have always had that of theirs. */
function nameOfAdvance(definition: OrderDefinition): string {
  return definition === ORDERS ? 'pay' : 'advance';
}

/** Returns the examples of changes. */
function changeExamples(definition: OrderDefinition) {
  const { lifecycle, initial, cancel } = definition;
  const next = lifecycle[initial]?.find((status) => status !== cancel);
  return {
    ...(next !== undefined && { [nameOfAdvance(definition)]: { status: next } }),
    annotate: { note: 'Fragile', metadata: { gift: 'yes', channel: null } },
    redirect: { shipping_address: { line1: '1 Dorset Street', postal_code: 'W1U 4EG' } },
    cancel: { status: cancel, cancel_reason: CANCEL_REASON },
  };
}

/** Returns the members of an order that differ after it has entered some statuses. */
function changesOn(path: readonly string[], definition: OrderDefinition) {
  const status = path.at(-1) ?? definition.initial;
  return {
    status,
    available_transitions: availableTransitions(status, definition),
    version: 1 + path.length,
    updated_at: LATER,
    ...Object.fromEntries(path.map((entered) => [`${entered}_at`, LATER])),
  };
}

/** Returns the statuses on the shortest way from a new order to `status`. */
function pathTo(status: string, { lifecycle, initial }: OrderDefinition): readonly string[] {
  const paths = new Map<string, readonly string[]>([[initial, []]]);
  // A map is iterated over the entries that are added meanwhile, too.
  for (const [reached, path] of paths)
    for (const target of lifecycle[reached] ?? []) if (!paths.has(target)) paths.set(target, [...path, target]);
  return paths.get(status) ?? [];
}
