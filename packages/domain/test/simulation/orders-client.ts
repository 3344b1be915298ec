import { type Clock, createDomain, type OrderDefinition, untyped, type UntypedDomain } from '@orders/domain';
import { type EventFeed, type FeedPosition, readEvents } from '@orders/domain/events';
import { sequentialIds } from '@orders/domain/testing';
import type { OrdersStore } from '@orders/domain/webhooks';
import { type History, UNKNOWN_ID } from './history.ts';
import { type Command, type Fields, fieldsOf } from './orders-model.ts';

export const OWNERS = ['acme', 'globex'] as const;

/** What a client has. */
export interface Client {
  readonly name: string;
  readonly domain: UntypedDomain;
  readonly feed: EventFeed<OrderDefinition>;
  readonly clock: Clock;
  readonly random: () => number;
  readonly pause: (ms: number) => Promise<void>;
}

/** What clients share. It outlives them. */
export interface Office {
  readonly history: History;
  /** The last ids of each owner's orders and customers, which clients write and read. */
  readonly ids: Map<string, string[]>;
  /** The last commands with a key, which are sometimes sent again. */
  readonly sent: Command[];
  /** The last known status of each order. */
  readonly statuses: Map<string, string>;
  /** What each client has to send until it knows the outcome. */
  readonly due: Map<string, Command>;
}

/** Creates what clients share. */
export function openOffice(history: History): Office {
  return { history, ids: new Map(), sent: [], statuses: new Map(), due: new Map() };
}

/** Sends what a client had to send before it crashed, and has a key. */
export async function resume(client: Client, office: Office): Promise<void> {
  const due = office.due.get(client.name);
  if (due) await send(client, office, due);
}

/** Makes one operation: a command or a read, of few resources, so that clients collide. */
export async function operate(client: Client, office: Office, number: number): Promise<void> {
  const { domain, random } = client;
  const { history } = office;
  const pick = <T>(choices: readonly T[]): T | undefined => choices[Math.floor(random() * choices.length)];
  const owner = pick(OWNERS) ?? OWNERS[0];
  const kind = random() < 0.75 ? 'order' : 'customer';
  const ids = office.ids.get(`${owner} ${kind}`) ?? [];
  const id = pick(ids) ?? UNKNOWN_ID;
  const roll = random();
  // Others than the owner find nothing.
  if (roll < 0.2) return await history.get(domain, random() < 0.9 ? owner : (pick(OWNERS) ?? owner), kind, id);
  if (roll < 0.27) return await history.walk(domain, owner, kind, 1 + Math.floor(random() * 3), filterOf(kind));
  if (roll < 0.31)
    return await history.walkVersions(domain, owner, pick(idsOf('order')) ?? id, 1 + Math.floor(random() * 3));
  if (roll < 0.36) return await readFeed();
  const again = roll < 0.42 ? pick(office.sent) : undefined;
  if (again) return await send(client, office, again);
  return await send(client, office, draw());

  function idsOf(of: 'order' | 'customer'): readonly string[] {
    return office.ids.get(`${owner} ${of}`) ?? [];
  }

  function filterOf(of: 'order' | 'customer'): Fields {
    const filters = [{}, { status: [pick(domain.definition.statuses)] }, { reference: reference() }];
    return of === 'customer' ? {} : (pick([...filters, { customer_id: pick(idsOf('customer')) ?? UNKNOWN_ID }]) ?? {});
  }

  function reference(): string {
    return `R-${Math.floor(random() * 3)}`;
  }

  async function readFeed(): Promise<void> {
    const span = history.start();
    const start = pick(['oldest', 'latest']);
    const query = { start, limit: 1 + Math.floor(random() * 5), include: random() < 0.5 ? ['resource'] : [] };
    const read = await readEvents<OrderDefinition>(client.feed, owner, query);
    if (read.isOk()) history.addPage(span, { owner, after: null, types: null, page: read.value });
  }

  function draw(): Command {
    const chance = random();
    const isShared = random() < 0.15;
    const changing = kind === 'order' && !isShared && chance < 0.45 ? pick(['add', 'correct'] as const) : 'change';
    const action = chance < 0.25 ? 'create' : chance < 0.92 ? (changing ?? 'change') : 'delete';
    const key = isShared ? `shared-${Math.floor(random() * 3)}` : random() < 0.75 ? `${client.name}-${number}` : null;
    const input = inputOfAny(action, isShared);
    const ifVersion = action !== 'create' && random() < 0.15 ? 1 + Math.floor(random() * 3) : null;
    const actor = `${client.name}:${number}`;
    return { owner, kind, action, id: action === 'create' ? null : id, input, key, ifVersion, actor };
  }

  function inputOfAny(action: Command['action'], isShared: boolean): Fields {
    if (action === 'delete') return {};
    if (action === 'add') return { items: [item(number)] };
    if (action === 'correct') return { status: pick(domain.definition.statuses) };
    return isShared ? sharedInput(action) : inputOf(action);
  }

  /** Few inputs, so that several clients send the same with the same key. */
  function sharedInput(action: 'create' | 'change'): Fields {
    if (kind === 'customer') return action === 'create' ? { email: 'shared@example.com' } : { name: 'Shared' };
    return action === 'create' ? { items: [item(1)] } : { note: 'shared' };
  }

  function inputOf(action: 'create' | 'change'): Fields {
    const isSet = () => random() < 0.3;
    const metadata = { [pick(['a', 'b', '__proto__']) ?? '']: action === 'change' && isSet() ? null : `${number}` };
    if (kind === 'customer') {
      const email = pick(['Ann@example.com', 'ANN@example.com', 'bob@example.com', `${number}@example.com`]);
      return {
        ...((action === 'create' || isSet()) && { email }),
        ...(isSet() && { name: `Name ${number}` }),
        ...(isSet() && { metadata }),
      };
    }
    const { statuses, lifecycle, cancel, custom } = domain.definition;
    const address = () =>
      pick([
        { city: `City ${number % 2}`, line1: null, ...(action === 'create' && { country: 'DE' }) },
        { country: 'XK' },
        null,
      ]);
    // Most changes are allowed, as far as clients know.
    const next = lifecycle[office.statuses.get(id) ?? ''] ?? [];
    const status = pick(random() < 0.8 && next.length > 0 ? next : statuses);
    return {
      ...(action === 'create' && { items: [item(number), ...(isSet() ? [item(2)] : [])] }),
      ...(action === 'change' &&
        random() < 0.5 && { status, ...(status === cancel && isSet() && { cancel_reason: 'late' }) }),
      ...(isSet() && { customer_id: random() < 0.9 ? (pick(idsOf('customer')) ?? UNKNOWN_ID) : UNKNOWN_ID }),
      ...(isSet() && { reference: reference() }),
      // Half of the changes change nothing.
      ...(isSet() && {
        external_ids: pick([{ erp: [`${number % 2}`] }, { erp: null, ['__proto__']: ['1'] }, { erp: [] }, null]),
      }),
      ...(isSet() && {
        buyer: pick([{ name: `Name ${number % 2}`, email: null }, { name: null, email: 'a@b' }, null]),
      }),
      ...(isSet() && { shipping_address: address() }),
      ...(isSet() && { billing_address: address() }),
      ...(isSet() && { note: `note ${number % 2}` }),
      ...(isSet() && { metadata }),
      ...(custom && isSet() && { custom: { pick_up: `0${number % 10}:00`, allergens: isSet() ? ['nuts'] : [] } }),
    };
  }
}

