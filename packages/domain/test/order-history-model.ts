import { canBecome, type Order, type OrderStatus } from '@orders/domain';
import { expect } from 'vitest';
import { aBody, type DomainUnderTest, fails, OTHER_OWNER, OWNER, succeeds } from './a-domain.ts';

/** Expected state of an order, derived from the specification alone. */
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
  /** The versions, oldest first, with the JSON text of each order as its write returned it. */
  readonly versions: ExpectedVersion[];
}

interface ExpectedVersion {
  readonly type: string;
  readonly occurred_at: string;
  readonly actor: string | null;
  readonly order: string;
}

/** An accepted write with an idempotency key: how to retry it, and the expected replay. */
interface Accepted {
  readonly retry: (domain: DomainUnderTest) => Promise<unknown>;
  readonly result: object;
}

/** The model of a store. */
export interface Histories {
  readonly orders: Expected[];
  readonly accepted: Accepted[];
  /** Expected members of the event of each accepted command. */
  readonly events: object[];
}

/** Keys that never expire within a history, whatever the clock does. */
export const LONG_IDEMPOTENCY = { idempotencyTtlMs: 1000 * 365 * 24 * 60 * 60 * 1000 };

const now = ({ clock }: DomainUnderTest): string => clock.now().toISOString();

/** Returns the options of the next write: a new key, and an actor for every other write. */
function nextOptions({ accepted, events }: Histories): { readonly idempotencyKey: string; readonly actor?: string } {
  const idempotencyKey = `key-${accepted.length}-${events.length}`;
  return { idempotencyKey, ...(accepted.length % 2 === 0 && { actor: `client:${accepted.length}` }) };
}

/** Places an order in the domain and in the model. */
export async function place(model: Histories, domain: DomainUnderTest, owner: string): Promise<void> {
  const options = nextOptions(model);
  const placing = (on: DomainUnderTest) => succeeds(on.placeOrder(owner, aBody(), options));
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
    versions: [versionOf({ type: 'order.placed', occurred_at: at }, options, order)],
  });
  model.events.push({ type: 'order.placed', owner, aggregate_id: id, version: 1, occurred_at: at });
  model.accepted.push({ retry: placing, result: { order, event: null, replayed: true } });
}

/** A merge patch of a random history. */
export interface Patch {
  readonly status?: OrderStatus;
  readonly note?: string | null;
  readonly metadata?: Readonly<Record<string, string | null>>;
}

/** Changes an order in the domain and in the model, and compares the results. */
export async function change(model: Histories, domain: DomainUnderTest, order: Expected, patch: Patch): Promise<void> {
  const { owner, id, status: before } = order;
  const options = nextOptions(model);
  const changing = (on: DomainUnderTest) => on.changeOrder(owner, id, patch, options);
  const error = expectedError(order, patch.status);
  if (error !== null) return expect(await fails(changing(domain))).toMatchObject({ type: error });
  const written = await succeeds(changing(domain));
  const after = {
    status: before,
    note: order.note,
    ...patch,
    metadata: mergeMetadata(order.metadata, patch.metadata ?? {}),
  };
  const isChange =
    after.status !== before || after.note !== order.note || !haveEqualEntries(after.metadata, order.metadata);
  if (isChange) {
    const at = order.updated_at < now(domain) ? now(domain) : order.updated_at;
    if (after.status !== before) order.entered[after.status] = at;
    Object.assign(order, after, { version: order.version + 1, updated_at: at });
    const type = after.status === before ? 'order.changed' : `order.${after.status}`;
    model.events.push({ type, owner, aggregate_id: id, version: order.version, occurred_at: at });
    order.versions.push(versionOf({ type, occurred_at: at }, options, written.order));
  }
  expect(written.replayed).toBe(false);
  expect(written.event === null).toBe(!isChange);
  expectOrder(written.order, order);
  model.accepted.push({
    retry: (on) => succeeds(changing(on)),
    result: { order: written.order, event: null, replayed: true },
  });
}

/** Deletes an order in the domain and in the model, and compares the results. */
export async function remove(model: Histories, domain: DomainUnderTest, order: Expected): Promise<void> {
  const { owner, id, version } = order;
  const options = nextOptions(model);
  const removing = (on: DomainUnderTest) => on.deleteOrder(owner, id, options);
  if (order.deleted) return expect(await fails(removing(domain))).toEqual({ type: 'order_not_found', id });
  await succeeds(removing(domain));
  Object.assign(order, { deleted: true });
  const occurred_at = order.updated_at < now(domain) ? now(domain) : order.updated_at;
  model.events.push({ type: 'order.deleted', owner, aggregate_id: id, version: version + 1, occurred_at });
  order.versions.push(versionOf({ type: 'order.deleted', occurred_at }, options, null));
  model.accepted.push({ retry: (on) => succeeds(removing(on)), result: { event: null, replayed: true } });
}

