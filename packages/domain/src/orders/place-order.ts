import { err, ok, type Result, type ResultAsync } from 'neverthrow';
import { currentTimestamp } from '../shared/clock.ts';
import { readAuthor } from '../shared/author.ts';
import { createEvent } from '../shared/domain-event.ts';
import { readFields } from '../shared/fields.ts';
import type { Owner } from '../shared/ids.ts';
import { InvalidFields, type ValidationFailed } from '../shared/validation.ts';
import { idempotencyFor, type KeyReused, omitUnset } from '../shared/idempotency.ts';
import type { Unavailable } from '../shared/unavailable.ts';
import type { WriteOptions } from '../shared/write-options.ts';
import type { Conflict, CreateOf } from '../aggregates/aggregate-store.ts';
import { createAggregate, except, explainCreate, mapBoth } from '../aggregates/write-aggregate.ts';
import type { CustomerErased } from '../customers/customer-errors.ts';
import type { CustomOf, OrderDefinition, WithCustom, WithCustomInput } from './definition/order-definition.ts';
import type { DefaultDefinition } from './order-lifecycle.ts';
import { type AdjustmentCommand, createAdjustments, type NewAdjustment, readNewAdjustments } from './adjustment.ts';
import { type LineItem, type NewLineItem, priceLines, readItems } from './line-item.ts';
import { checkGuards } from './guards.ts';
import type {
  AmountOutOfRange,
  CurrencyMismatch,
  NegativeTotal,
  ReferenceTaken,
  Refused,
  UnknownCustomer,
} from './order-errors.ts';
import { mapUnknownCustomer } from './unknown-customer.ts';
import type { OrderEvent } from './order-kind.ts';
import type { OrderPorts, OrderWritten } from './order-repository.ts';
import { ORDER_FIELDS, type OrderFields, type OrderFieldsInput } from './order-fields.ts';
import { readCustom } from './order-custom.ts';
import { findForeignCurrency, type OrderTotals, totalsOf } from './order-total.ts';
import type { AnyOrder } from './order.ts';
import { presentWrite } from './present-order.ts';

/** The members of a new order that do not depend on its definition. */
interface NewOrderCore extends OrderFieldsInput {
  /** 1 to {@link ITEMS_MAX} lines, all in one currency. */
  readonly items: readonly NewLineItem[];
  /** What is charged besides the items, or reduced: at most {@link ADJUSTMENTS_MAX}. An empty list is the same as none. */
  readonly adjustments?: readonly NewAdjustment[] | null | undefined;
}

/** The input of a new order. A member that is absent or `null` is not set. */
export type NewOrder<D extends OrderDefinition = DefaultDefinition> = NewOrderCore & WithCustomInput<D>;

/** The validated command to place an order. */
export type PlaceOrder<D extends OrderDefinition = OrderDefinition> = OrderFields & {
  readonly items: readonly NewLineItem[];
  readonly adjustments: readonly AdjustmentCommand<number>[];
} & WithCustom<D, { readonly custom?: unknown }, { readonly custom: CustomOf<D> | null }>;

/** The errors of placing an order. */
export type PlaceOrderError<D extends OrderDefinition = DefaultDefinition> =
  | ValidationFailed
  | CurrencyMismatch
  | AmountOutOfRange
  | NegativeTotal
  | KeyReused
  | ReferenceTaken
  | Refused<D>
  | CustomerErased
  | Unavailable;

/**
 * Places an order with the initial status at version 1, and computes its totals. All invalid fields of `input`, a
 * {@link NewOrder}, are reported together.
 */
export function placeOrder(
  ports: OrderPorts,
  owner: Owner,
  input: unknown,
  options: WriteOptions = {},
): ResultAsync<OrderWritten<OrderDefinition>, PlaceOrderError<OrderDefinition>> {
  return preparePlacing(ports, owner, input, options).asyncAndThen(({ alone }) => alone());
}

/** The reasons for which the store of orders rejects a create. */
type Refusal = ReferenceTaken | UnknownCustomer | CustomerErased;

/** A validated order to place. */
export interface Placing {
  /** Returns the write, which the first call builds. */
  readonly write: () => CreateOf<AnyOrder, OrderEvent<OrderDefinition>>;
  /** Whether a guard refuses the order, unless it is placed already. */
  readonly isRefused: () => boolean;
  /** Returns the result of the write. */
  readonly settle: (
    committed: Result<null, Conflict<AnyOrder, Refusal>>,
  ) => Result<OrderWritten<OrderDefinition>, PlaceOrderError<OrderDefinition>>;
  /** Places it, unless a guard refuses it. */
  readonly alone: () => ResultAsync<OrderWritten<OrderDefinition>, PlaceOrderError<OrderDefinition>>;
}

