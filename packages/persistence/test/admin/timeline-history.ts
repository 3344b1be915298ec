import {
  type AnyOrder,
  createDomain,
  defineOrders,
  type DomainEvent,
  type ErasureWalk,
  type OrderDefinition,
  type Position,
  type UntypedDomain,
  untyped,
  withoutPersonalData,
} from '@orders/domain';
import {
  type FieldChange,
  type OrderTimeline,
  readTimeline,
  type TimelineChange,
  type TimelineEntry,
} from '@orders/domain/operators';
import { systemClock, uuidv7Ids } from '@orders/domain/runtime';
import {
  openDatabase,
  type OrderComments,
  postgresOrderComments,
  postgresStore,
  postgresTimelines,
  purge,
} from '@orders/persistence';
import { ok, type Result } from 'neverthrow';
import { expect } from 'vitest';
import { newNumbering } from '../../src/events/numbering.ts';
import { endpointId, insertEndpoint } from '../fixtures/delivery-rows.ts';
import { execute } from '../fixtures/execute.ts';
import { untilFinished } from '../fixtures/sessions.ts';
import { randomNumbers } from '../statistics/random-history.ts';

const DEFINITION: OrderDefinition = defineOrders({
  lifecycle: { open: ['packed', 'void'], packed: ['done', 'void'], done: [], void: [] },
  initial: 'open',
  cancel: 'void',
  custom: { parse: (input: unknown) => ok(input), schema: {} },
});

/** A version as its write returned it, and what has become of it since. */
interface Version {
  readonly version: number;
  readonly type: string;
  readonly actor: string | null;
  order: AnyOrder | null;
  external_user_id: string | null;
  isComparable: boolean;
  /** The endpoints that its event was sent to; `null` once it has left the feed. */
  sentTo: readonly string[] | null;
}

/** The versions of each order, by its id. */
type Model = Map<string, Version[]> & { readonly comments: Map<string, Comment[]> };

/** A comment, whose text an erasure empties. */
interface Comment {
  readonly id: string;
  text: string | null;
}

/** Random draws. */
function drawsOf(seed: number) {
  const next = randomNumbers(seed);
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    below,
    chance: (share: number) => next() < share,
    pick: <T>(values: readonly [T, ...T[]]): T => values[below(values.length)] ?? values[0],
    pickAny: <T>(values: readonly T[]): T | undefined => values[below(values.length)],
  };
}

type Draws = ReturnType<typeof drawsOf>;

const EMAILS = ['ada@example.com', 'bob@example.com', 'cyd@example.com'] as const;

/** Returns a value for each field that clients set. */
function someFields({ below, pick, chance }: Draws) {
  return {
    note: chance(0.3) ? null : `note ${below(5)}`,
    buyer: chance(0.3) ? null : { email: pick(EMAILS), name: chance(0.5) ? null : `name ${below(3)}` },
    metadata: chance(0.3) ? null : { [pick(['channel', 'constructor', 'a.b'])]: `${below(3)}` },
    external_ids: { shop: chance(0.3) ? null : [`${below(5)}`], erp: chance(0.7) ? null : ['1', '2'] },
    custom: pick([null, 5, [1], { color: 'red' }, { color: 'blue', size: below(3) }]),
  };
}

/** A write of an order; `null` for the event of one that changed nothing. */
interface WrittenOrder {
  readonly order: AnyOrder & { readonly available_transitions: readonly string[] };
  readonly event: DomainEvent<string> | null;
}

