import {
  type ChangeOptions,
  createDomain,
  type Customer,
  type DomainEvent,
  type Order,
  parseOrderQuery,
  type Ports,
  untyped,
  type WriteOptions,
  type WritePlan,
} from '@orders/domain';
import { fixedClock, type InMemoryStore, inMemoryStore, sequentialIds } from '@orders/domain/testing';
import type { WebhookEndpoint } from '@orders/domain/webhooks';
import type { ResultAsync } from 'neverthrow';
import { aBody, NOW, OWNER, succeeds } from '../fixtures/a-domain.ts';
import { aWebhooks } from '../fixtures/a-webhooks.ts';
import { interfere, type Interfered } from './interfered-store.ts';

/** The result of a write, in the form that all kinds have in common. A deletion has `null` for the first three. */
export interface Summary {
  readonly id: string | null;
  readonly version: number | null;
  /** The member that {@link Commands.change} sets. */
  readonly value: string | null;
  /** Type and version of the event. */
  readonly event: string | null;
  readonly replayed: boolean;
}

export type Outcome = ResultAsync<Summary, { readonly type: string }>;

/** The writes of one kind of aggregate. */
export interface Commands {
  /** Creates an aggregate whose value is `null`. */
  create(name: string, options?: WriteOptions): Outcome;
  change(id: string, value: string | null, options?: ChangeOptions): Outcome;
  remove(id: string, options?: ChangeOptions): Outcome;
}

/** The writes of one kind on a store that is interfered with. */
export interface Subject extends Commands, Omit<Interfered, 'store'> {
  /** The same writes on the same store, without interference. */
  readonly elsewhere: Commands;
  /** Id of an aggregate at version 1, whose value is `null`. */
  readonly id: string;
  /** Returns version and value of every aggregate that is stored, and every event but the first. */
  stored(): Promise<readonly string[]>;
}

/** Every plan that a store may have. */
export const PLANS: readonly WritePlan[] = [
  { lookUpFirst: false, lockFirst: false },
  { lookUpFirst: true, lockFirst: false },
  { lookUpFirst: false, lockFirst: true },
  { lookUpFirst: true, lockFirst: true },
];

/** The writes of every kind on ports. */
export const COMMANDS = { order: ordersOf, customer: customersOf, webhook_endpoint: endpointsOf };

/** A kind of aggregate. */
export type Kind = keyof typeof COMMANDS;

export const KINDS = ['order', 'customer', 'webhook_endpoint'] as const satisfies readonly Kind[];

/** Returns the writes of a kind on an in-memory store with one aggregate. */
export async function aSubject(kind: Kind, plan: WritePlan): Promise<Subject> {
  const clock = fixedClock(NOW);
  const ids = sequentialIds(0x5);
  const real = inMemoryStore({ clock });
  const { store, ...interfered } = interfere(real, plan);
  const elsewhere = COMMANDS[kind]({ ...real, clock, ids });
  const { id } = await succeeds(elsewhere.create('given'));
  if (id === null) throw new Error('a new aggregate has no id');
  interfered.takeCalls();
  const before = real.events().length;
  const stored = async () => {
    const query = parseOrderQuery({})._unsafeUnwrap();
    const orders = await succeeds(real.orders.list(OWNER, query));
    const customers = await succeeds(real.customers.list(OWNER, query));
    const endpoints = await succeeds(real.webhookEndpoints.list(OWNER, query));
    const aggregates = [...orders.data, ...customers.data, ...endpoints.data];
    const events = real.events().slice(before);
    return [...aggregates.map((found) => `${valueOf(found)} v${found.version}`).toSorted(), ...events.map(nameOf)];
  };
  return { ...COMMANDS[kind]({ ...store, clock, ids }), ...interfered, elsewhere, id, stored };
}

type AllPorts = InMemoryStore & Ports;

function ordersOf(ports: AllPorts): Commands {
  const domain = untyped(createDomain(ports));
  return {
    create: (reference, options) =>
      domain.placeOrder(OWNER, aBody({ reference }), options).map((done) => summarize(done.order, done)),
    change: (id, note, options) =>
      domain.changeOrder(OWNER, id, { note }, options).map((done) => summarize(done.order, done)),
    remove: (id, options) => domain.deleteOrder(OWNER, id, options).map((done) => summarize(null, done)),
  };
}

function customersOf(ports: AllPorts): Commands {
  const domain = untyped(createDomain(ports));
  return {
    create: (name, options) =>
      domain
        .createCustomer(OWNER, { email: `${name}@example.com` }, options)
        .map((done) => summarize(done.customer, done)),
    change: (id, name, options) =>
      domain.changeCustomer(OWNER, id, { name }, options).map((done) => summarize(done.customer, done)),
    remove: (id, options) => domain.deleteCustomer(OWNER, id, options).map((done) => summarize(null, done)),
  };
}

function endpointsOf({ webhookEndpoints: endpoints, feed, clock, ids }: AllPorts): Commands {
  const webhooks = aWebhooks({ endpoints, feed, clock, ids });
  return {
    create: (name, options) =>
      webhooks
        .createEndpoint(OWNER, { url: `https://receiver.example/${name}` }, options)
        .map((done) => summarize(done.endpoint, done)),
    change: (id, description, options) =>
      webhooks.changeEndpoint(OWNER, id, { description }, options).map((done) => summarize(done.endpoint, done)),
    remove: (id, options) => webhooks.deleteEndpoint(OWNER, id, options).map((done) => summarize(null, done)),
  };
}

type Aggregate = Order | Customer | WebhookEndpoint;

function summarize(
  aggregate: Aggregate | null,
  { event, replayed }: { readonly event: DomainEvent<string> | null; readonly replayed: boolean },
): Summary {
  const value = aggregate && valueOf(aggregate);
  return {
    id: aggregate?.id ?? null,
    version: aggregate?.version ?? null,
    value,
    event: event && nameOf(event),
    replayed,
  };
}

function valueOf(aggregate: Aggregate): string | null {
  if ('items' in aggregate) return aggregate.note;
  return 'email' in aggregate ? aggregate.name : aggregate.description;
}

function nameOf({ type, version }: DomainEvent<string>): string {
  return `${type} v${version}`;
}