function item(price: number): Fields {
  const metadata = price % 2 === 0 && { metadata: { ['__proto__']: `${price}` } };
  return { sku: 'RYE', name: 'Rye bread', quantity: 3, unit_price: { amount: price, currency: 'EUR' }, ...metadata };
}

/** Sends a command until its outcome is known, if it has a key. */
async function send(client: Client, office: Office, command: Command): Promise<void> {
  const { history, sent, due, ids, statuses } = office;
  const isSafe = command.key !== null;
  if (isSafe) due.set(client.name, command);
  const attempt = () => history.send(client.domain, client.clock, command);
  // Some clients do not wait for the first attempt.
  const second = isSafe && client.random() < 0.2 ? client.pause(client.random() * 40).then(attempt) : null;
  let outcome = await attempt();
  await second;
  while (isSafe && outcome.type === 'unknown' && client.random() < 0.9) {
    await client.pause(100);
    outcome = await attempt();
  }
  due.delete(client.name);
  if (isSafe && sent.push(command) > 5) sent.shift();
  if (outcome.type !== 'done') return;
  const { id = command.id, status } = fieldsOf(outcome.aggregate);
  if (typeof id !== 'string') return;
  if (typeof status === 'string') statuses.set(id, status);
  const name = `${command.owner} ${command.kind}`;
  const others = (ids.get(name) ?? []).filter((other) => other !== id);
  // Some ids of deleted ones stay, because others have read them.
  if (command.action !== 'delete' || client.random() < 0.3) ids.set(name, [...others, id].slice(-4));
  else ids.set(name, others);
}

/** Reads all that a store has. */
export async function audit(
  history: History,
  store: Pick<OrdersStore<OrderDefinition>, 'orders' | 'customers' | 'feed'>,
): Promise<void> {
  const { definition } = history;
  const clock = { now: () => new Date(0) };
  const domain = untyped(createDomain<OrderDefinition>({ ...store, clock, ids: sequentialIds() }, definition));
  for (const owner of OWNERS) {
    for (const kind of ['order', 'customer'] as const) await history.walk(domain, owner, kind, 100, {});
    const isOf = (it: { readonly owner: string; readonly kind: string }) => it.owner === owner && it.kind === 'order';
    const ids = new Set(history.sightings.filter(isOf).map(({ id }) => id));
    for (const id of ids) await history.walkVersions(domain, owner, id, 100);
    let after: FeedPosition | null = null;
    for (let isOver = false; !isOver;) {
      const span = history.start();
      const page = await store.feed.read(owner, {
        after,
        start: 'oldest',
        limit: 100,
        types: null,
        include: ['resource'],
      });
      if (page.isErr()) throw new Error('a store without faults is unavailable', { cause: page.error });
      history.addPage(span, { owner, after: after?.position ?? null, types: null, page: page.value });
      after = page.value.next;
      isOver = page.value.caught_up;
    }
  }
}