/** Retries an accepted write, and checks that it is replayed regardless of the clock and of later writes. */
export async function repeat({ accepted }: Histories, domain: DomainUnderTest, at: number): Promise<void> {
  const earlier = accepted[at % accepted.length];
  if (earlier) expect(await earlier.retry(domain)).toEqual(earlier.result);
}

/**
 * Checks that the domain has the orders of the model and their versions, visible to their owners alone, and one event per
 * command.
 */
export async function expectToAgree(model: Histories, domain: DomainUnderTest): Promise<void> {
  expect(domain.events()).toMatchObject(model.events);
  for (const order of model.orders) {
    const foreign = order.owner === OWNER ? OTHER_OWNER : OWNER;
    const missing = { type: 'order_not_found', id: order.id };
    expect(await fails(domain.getOrder(foreign, order.id))).toEqual(missing);
    if (order.deleted) expect(await fails(domain.getOrder(order.owner, order.id))).toEqual(missing);
    else expectOrder(await succeeds(domain.getOrder(order.owner, order.id)), order);
    expect(await fails(domain.listOrderVersions(foreign, order.id))).toEqual(missing);
    await expectVersions(domain, order);
  }
  for (const owner of [OWNER, OTHER_OWNER]) {
    const listed = (await succeeds(domain.listOrders(owner, { limit: 100 }))).data.map(({ id }) => id);
    const own = model.orders.filter((order) => order.owner === owner && !order.deleted).map(({ id }) => id);
    expect(listed.toSorted()).toEqual(own.toSorted());
  }
}

/** Checks all versions of an order, and which one was current at the time of each. */
async function expectVersions(domain: DomainUnderTest, { owner, id, versions }: Expected): Promise<void> {
  const expected = versions.map((version, index) => ({ ...version, version: index + 1 }));
  const { data } = await succeeds(domain.listOrderVersions(owner, id, { limit: 100 }));
  const withText = data.map((version) => ({ ...version, order: JSON.stringify(version.order) }));
  expect(withText.toReversed()).toMatchObject(expected);
  for (const { occurred_at: at } of expected) {
    const current = expected.findLast(({ occurred_at }) => occurred_at <= at);
    const [found] = (await succeeds(domain.listOrderVersions(owner, id, { at }))).data;
    expect(found?.version).toBe(current?.version);
  }
}

function versionOf(
  event: Pick<ExpectedVersion, 'type' | 'occurred_at'>,
  { actor = null }: { readonly actor?: string | null },
  order: Order | null,
): ExpectedVersion {
  return { ...event, actor, order: JSON.stringify(order) };
}

function expectOrder(order: Order, { id, status, version, note, metadata, updated_at, entered }: Expected): void {
  const at = (one: OrderStatus) => entered[one] ?? null;
  const entries = { paid_at: at('paid'), shipped_at: at('shipped'), delivered_at: at('delivered') };
  const expected = { id, status, version, note, updated_at, cancelled_at: at('cancelled'), ...entries };
  expect(order).toMatchObject({ ...expected, created_at: at('pending') });
  expect(order.metadata).toEqual(metadata);
}

function expectedError({ status, deleted }: Expected, to: OrderStatus | undefined): string | null {
  if (deleted) return 'order_not_found';
  if (to === undefined || canBecome(status, to)) return null;
  if (to === 'cancelled') return 'order_already_cancelled';
  return to === status ? null : 'invalid_status_transition';
}

function mergeMetadata(
  metadata: Readonly<Record<string, string>>,
  patch: Readonly<Record<string, string | null>>,
): Readonly<Record<string, string>> {
  const stored = Object.entries(metadata).filter(([key]) => !Object.hasOwn(patch, key));
  const set = Object.entries(patch).filter((entry): entry is [string, string] => entry[1] !== null);
  return Object.fromEntries([...stored, ...set]);
}

function haveEqualEntries(left: Readonly<Record<string, string>>, right: Readonly<Record<string, string>>): boolean {
  const texts = (entries: object) => Object.entries(entries).map((entry) => JSON.stringify(entry));
  return texts(left).toSorted().join() === texts(right).toSorted().join();
}
