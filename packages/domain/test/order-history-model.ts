import { canBecome, type Order, type OrderDefinition } from '@orders/domain';
import { expect } from 'vitest';
import { aBody, type DomainUnderTest, fails, OTHER_OWNER, OWNER, succeeds } from './a-domain.ts';

/** The domain that a model is compared with. */
export type Real = DomainUnderTest<OrderDefinition>;

/** Expected state of an order, derived from the specification alone. */
export interface Expected {
  readonly owner: string;
  readonly id: string;
  status: string;
  version: number;
  note: string | null;
  metadata: Readonly<Record<string, string>>;
  custom: Readonly<Record<string, string>> | null;
  updated_at: string;
  readonly created_at: string;
  /** When each status but the initial one was last entered. */
  readonly entered: Record<string, string>;
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
  readonly retry: (domain: Real) => Promise<unknown>;
  readonly result: object;
}

/** The model of a store. */
export interface Histories {
  readonly definition: OrderDefinition;
  readonly orders: Expected[];
  readonly accepted: Accepted[];
  /** Expected members of the event of each accepted command. */
  readonly events: object[];
}

/** Keys that never expire within a history, whatever the clock does. */
export const LONG_IDEMPOTENCY = { idempotencyTtlMs: 1000 * 365 * 24 * 60 * 60 * 1000 };

const now = ({ clock }: Real): string => clock.now().toISOString();

/** Returns the options of the next write: a new key, and an actor for every other write. */
function nextOptions({ accepted, events }: Histories): { readonly idempotencyKey: string; readonly actor?: string } {
  const idempotencyKey = `key-${accepted.length}-${events.length}`;
  return { idempotencyKey, ...(accepted.length % 2 === 0 && { actor: `client:${accepted.length}` }) };
}

/** Places an order in the domain and in the model. */
export async function place(model: Histories, domain: Real, owner: string): Promise<void> {
  const options = nextOptions(model);
  const placing = (on: Real) => succeeds(on.placeOrder(owner, aBody(), options));
  const { order } = await placing(domain);
  const at = now(domain);
  const { id } = order;
  model.orders.push({
    owner,
    id,
    status: model.definition.initial,
    version: 1,
    note: null,
    metadata: {},
    custom: null,
    created_at: at,
    updated_at: at,
    entered: {},
    deleted: false,
    versions: [versionOf({ type: 'order.placed', occurred_at: at }, options, order)],
  });
  model.events.push({ type: 'order.placed', owner, aggregate_id: id, version: 1, occurred_at: at });
  model.accepted.push({ retry: placing, result: { order, event: null, replayed: true } });
}

/** A merge patch of a random history. */
export interface Patch {
  readonly status?: string;
  readonly note?: string | null;
  readonly metadata?: Readonly<Record<string, string | null>>;
  /** Only if the definition has it. */
  readonly custom?: Readonly<Record<string, string | null>> | null;
}

/** Changes an order in the domain and in the model, and compares the results. */
export async function change(model: Histories, domain: Real, order: Expected, fields: Patch): Promise<void> {
  const { owner, id, status: before } = order;
  const { initial, custom: parser } = model.definition;
  const { custom: customPatch, ...others } = fields;
  const patch = parser && customPatch !== undefined ? fields : others;
  const options = nextOptions(model);
  const changing = (on: Real) => on.changeOrder(owner, id, patch, options);
  const error = expectedError(model.definition, order, patch.status);
  if (error !== null) return expect(await fails(changing(domain))).toMatchObject({ type: error });
  const written = await succeeds(changing(domain));
  const after = {
    status: before,
    note: order.note,
    ...patch,
    metadata: mergeMetadata(order.metadata, patch.metadata ?? {}),
    custom: patch === others ? order.custom : customPatch && mergeMetadata(order.custom ?? {}, customPatch),
  };
  const isChange =
    after.status !== before ||
    after.note !== order.note ||
    !haveEqualEntries(after.metadata, order.metadata) ||
    (after.custom === null) !== (order.custom === null) ||
    !haveEqualEntries(after.custom ?? {}, order.custom ?? {});
  if (isChange) {
    const at = order.updated_at < now(domain) ? now(domain) : order.updated_at;
    const isEntry = after.status !== before && after.status !== initial;
    if (isEntry) order.entered[`${after.status}_at`] = at;
    Object.assign(order, after, { version: order.version + 1, updated_at: at });
    const type = isEntry ? `order.${after.status}` : 'order.changed';
    model.events.push({ type, owner, aggregate_id: id, version: order.version, occurred_at: at });
    order.versions.push(versionOf({ type, occurred_at: at }, options, written.order));
  }
  expect(written.replayed).toBe(false);
  expect(written.event === null).toBe(!isChange);
  expectOrder(written.order, order, model.definition);
  model.accepted.push({
    retry: (on) => succeeds(changing(on)),
    result: { order: written.order, event: null, replayed: true },
  });
}