/** Executes a random write on a random order, and adds its version to the model. */
async function command(domain: UntypedDomain, owner: string, model: Model, draws: Draws): Promise<void> {
  const { below, pick, pickAny, chance } = draws;
  const money = (limit: number) => ({ amount: below(limit), currency: 'EUR' });
  const items = [{ sku: 'a', name: 'A', quantity: 1 + below(4), unit_price: money(1000) }];
  const author = { actor: `api_key:${below(3)}`, externalUserId: chance(0.5) ? `u${below(3)}` : undefined };
  const living = [...model].filter(([, versions]) => versions.at(-1)?.type !== 'order.deleted').map(([id]) => id);
  const id = pickAny(living);
  const write = async (): Promise<Result<WrittenOrder, unknown>> => {
    if (id === undefined || chance(0.1)) return await domain.placeOrder(owner, { items, ...someFields(draws) }, author);
    const known = model.get(id)?.at(-1)?.order;
    const [item, fulfillment] = [pickAny(known?.items ?? []), pickAny(known?.fulfillments ?? [])];
    const some = item && [{ item_id: item.id, quantity: 1 }];
    switch (below(10)) {
      case 0:
        return await domain.changeOrder(owner, id, { status: pick(['packed', 'done', 'void']) }, author);
      case 1:
        return await domain.addItems(owner, id, { items }, author);
      case 2: {
        const adjustment = {
          name: 'x',
          ...pick([
            { type: 'fee', amount: money(9) },
            { type: 'shipping', amount: money(9) },
          ] as const),
        };
        return await domain.adjustOrder(owner, id, { adjustments: [adjustment] }, author);
      }
      case 3:
        return await domain.fulfillItems(owner, id, { items: some, tracking: { number: `${below(99)}` } }, author);
      case 4:
        return await domain.cancelOrder(
          owner,
          id,
          { ...(some && chance(0.9) && { items: some }), reason: 'gone' },
          author,
        );
      case 5:
        return await domain.returnItems(owner, id, { items: some, reason: 'torn' }, author);
      case 6:
        return await domain.cancelFulfillment(owner, id, fulfillment?.id ?? id, author);
      case 7:
        return await domain.correctOrder(
          owner,
          id,
          { status: pickAny(DEFINITION.statuses) ?? '', reason: 'a scan' },
          author,
        );
      default: {
        const [field, value] = pickAny(Object.entries(someFields(draws))) ?? ['note', null];
        return await domain.changeOrder(owner, id, { [field]: value }, author);
      }
    }
  };
  if (id !== undefined && chance(0.02)) {
    const { event } = (await domain.deleteOrder(owner, id))._unsafeUnwrap();
    if (event) model.get(id)?.push(versionOf(event, null));
    return;
  }
  const written = await write();
  if (written.isErr() || written.value.event === null) return;
  const { order, event } = written.value;
  const { available_transitions: _, ...stored } = order;
  model.set(order.id, [...(model.get(order.id) ?? []), versionOf(event, stored)]);
}

function versionOf(
  event: Pick<Version, 'version' | 'type' | 'actor' | 'external_user_id'>,
  order: AnyOrder | null,
): Version {
  const { version, type, actor, external_user_id } = event;
  return { version, type, actor, external_user_id, order, isComparable: true, sentTo: [] };
}

/** Erases a person, and what is personal of all versions of its orders. */
async function erase(domain: UntypedDomain, owner: string, model: Model, email: string): Promise<void> {
  (await domain.erasePerson(owner, { email }))._unsafeUnwrap();
  for (let walk: ErasureWalk | null = null; ;) {
    walk = (await domain.continueErasures(owner, walk))._unsafeUnwrap().next;
    if (walk === null) break;
  }
  for (const [id, versions] of model) {
    if (!versions.some(({ order }) => order?.buyer?.email === email)) continue;
    for (const comment of model.comments.get(id) ?? []) comment.text = null;
    for (const version of versions) {
      version.order &&= withoutPersonalData(version.order);
      version.external_user_id = null;
    }
    const [newest] = (await domain.listOrderVersions(owner, id, { limit: 1 }))._unsafeUnwrap().data;
    if (!newest?.order || newest.version === versions.at(-1)?.version) continue;
    const { available_transitions: _, ...order } = newest.order;
    versions.push({ ...versionOf({ ...newest, type: newest.type ?? '' }, order), external_user_id: null });
  }
}

