import { canBecome, type Order, type OrderStatus } from '@orders/domain';
import { expect } from 'vitest';
import { aBody, type DomainUnderTest, OWNER, refuses, STRANGER, succeeds } from './a-domain.ts';

/** What the model knows of an order: what may be said without looking at the code. */
export interface Expected {
  readonly owner: string;
  readonly id: string;
  status: OrderStatus;
  version: number;
  note: string | null;
  metadata: Readonly<Record<string, string>>;
  updated_at: string;
  /** When each status was entered. */
  readonly entered: Partial<Record<OrderStatus, string>>;
  deleted: boolean;
}

/** A write that was accepted under a key: how to ask for it again, and what it answered. */
interface Accepted {
  readonly again: (domain: DomainUnderTest) => Promise<unknown>;
  readonly answer: object;
}

/** The model of a whole store. */
export interface Histories {
  readonly orders: Expected[];
  readonly accepted: Accepted[];
  /** One line for each accepted command: what the event must say. */
  readonly events: object[];
}

export const KEYED_FOR_EVER = { idempotencyTtlMs: 1000 * 365 * 24 * 60 * 60 * 1000 };

const now = ({ clock }: DomainUnderTest): string => clock.now().toISOString();
const keyAt = ({ accepted, events }: Histories): string => `key-${accepted.length}-${events.length}`;

export async function place(model: Histories, domain: DomainUnderTest, owner: string): Promise<void> {
  const key = { idempotencyKey: keyAt(model) };
  const placing = (on: DomainUnderTest) => succeeds(on.placeOrder(owner, aBody(), key));
  const { order } = await placing(domain);
  const at = now(domain);
  const { id } = order;
  model.orders.push({
    owner,
    id,
    status: 'pending',
    version: 1,
    note: null,
    metadata: {},
    updated_at: at,
    entered: { pending: at },
    deleted: false,
  });
  model.events.push({ type: 'order.placed', owner, aggregate_id: id, version: 1, occurred_at: at });
  model.accepted.push({ again: placing, answer: { order, event: null, replayed: true } });
}

/** A merge patch as the histories make it. */
export interface Patch {
  readonly status?: OrderStatus;
  readonly note?: string | null;
  readonly metadata?: Readonly<Record<string, string | null>>;
}

export async function change(model: Histories, domain: DomainUnderTest, order: Expected, patch: Patch): Promise<void> {
  const { owner, id, status: before } = order;
  const key = { idempotencyKey: keyAt(model) };
  const changing = (on: DomainUnderTest) => on.changeOrder(owner, id, patch, key);
  const refusal = refusalOf(order, patch.status);
  if (refusal !== null) return expect(await refuses(changing(domain))).toMatchObject({ type: refusal });
  const answer = await succeeds(changing(domain));
  const after = { status: before, note: order.note, ...patch, metadata: merged(order.metadata, patch.metadata ?? {}) };
  const isChange = after.status !== before || after.note !== order.note || !sameEntries(after.metadata, order.metadata);
  if (isChange) {
    const at = order.updated_at < now(domain) ? now(domain) : order.updated_at;
    if (after.status !== before) order.entered[after.status] = at;
    Object.assign(order, after, { version: order.version + 1, updated_at: at });
    const type = after.status === before ? 'order.changed' : `order.${after.status}`;
    model.events.push({ type, owner, aggregate_id: id, version: order.version, occurred_at: at });
  }
  expect(answer.replayed).toBe(false);
  expect(answer.event === null).toBe(!isChange);
  expectOrder(answer.order, order);
  model.accepted.push({
    again: (on) => succeeds(changing(on)),
    answer: { order: answer.order, event: null, replayed: true },
  });
}

export async function remove(model: Histories, domain: DomainUnderTest, order: Expected): Promise<void> {
  const { owner, id, version } = order;
  const key = { idempotencyKey: keyAt(model) };
  const removing = (on: DomainUnderTest) => on.deleteOrder(owner, id, key);
  if (order.deleted) return expect(await refuses(removing(domain))).toEqual({ type: 'order_not_found', id });
  await succeeds(removing(domain));
  Object.assign(order, { deleted: true });
  const occurred_at = order.updated_at < now(domain) ? now(domain) : order.updated_at;
  model.events.push({ type: 'order.deleted', owner, aggregate_id: id, version, occurred_at });
  model.accepted.push({ again: (on) => succeeds(removing(on)), answer: { event: null, replayed: true } });
}

/** Asks again for what was accepted once; the clock and all that happened since make no difference. */
export async function repeat({ accepted }: Histories, domain: DomainUnderTest, at: number): Promise<void> {
  const earlier = accepted[at % accepted.length];
  if (earlier) expect(await earlier.again(domain)).toEqual(earlier.answer);
}

/** What must hold after every step: each order as the model has it, to its owner alone, and one event per command. */
export async function expectToAgree(model: Histories, domain: DomainUnderTest): Promise<void> {
  expect(domain.events()).toMatchObject(model.events);
  for (const order of model.orders) {
    const foreign = order.owner === OWNER ? STRANGER : OWNER;
    const missing = { type: 'order_not_found', id: order.id };
    expect(await refuses(domain.getOrder(foreign, order.id))).toEqual(missing);
    if (order.deleted) expect(await refuses(domain.getOrder(order.owner, order.id))).toEqual(missing);
    else expectOrder(await succeeds(domain.getOrder(order.owner, order.id)), order);
  }
  for (const owner of [OWNER, STRANGER]) {
    const listed = (await succeeds(domain.listOrders(owner, { limit: 100 }))).data.map(({ id }) => id);
    const own = model.orders.filter((order) => order.owner === owner && !order.deleted).map(({ id }) => id);
    expect(listed.toSorted()).toEqual(own.toSorted());
  }
}

function expectOrder(order: Order, { id, status, version, note, metadata, updated_at, entered }: Expected): void {
  const at = (one: OrderStatus) => entered[one] ?? null;
  const entries = { paid_at: at('paid'), shipped_at: at('shipped'), delivered_at: at('delivered') };
  const expected = { id, status, version, note, updated_at, cancelled_at: at('cancelled'), ...entries };
  expect(order).toMatchObject({ ...expected, created_at: at('pending') });
  expect(order.metadata).toEqual(metadata);
}

function refusalOf({ status, deleted }: Expected, to: OrderStatus | undefined): string | null {
  if (deleted) return 'order_not_found';
  if (to === undefined || canBecome(status, to)) return null;
  if (to === 'cancelled') return 'order_already_cancelled';
  return to === status ? null : 'invalid_status_transition';
}

function merged(
  metadata: Readonly<Record<string, string>>,
  patch: Readonly<Record<string, string | null>>,
): Readonly<Record<string, string>> {
  const kept = Object.entries(metadata).filter(([key]) => !Object.hasOwn(patch, key));
  const set = Object.entries(patch).filter((entry): entry is [string, string] => entry[1] !== null);
  return Object.fromEntries([...kept, ...set]);
}

function sameEntries(left: Readonly<Record<string, string>>, right: Readonly<Record<string, string>>): boolean {
  const texts = (entries: object) => Object.entries(entries).map((entry) => JSON.stringify(entry));
  return texts(left).toSorted().join() === texts(right).toSorted().join();
}