/** Validates an order to place without the rules that depend on stored data. */
export function preparePlacing(
  ports: OrderPorts,
  owner: Owner,
  input: unknown,
  options: WriteOptions,
): Result<Placing, PlaceOrderError<OrderDefinition>> {
  const { definition } = ports;
  const author = readAuthor(options);
  return parsePlaceOrder(input, definition).andThen((command) =>
    priceOrder(command).map((prices): Placing => {
      // An empty list is the same command as none.
      const adjustments = command.adjustments.length > 0 ? command.adjustments : null;
      const { custom = null, ...fields } = command;
      const given = omitUnset({ ...fields, adjustments });
      const key = idempotencyFor(ports, options, 'place_order', custom === null ? given : { ...given, custom });
      const destination = { store: ports.orders, owner, key, missing: 'order_not_found' } as const;
      let built: ReturnType<Placing['write']> | undefined;
      const build = (): ReturnType<Placing['write']> => {
        const after = buildOrder(ports, command, prices);
        const event = createEvent(ports.ids, owner, author, { type: 'order.placed', changed: [] }, after);
        return { kind: 'create', after, event, key };
      };
      const write = () => (built ??= build());
      let decided: ReturnType<typeof checkGuards> | undefined;
      const decide = () => {
        const { after } = write();
        return (decided ??= checkGuards(definition, 'place_order', null, after, after.created_at));
      };
      const present = presentWrite(definition);
      return {
        write,
        isRefused: () => decide().isErr(),
        settle: (committed) =>
          committed.isOk()
            ? ok(present({ aggregate: write().after, event: write().event, replayed: false }))
            : explainCreate<AnyOrder, OrderEvent<OrderDefinition>, Refusal, 'order_not_found'>(
                committed.error,
                destination.missing,
              )
                .map(present)
                .mapErr((error) => mapUnknownCustomer(exceptNotFound(error))),
        alone: () =>
          mapBoth(createAggregate(destination, write, decide), present, (error) =>
            // The version of an order lives as long as the key that refers to it.
            mapUnknownCustomer(exceptNotFound(error)),
          ),
      };
    }),
  );
}

const exceptNotFound = except('order_not_found');

const MEMBERS = ['items', 'adjustments', ...Object.keys(ORDER_FIELDS)];

/** Parses the input of a new order, without the rules that depend on stored data. */
function parsePlaceOrder(input: unknown, definition: OrderDefinition): Result<PlaceOrder, ValidationFailed> {
  const invalid = new InvalidFields();
  const known = definition.custom ? [...MEMBERS, 'custom'] : MEMBERS;
  const members = invalid.readObject(input, known, definition.members);
  const items = readItems(members['items'], 'items', invalid, true) ?? [];
  const adjustments = readNewAdjustments(members['adjustments'], items.length, invalid);
  const fields = readFields(ORDER_FIELDS, members, invalid);
  const custom = definition.custom && { custom: readCustom(definition, members['custom'], invalid) ?? null };
  return invalid.toResult({ ...fields, items, adjustments, ...custom });
}

/** The amounts of a new order. */
interface OrderPrices extends OrderTotals {
  readonly lines: readonly Omit<LineItem, 'id'>[];
}

function priceOrder({
  items,
  adjustments,
}: PlaceOrder): Result<OrderPrices, CurrencyMismatch | AmountOutOfRange | NegativeTotal> {
  const currency = items[0]?.unit_price.currency ?? '';
  const mismatch = findForeignCurrency(items, adjustments, currency);
  if (mismatch) return err(mismatch);
  return priceLines(items).andThen((lines) =>
    totalsOf(lines, adjustments, currency).map((totals) => ({ lines, ...totals })),
  );
}

function buildOrder(
  { clock, definition, ids }: OrderPorts,
  command: PlaceOrder,
  { lines, subtotal, total }: OrderPrices,
): AnyOrder {
  const { items: _, adjustments: added, ...fields } = command;
  const items = lines.map((line) => ({ id: ids.next(), ...line }));
  const now = currentTimestamp(clock);
  return {
    ...definition.unset,
    id: ids.next(),
    status: definition.initial,
    ...fields,
    items,
    adjustments: createAdjustments(added, (index) => items[index]?.id ?? null, ids, now),
    subtotal,
    total,
    created_at: now,
    updated_at: now,
  };
}