/** Lets all events leave the feed, and then the history that is no longer current. */
async function purgeAll(
  url: string,
  owner: string,
  model: Model,
  database: Parameters<typeof purge>[0],
): Promise<void> {
  await newNumbering(database).run(owner);
  await execute(url, `update changes set occurred_at = occurred_at - interval '1 day' where owner_id = '${owner}'`);
  const before = new Date(Date.now() - 3_600_000).toISOString();
  await purge(database)({ now: new Date().toISOString(), eventsBefore: before, historyBefore: before });
  for (const [id, versions] of model) {
    const newest = versions.at(-1);
    if (!newest || newest.type === 'order.deleted') model.delete(id);
    else model.set(id, [Object.assign(newest, { isComparable: newest.version === 1, sentTo: null })]);
  }
}

/** Returns some orders. */
function someOf(model: Model, { pickAny }: Draws): Map<string, Version[]> {
  const all = [...model];
  return new Map(Array.from({ length: Math.min(20, all.length) }, () => pickAny(all) ?? ['', []]));
}

/** Comments some orders. */
async function comment(owner: string, model: Model, draws: Draws, comments: OrderComments): Promise<void> {
  for (const [order_id, versions] of someOf(model, draws)) {
    if (versions.at(-1)?.type === 'order.deleted') continue;
    const text = `comment ${draws.below(9)}`;
    const by = { actor: 'command:ada', reason: null };
    const written = (await comments.add(owner, { order_id, text }, by))._unsafeUnwrap().comment;
    model.comments.set(order_id, [...(model.comments.get(order_id) ?? []), { id: written.id, text }]);
  }
}

/** Sends the events of some versions to endpoints. */
async function deliver(url: string, owner: string, model: Model, draws: Draws): Promise<void> {
  const { chance, pick } = draws;
  for (const [id, versions] of someOf(model, draws))
    for (const version of versions) {
      const endpoint = endpointId(pick([1, 2, 3]));
      if (version.sentTo === null || version.sentTo.includes(endpoint) || chance(0.5)) continue;
      version.sentTo = [...version.sentTo, endpoint].toSorted();
      await execute(
        url,
        `insert into webhook_deliveries
         select owner_id, '${endpoint}', coalesce((select max(position) from webhook_deliveries), 0) + 1, event_id, type, aggregate,
           aggregate_id, version, 'delivered', 1, false, false, null, null, 1, null, 204, null, 9
         from changes where owner_id = '${owner}' and aggregate_id = '${id}' and version = ${version.version}`,
      );
    }
}

/** Returns the fields of an order by field and key, without those that are not set. */
function fieldsOf(order: AnyOrder): ReadonlyMap<string, unknown> {
  const others = [
    'id',
    'version',
    'created_at',
    'updated_at',
    'items',
    'adjustments',
    'fulfillments',
    'subtotal',
    'total',
  ];
  const fields = new Map<string, unknown>();
  for (const [field, value] of Object.entries(order)) if (!others.includes(field)) setField(fields, field, value);
  return fields;
}

function setField(fields: Map<string, unknown>, field: string, value: unknown): void {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  for (const [key, member] of isObject ? Object.entries(value) : [[null, value] as const])
    if (member !== null) fields.set(JSON.stringify([field, key]), member);
}

/** Applies a change, whose value before is that of the fields. */
function apply(fields: Map<string, unknown>, { field, key, before, after }: FieldChange): void {
  if (key === null) {
    const former = [...fields.keys()].filter((name) => name.startsWith(`["${field}",`));
    const expected = new Map<string, unknown>();
    setField(expected, field, before);
    expect(new Map(former.map((name) => [name, fields.get(name)]))).toEqual(expected);
    for (const name of former) fields.delete(name);
    return setField(fields, field, after);
  }
  const name = JSON.stringify([field, key]);
  expect(fields.get(name) ?? null).toEqual(before);
  if (after === null) fields.delete(name);
  else fields.set(name, after);
}

