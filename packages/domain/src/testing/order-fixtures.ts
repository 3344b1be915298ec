import { ok, type Result } from 'neverthrow';
import type { OrderDefinition } from '../orders/definition/order-definition.ts';
import type { OrderEvent } from '../orders/order-events.ts';
import { applyOrderChange, type OrderChange } from '../orders/order-patch.ts';
import type { OrderDecision } from '../orders/order-repository.ts';
import type { Order } from '../orders/order.ts';
import type { Timestamp } from '../shared/clock.ts';
import type { Idempotency } from '../shared/idempotency.ts';
import type { Owner } from '../shared/ids.ts';
import { anEventOf, anOrder } from './builders.ts';
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
  readonly storeOrder: (
    subject: AnySubject,
    owner: Owner,
    order?: AnyOrder,
    idempotency?: Idempotency,
  ) => Promise<AnyOrder>;

  /** Places an order at a time, and returns it with its event. */
  readonly place: (
    subject: AnySubject,
    owner: Owner,
    fields?: Write & Partial<AnyOrder>,
  ) => Promise<{ readonly order: AnyOrder; readonly event: AnyOrderEvent }>;

  /** Returns a callback of {@link OrderRepository.update} that applies `change` at the time `at`. */
  readonly decide: <E = never>(
    owner: Owner,
    change: AnyChange,
    at?: Timestamp,
  ) => (order: AnyOrder) => Result<OrderDecision<OrderDefinition>, E>;

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
  return {
    definition,
    anOrder: build,
    freeText: (bytes) => {
      if (bytes < 1000) return { metadata: metadataOfBytes(bytes) };
      const custom = definition.custom && { custom: CUSTOM };
      return { note: NOTE, ...custom, metadata: metadataOfBytes(bytes - (custom ? 200 : 100)) };
    },
    anEventOf: anEventOf<OrderDefinition>,
    storeOrder: async ({ orders }, owner, order = build(), idempotency) =>
      (await succeeds(orders.insert(owner, { order, event: anEventOf<OrderDefinition>(owner, order) }, idempotency)))
        .order,
    place: async ({ orders }, owner, { at = RECENT, event = {}, ...fields } = {}) => {
      const order = build({ created_at: at, ...fields });
      const placed = { order, event: anEventOf<OrderDefinition>(owner, order, event) };
      return { ...placed, order: (await succeeds(orders.insert(owner, placed))).order };
    },
    decide:
      (owner, change, at = '2026-01-02T03:05:00.000Z') =>
      (order) => {
        const changed = applyOrderChange(definition, order, change, at)._unsafeUnwrap();
        const { id: aggregate_id, version, updated_at: occurred_at } = changed.order;
        const event = changed.event && {
          ...anEventOf<OrderDefinition>(owner, order),
          ...changed.event,
          aggregate_id,
          version,
          occurred_at,
        };
        return ok({ order: changed.order, event });
      },
    advance: next === undefined ? { note: 'advanced' } : { status: next },
    advanceAgain: after === undefined ? { note: 'advanced again' } : after === cancel ? toCancel : { status: after },
    cancellable: cancellable ?? initial,
    cancellation: cancellable === undefined ? { note: 'kept' } : toCancel,
    advanced: (next !== undefined && entries[next]?.event) || 'order.changed',
  };
}

/** Returns a callback of {@link OrderRepository.delete} that accepts the deletion. */
export function decideDeletion(owner: Owner): (order: AnyOrder) => Result<AnyOrderEvent, never> {
  return (order) => ok(anEventOf<OrderDefinition>(owner, order, { type: 'order.deleted' }));
}

/**
 * Returns a function that opens a store, for orders of a definition that is known only when the contract runs. The
 * contract stores only orders of the definition that the store has.
 */
export function widen<Open>(open: object): Open;
export function widen(open: object): unknown {
  return open;
}
