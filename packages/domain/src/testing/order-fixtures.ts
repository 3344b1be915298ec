import type { Decision, Written } from '../aggregates/write-aggregate.ts';
import type { OrderDefinition } from '../orders/definition/order-definition.ts';
import type { OrderEvent } from '../orders/order-events.ts';
import { applyOrderChange } from '../orders/apply-order-change.ts';
import type { OrderChange } from '../orders/order-patch.ts';
import type { Order } from '../orders/order.ts';
import type { Timestamp } from '../shared/clock.ts';
import type { Idempotency } from '../shared/idempotency.ts';
import type { Owner } from '../shared/ids.ts';
import { change, create, remove } from './aggregate-writes.ts';
import { anEventOf, anOrder } from './builders.ts';
import * as assert from './assertions.ts';
import { metadataOfBytes } from './metadata-of-bytes.ts';
import { type OpenSubject, type StoreSubject, succeeds } from './contract-subject.ts';

/** An order of a definition that is known only when the contract runs. */
export type AnyOrder = Order<OrderDefinition>;
/** An event of {@link AnyOrder}. */
export type AnyOrderEvent = OrderEvent<OrderDefinition>;
/** A change of {@link AnyOrder}. */
export type AnyChange = OrderChange<OrderDefinition>;
/** A store of {@link AnyOrder}. */
export type AnySubject = StoreSubject<OrderDefinition>;
/** Opens {@link AnySubject}. */
export type OpenAnySubject = OpenSubject<OrderDefinition>;

/** A time that no purge of the contracts reaches, the default of the builders. */
export const RECENT = '2026-01-02T03:04:05.678Z';

/** A note of one hundred bytes, in characters of two, three and four bytes. */
const NOTE = 'ü'.repeat(13) + '€'.repeat(22) + '😀'.repeat(2);

/** Custom data of one hundred bytes of JSON, which a serializer with spaces would make longer. */
const CUSTOM = { pieces: [1, 2.5, null, true], text: `${'é'.repeat(24)}"\n`, more: {} };

/** The members of a write that a test decides. */
export interface Write {
  readonly at?: Timestamp;
  readonly event?: Partial<AnyOrderEvent>;
}

/** Orders of one definition, as the contracts make and change them. */
export interface OrderFixtures {
  readonly definition: OrderDefinition;

  /** Returns a valid order in the initial status with default values, which `order` overrides. */
  readonly anOrder: (order?: Partial<AnyOrder>) => AnyOrder;

  /** Returns free text of `bytes` bytes: metadata, and from 1,000 bytes a note and custom data if the definition has it. */
  readonly freeText: (bytes: number) => Partial<AnyOrder>;

  /** Returns an event of `order` with default values, which `event` overrides. */
  readonly anEventOf: (
    owner: Owner,
    order: Pick<AnyOrder, 'id' | 'version' | 'updated_at'>,
    event?: Partial<AnyOrderEvent>,
  ) => AnyOrderEvent;

  /** Stores `order` for `owner` and returns the stored order. */
  readonly storeOrder: (subject: AnySubject, owner: Owner, order?: AnyOrder, key?: Idempotency) => Promise<AnyOrder>;

  /** Places an order at a time, and returns it with its event. */
  readonly place: (
    subject: AnySubject,
    owner: Owner,
    fields?: Write & Partial<AnyOrder>,
  ) => Promise<{ readonly order: AnyOrder; readonly event: AnyOrderEvent }>;

  /** Returns a function that decides on `change` at the time `at`. */
  readonly decide: (
    owner: Owner,
    change: AnyChange,
    at?: Timestamp,
  ) => (order: AnyOrder) => Decision<AnyOrder, AnyOrderEvent>;

  /** Changes an order as {@link decide} does, and returns what was written. */
  readonly update: (
    subject: AnySubject,
    owner: Owner,
    id: string,
    change: AnyChange,
    options?: { readonly at?: Timestamp; readonly key?: Idempotency },
  ) => Promise<Written<AnyOrder, AnyOrderEvent>>;