/** Expects that the entries lead from each version of the model to the next, and have what else it knows. */
function expectHistory(entries: readonly TimelineChange[], versions: readonly Version[]): void {
  expect(
    entries.map(({ version, type, actor, external_user_id, deliveries, changes }) => {
      const sentTo = deliveries && deliveries.map(({ endpoint_id }) => endpoint_id);
      return { version, type, actor, external_user_id, order: undefined, sentTo, isComparable: changes !== null };
    }),
  ).toEqual(versions.map((version) => ({ ...version, order: undefined })));
  let before: AnyOrder | null = null;
  for (const [index, { changes, items, money, fulfillments }] of entries.entries()) {
    const order = versions[index]?.order ?? null;
    if (changes === null || order === null) {
      before = order;
      continue;
    }
    const fields = new Map(before ? fieldsOf(before) : []);
    for (const change of changes) apply(fields, change);
    expect(fields).toEqual(fieldsOf(order));
    const old: AnyOrder | null = before;
    const quantities = new Map(items.map((item) => [item.item_id, item]));
    for (const item of order.items) {
      const known = old?.items.find(({ id }) => id === item.id);
      const { ordered = 0, fulfilled = 0, cancelled = 0, returned = 0 } = quantities.get(item.id) ?? {};
      expect(
        [
          known?.quantity ?? 0,
          known?.fulfilled_quantity ?? 0,
          known?.cancelled_quantity ?? 0,
          known?.returned_quantity ?? 0,
        ].map((quantity, place) => quantity + ([ordered, fulfilled, cancelled, returned][place] ?? 0)),
      ).toEqual([item.quantity, item.fulfilled_quantity, item.cancelled_quantity, item.returned_quantity]);
    }
    if (money) expect(money.before).toEqual(old?.total ?? null);
    expect(money ? money.after : old?.total).toEqual(order.total);
    expect([...(old?.adjustments ?? []), ...(money?.adjustments ?? [])]).toEqual(order.adjustments);
    const made = new Map([...(old?.fulfillments ?? []), ...fulfillments].map((each) => [each.id, each]));
    expect([...made.values()]).toEqual(order.fulfillments);
    before = order;
  }
}

/**
 * Executes random commands, erasures and purges, and expects each time that the timeline of each order leads from version to
 * version. Returns how many entries there are.
 */
export async function checkTimelines(url: string, owner: string, commands: number, seed: number): Promise<number> {
  const draws = drawsOf(seed);
  const database = untilFinished(openDatabase({ url, definition: DEFINITION }));
  const domain = untyped(
    createDomain({ ...postgresStore(database), clock: systemClock, ids: uuidv7Ids() }, DEFINITION),
  );
  for (const endpoint of [1, 2]) await insertEndpoint(url, owner, endpointId(endpoint));
  const model: Model = Object.assign(new Map<string, Version[]>(), { comments: new Map<string, Comment[]>() });
  const timelines = postgresTimelines(database);
  const compare = async () => {
    let count = 0;
    for (const [id, versions] of model) {
      const entries: TimelineEntry[] = [];
      for (let after: Position<string> | undefined; ;) {
        const limit = 1 + draws.below(100);
        const page: OrderTimeline = (await readTimeline(timelines, owner, id, { limit, after }))._unsafeUnwrap();
        entries.push(...page.data);
        if (page.next === null) break;
        after = page.next;
      }
      expectHistory(
        entries.filter((entry) => entry.kind === 'change'),
        versions,
      );
      const comments = entries.flatMap((entry) => (entry.kind === 'comment' ? { id: entry.id, text: entry.text } : []));
      expect(comments).toEqual(model.comments.get(id) ?? []);
      expect(entries.map(({ at }) => at)).toEqual(entries.map(({ at }) => at).toSorted());
      count += entries.length;
    }
    return count;
  };
  let compared = 0;
  for (let left = commands; left > 0; left -= 1) {
    await command(domain, owner, model, draws);
    if (left % 50 === 0) await comment(owner, model, draws, postgresOrderComments(database));
    if (left % 100 === 0) await deliver(url, owner, model, draws);
    if (left % 150 === 0) await erase(domain, owner, model, draws.pick(EMAILS));
    if (left % Math.ceil(commands / 5) === 0) compared += await compare();
    if (left % 500 === 0) await purgeAll(url, owner, model, database);
  }
  return compared + (await compare());
}
