import { ok, type Result, type ResultAsync } from 'neverthrow';
import { withoutErrors } from '../aggregates/write-aggregate.ts';
import { laterTimestamp, type Timestamp } from '../shared/clock.ts';
import type { Owner, ResourceId } from '../shared/ids.ts';
import { InvalidFields, type ValidationFailed } from '../shared/validation.ts';
import type { ChangeOptions } from '../shared/version.ts';
import { deriveDefinition } from './definition/derive-definition.ts';
import type { StatusOf } from './definition/order-definition.ts';
import type { ChangedOrder } from './order-kind.ts';
import { type DefaultDefinition, leadsTo, type OrderDefinition } from './order-lifecycle.ts';
import type { OrderPorts, OrderWritten } from './order-repository.ts';
import { type AnyOrder, REASON_LENGTH_MAX } from './order.ts';
import { OF_NEW_DETAILS, writeOrder, type WriteOrderError } from './write-order.ts';

/** The errors of correcting an order. */
export type CorrectOrderError = Exclude<WriteOrderError, { readonly type: 'refused' }>;

/** The input of a correction. */
export interface Correction<D extends OrderDefinition = DefaultDefinition> {
  /** Any status. That of the order changes nothing. */
  readonly status: StatusOf<D>;
  /** Why, kept with the version. Default: none. */
  readonly reason?: string | null | undefined;
}

/**
 * Gives an order a status that the lifecycle does not lead to, for those who operate a server: no guard and no required status
 * refuses it. `input` is a {@link Correction}.
 */
export function correctOrder(
  ports: OrderPorts,
  owner: Owner,
  id: string | ResourceId,
  input: unknown,
  options: ChangeOptions = {},
): ResultAsync<OrderWritten<OrderDefinition>, CorrectOrderError> {
  const { definition } = ports;
  const parsed = parseCorrection(input, definition);
  const decide = (before: AnyOrder, correction: Correction<OrderDefinition>, now: Timestamp) =>
    ok(applyCorrection(definition, before, correction, now));
  const written = writeOrder(ports, owner, id, 'correct_order', parsed, options, decide);
  return withoutErrors(written, ...OF_NEW_DETAILS, 'refused');
}

/**
 * Corrects the status of an order. A pure function: `order` stays unchanged. The status that it leaves was a mistake, and so
 * were those that do not lead to the new one: their times become `null`, and the others stay. So each time is still one from
 * which the lifecycle leads to what came later. A cancellation without its command has no reason.
 */
export function applyCorrection(
  definition: OrderDefinition,
  order: AnyOrder,
  { status, reason = null }: Correction<OrderDefinition>,
  now: Timestamp,
): ChangedOrder {
  if (status === order.status) return { order, event: null };
  const at = laterTimestamp(order.updated_at, now);
  const times = Object.entries(definition.entries).flatMap(([each, { time }]) => {
    if (time === null) return [];
    const isKept = each !== order.status && leadsTo(each, status, definition);
    return [[time, each === status ? at : isKept ? Reflect.get(order, time) : null] as const];
  });
  const entered: Readonly<Record<string, unknown>> = Object.fromEntries(times);
  const changes = { status, cancel_reason: null, ...entered, corrected_at: at };
  const changed = Object.entries(changes).filter(([name, value]) => Reflect.get(order, name) !== value);
  return {
    order: { ...order, ...changes, version: order.version + 1, updated_at: at },
    event: { type: 'order.corrected', changed: changed.map(([name]) => name) },
    reason,
  };
}

/**
 * Returns a definition that also has a status which it has lost, and from which nothing leads: that of a server which corrects
 * orders that are left in it.
 */
export function withLostStatus(definition: OrderDefinition, status: string): OrderDefinition {
  const { custom, ...others } = definition;
  const lifecycle = { ...definition.lifecycle, [status]: [] };
  return deriveDefinition({ ...others, ...(custom && { custom }), lifecycle });
}

function parseCorrection(
  input: unknown,
  { statuses }: OrderDefinition,
): Result<Correction<OrderDefinition>, ValidationFailed> {
  const invalid = new InvalidFields();
  const { status, reason } = invalid.readObject(input, ['status', 'reason']);
  return invalid.toResult({
    status: invalid.readOneOf(status, 'status', statuses) ?? '',
    reason: invalid.readOptionalText(reason, 'reason', REASON_LENGTH_MAX) ?? null,
  });
}