/** Deletes an order in the domain and in the model, and compares the results. */
export async function remove(model: Histories, domain: Real, order: Expected): Promise<void> {
  const { owner, id, version } = order;
  const options = nextOptions(model);
  const removing = (on: Real) => on.deleteOrder(owner, id, options);
  if (order.deleted) return expect(await fails(removing(domain))).toEqual({ type: 'order_not_found', id });
  await succeeds(removing(domain));
  Object.assign(order, { deleted: true });
  const occurred_at = order.updated_at < now(domain) ? now(domain) : order.updated_at;
  model.events.push({ type: 'order.deleted', owner, aggregate_id: id, version: version + 1, occurred_at });
  order.versions.push(versionOf({ type: 'order.deleted', occurred_at }, options, null));
  model.accepted.push({ retry: (on) => succeeds(removing(on)), result: { event: null, replayed: true } });
}

/** Retries an accepted write, and checks that it is replayed regardless of the clock and of later writes. */
export async function repeat({ accepted }: Histories, domain: Real, at: number): Promise<void> {
  const earlier = accepted[at % accepted.length];
  if (earlier) expect(await earlier.retry(domain)).toEqual(earlier.result);
}

/**
 * Checks that the domain has the orders of the model and their versions, visible to their owners alone, and one event per
 * command.
 */
export async function expectToAgree(model: Histories, domain: Real): Promise<void> {
  expect(domain.events()).toMatchObject(model.events);
  for (const order of model.orders) {
    const foreign = order.owner === OWNER ? OTHER_OWNER : OWNER;
    const missing = { type: 'order_not_found', id: order.id };
    expect(await fails(domain.getOrder(foreign, order.id))).toEqual(missing);
    if (order.deleted) expect(await fails(domain.getOrder(order.owner, order.id))).toEqual(missing);
    else expectOrder(await succeeds(domain.getOrder(order.owner, order.id)), order, model.definition);
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
async function expectVersions(domain: Real, { owner, id, versions }: Expected): Promise<void> {
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
  order: Order<OrderDefinition> | null,
): ExpectedVersion {
  return { ...event, actor, order: JSON.stringify(order) };
}

function expectOrder(order: Order<OrderDefinition>, expected: Expected, definition: OrderDefinition): void {
  const { id, status, version, note, metadata, custom, created_at, updated_at, entered } = expected;
  const times = { ...definition.noTimes, ...entered };
  expect(order).toMatchObject({ id, status, version, note, created_at, updated_at, ...times });
  expect(order.metadata).toEqual(metadata);
  expect(order.custom).toEqual(definition.custom ? custom : undefined);
}

function expectedError(
  definition: OrderDefinition,
  { status, deleted }: Expected,
  to: string | undefined,
): string | null {
  if (deleted) return 'order_not_found';
  if (to === undefined || canBecome(status, to, definition)) return null;
  if (to !== status) return 'invalid_status_transition';
  return to === definition.cancel ? 'order_already_cancelled' : null;
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