  /** A change of a new order: to a further status, if there is one. Applied again, it changes nothing. */
  readonly advance: AnyChange;

  /** A change of an order after {@link advance}: to the cancel status or another one, if the lifecycle has it. */
  readonly advanceAgain: AnyChange;

  /** A status that {@link cancellation} is possible in. */
  readonly cancellable: string;

  /** A change to the cancel status; another change if the definition has only one status. */
  readonly cancellation: AnyChange;

  /** Type of the event of {@link advance}. */
  readonly advanced: AnyOrderEvent['type'];
}

/** Returns the orders of a definition. */
export function orderFixtures(definition: OrderDefinition): OrderFixtures {
  const { lifecycle, initial, cancel, entries } = definition;
  const build = (order: Partial<AnyOrder> = {}): AnyOrder => anOrder<OrderDefinition>(order, definition);
  const [next] = lifecycle[initial] ?? [];
  const targets = (next !== undefined && lifecycle[next]) || [];
  const after = targets.includes(cancel) ? cancel : targets[0];
  const toCancel = { status: cancel, cancel_reason: 'changed my mind' };
  const cancellable = definition.statuses.find((status) => lifecycle[status]?.includes(cancel));
  const decide: OrderFixtures['decide'] =
    (owner, wanted, at = '2026-01-02T03:05:00.000Z') =>
    (order) => {
      const changed = applyOrderChange(definition, order, wanted, at)._unsafeUnwrap();
      const { id: aggregate_id, version, updated_at: occurred_at } = changed.order;
      const members = { ...changed.event, aggregate_id, version, occurred_at };
      const event = changed.event && { ...anEventOf<OrderDefinition>(owner, order), ...members };
      return { after: changed.order, event };
    };
  return {
    definition,
    anOrder: build,
    freeText: (bytes) => {
      if (bytes < 1000) return { metadata: metadataOfBytes(bytes) };
      const custom = definition.custom && { custom: CUSTOM };
      return { note: NOTE, ...custom, metadata: metadataOfBytes(bytes - (custom ? 200 : 100)) };
    },
    anEventOf: anEventOf<OrderDefinition>,
    storeOrder: async ({ orders }, owner, order = build(), key) =>
      (await succeeds(create(orders, owner, order, anEventOf<OrderDefinition>(owner, order), key))).aggregate,
    place: async ({ orders }, owner, { at = RECENT, event = {}, ...fields } = {}) => {
      const order = build({ created_at: at, ...fields });
      const placed = anEventOf<OrderDefinition>(owner, order, event);
      return { order: (await succeeds(create(orders, owner, order, placed))).aggregate, event: placed };
    },
    decide,
    update: async ({ orders }, owner, id, wanted, { at, key } = {}) =>
      await succeeds(change(orders, owner, id, decide(owner, wanted, at), key)),
    advance: next === undefined ? { note: 'advanced' } : { status: next },
    advanceAgain: after === undefined ? { note: 'advanced again' } : after === cancel ? toCancel : { status: after },
    cancellable: cancellable ?? initial,
    cancellation: cancellable === undefined ? { note: 'kept' } : toCancel,
    advanced: (next !== undefined && entries[next]?.event) || 'order.changed',
  };
}

/** Deletes an order, and returns the event. */
export async function removeOrder(
  { orders }: Pick<AnySubject, 'orders'>,
  owner: Owner,
  id: string,
  event: Partial<AnyOrderEvent> = {},
): Promise<AnyOrderEvent> {
  const deletion = (order: AnyOrder) => anEventOf<OrderDefinition>(owner, order, { type: 'order.deleted', ...event });
  const removed = await succeeds(remove(orders, owner, id, deletion));
  return removed.event ?? assert.fail('the deletion recorded no event');
}

/**
 * Returns a function that opens a store, for orders of a definition that is known only when the contract runs. The
 * contract stores only orders of the definition that the store has.
 */
export function widen<Open>(open: object): Open;
export function widen(open: object): unknown {
  return open;
}
