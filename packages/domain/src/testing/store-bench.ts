import type { Decision, Written } from '../aggregates/write-aggregate.ts';
import type { CustomerRepository } from '../customers/customer-repository.ts';
import type { Customer } from '../customers/customer.ts';
import type { OrderDefinition } from '../orders/definition/order-definition.ts';
import type { AdjustmentCommand } from '../orders/adjustment.ts';
import { applyOrderChange } from '../orders/apply-order-change.ts';
import { applyCorrection } from '../orders/correct-order.ts';
import type { ChangedOrder } from '../orders/order-kind.ts';
import { applyErasure } from '../orders/erase-order.ts';
import { applyOrderCommand, type OrderCommand } from '../orders/apply-order-command.ts';
import type { NewLineItem } from '../orders/line-item.ts';
import { type OrderQueryInput, parseOrderQuery } from '../orders/order-query.ts';
import type { OrderRepository } from '../orders/order-repository.ts';
import { type OrderVersionQueryInput, parseOrderVersionQuery } from '../orders/order-version.ts';
import { type Timestamp, toTimestamp } from '../shared/clock.ts';
import type { DomainEvent } from '../shared/domain-event.ts';
import type { Idempotency } from '../shared/idempotency.ts';
import type { Owner } from '../shared/ids.ts';
import type { Page } from '../shared/page.ts';
import type { WebhookEndpointRepository } from '../webhooks/webhook-endpoint-repository.ts';
import * as assert from './assertions.ts';
import { aCustomer, anEventOf, anEventOfCustomer, anEventOfEndpoint, aWebhookEndpoint } from './builders.ts';
import { anOwner, type AnyServer, type AnySubject, succeeds } from './contract-subject.ts';
import { KindBench, LATER, type WriteMembers } from './kind-bench.ts';
import type { AnyChange, AnyOrder, AnyOrderEvent, AnyVersion, OrderFixtures } from './order-fixtures.ts';
import { sequentialIds } from './sequential-ids.ts';

/** A time that no purge of the contracts reaches, the default of the builders. */
export const RECENT = '2026-01-02T03:04:05.678Z';

const ids = sequentialIds(0x5b);

/** Returns a time after the others, later for a higher number. */
export function minute(count: number): Timestamp {
  return toTimestamp(Date.UTC(2026, 0, 2, 4, count, 0, 120));
}

/** Returns so many further lines for a command. */
export function lines(count: number): readonly NewLineItem[] {
  const unit_price = { amount: 250, currency: 'EUR' };
  const metadata = { size: 'M' };
  return Array.from({ length: count }, (_, at) => ({ sku: `${at}`, name: 'Mug', quantity: 1, unit_price, metadata }));
}

/** Returns so many adjustments for a command, each with one cent of shipping. */
export function charges(count: number): readonly AdjustmentCommand<string>[] {
  const amount = { amount: 1, currency: 'EUR' };
  return Array.from({ length: count }, () => ({
    type: 'shipping',
    name: 'Parcel',
    amount,
    item: null,
    included: false,
  }));
}

/** An order, and the event that a write of it recorded. */
export interface OrderAndEvent {
  readonly order: AnyOrder;
  readonly event: AnyOrderEvent;
}

/** A store under test, with the orders, customers and webhook endpoints of one owner. */
export class StoreBench {
  readonly fixtures: OrderFixtures;
  readonly subject: AnySubject;
  /** The server that reads and writes, which is one of those of the subject. */
  readonly server: AnyServer;
  readonly owner: Owner;
  readonly orders;
  readonly customers;
  readonly endpoints;

  /** @param owner default: one that has nothing */
  constructor(fixtures: OrderFixtures, subject: AnySubject, owner: Owner = anOwner(), server: AnyServer = subject) {
    this.fixtures = fixtures;
    this.subject = subject;
    this.server = server;
    this.owner = owner;
    this.orders = ordersOf(fixtures, server.orders, owner);
    this.customers = customersOf(server.customers, owner);
    this.endpoints = endpointsOf(server.webhookEndpoints, owner);
  }

  /** Returns the bench of another owner, by default one who has nothing, or on another server. */
  ofAnother(owner?: Owner, server?: AnyServer): this;
  ofAnother(owner = anOwner(), server: AnyServer = this.server): unknown {
    const made: unknown = Reflect.construct(this.constructor, [this.fixtures, this.subject, owner, server]);
    return made;
  }

  /** Returns the bench of the same owner on a second server, or on the only one. */
  async onAnotherServer(): Promise<this> {
    return this.ofAnother(this.owner, await this.subject.openAnother?.());
  }

  events(): Promise<readonly DomainEvent<string>[]> {
    return this.server.events(this.owner);
  }

  async ordersPage(input: OrderQueryInput): Promise<Page<AnyOrder, Timestamp>> {
    const query = parseOrderQuery(input, this.fixtures.definition)._unsafeUnwrap();
    return await succeeds(this.orders.store.list(this.owner, query));
  }

  tryVersions(id: string, input: OrderVersionQueryInput = {}) {
    return this.orders.store.listVersions(this.owner, id, parseOrderVersionQuery(input)._unsafeUnwrap());
  }

  async versions(id: string, input?: OrderVersionQueryInput): Promise<Page<AnyVersion, number>> {
    return await succeeds(this.tryVersions(id, input));
  }

  /** Returns all versions of an order, newest first. */
  async allVersions(id: string): Promise<readonly AnyVersion[]> {
    const { data, next } = await this.versions(id, { limit: 100 });
    assert.equal(next, null);
    return data;
  }

  tryVersion(id: string, version: number) {
    return this.orders.store.findVersion(this.owner, id, version);
  }

  async version(id: string, version: number): Promise<AnyVersion> {
    return await succeeds(this.tryVersion(id, version));
  }

  /** Places an order at a time, and returns it with its event. */
  async place({
    at = RECENT,
    event,
    key,
    ...fields
  }: Pick<WriteMembers<AnyOrderEvent>, 'at' | 'event' | 'key'> & Partial<AnyOrder> = {}): Promise<OrderAndEvent> {
    const order = this.fixtures.anOrder({ created_at: at, ...fields });
    const written = await succeeds(this.orders.tryStore(order, { event, key }));
    return { order: written.aggregate, event: written.event ?? assert.fail('the write recorded no event') };
  }

  tryUpdate(id: string, wanted: AnyChange, members?: WriteMembers<AnyOrderEvent>) {
    return this.#tryApply(id, members, (before, at) =>
      applyOrderChange(this.fixtures.definition, before, wanted, at)._unsafeUnwrap(),
    );
  }

  /** Changes an order as the domain would, and returns what was written. */
  async update(
    id: string,
    wanted: AnyChange,
    members?: WriteMembers<AnyOrderEvent>,
  ): Promise<Written<AnyOrder, AnyOrderEvent>> {
    return await succeeds(this.tryUpdate(id, wanted, members));
  }

  /** Applies a command to an order as the domain would, and returns the order. */
  async command(id: string, command: OrderCommand, members?: WriteMembers<AnyOrderEvent>): Promise<AnyOrder> {
    const applying = this.#tryApply(id, members, (before, at) =>
      applyOrderCommand(this.fixtures.definition, before, command, at, ids)._unsafeUnwrap(),
    );
    return (await succeeds(applying)).aggregate;
  }

  /** Corrects the status of an order as the domain would, and returns the order. */
  async correct(id: string, status: string, members?: WriteMembers<AnyOrderEvent>): Promise<AnyOrder> {
    const correction = { status, reason: members?.reason ?? null };
    const correcting = this.#tryApply(id, members, (before, at) =>
      applyCorrection(this.fixtures.definition, before, correction, at),
    );
    return (await succeeds(correcting)).aggregate;
  }

  /** Erases an order as the domain would, and returns it. */
  async eraseOrder(id: string): Promise<AnyOrder> {
    const members = { at: '2026-01-02T03:06:00.000Z', erases: true };
    return (await succeeds(this.#tryApply(id, members, applyErasure))).aggregate;
  }

  #tryApply(
    id: string,
    { at = LATER, event: members, key, erases }: WriteMembers<AnyOrderEvent> = {},
    apply: (before: AnyOrder, at: Timestamp) => ChangedOrder,
  ) {
    const decide = (before: AnyOrder): Decision<AnyOrder, AnyOrderEvent> => {
      const { order, event, reason } = apply(before, at);
      return { after: order, event: event && this.orders.eventOf(order, { ...event, ...members }), reason, erases };
    };
    return this.orders.tryChange(id, decide, key);
  }

  /** Records the erasure of a customer, and returns the customer. */
  async eraseCustomer(id: string, key?: Idempotency): Promise<Customer> {
    const erasure = { erased_at: LATER, erasure: { status: 'pending' } } as const;
    const erased = { email: null, name: null, metadata: {}, ...erasure };
    return (await this.customers.set(id, erased, { event: { type: 'customer.erased' }, erases: true, key })).aggregate;
  }
}

function ordersOf({ anOrder }: OrderFixtures, store: OrderRepository<OrderDefinition>, owner: Owner) {
  const eventOf = (of: Owner, order: AnyOrder, event?: Partial<AnyOrderEvent>) =>
    anEventOf<OrderDefinition>(of, order, event);
  return new KindBench(store, owner, { build: () => anOrder(), eventOf, deleted: 'order.deleted' });
}

function endpointsOf(store: WebhookEndpointRepository<OrderDefinition>, owner: Owner) {
  const build = () => aWebhookEndpoint<OrderDefinition>();
  const builders = { build, eventOf: anEventOfEndpoint, deleted: 'webhook_endpoint.deleted' } as const;
  return new KindBench(store, owner, builders);
}

function customersOf(store: CustomerRepository, owner: Owner) {
  const builders = { build: aCustomer, eventOf: anEventOfCustomer, deleted: 'customer.deleted' } as const;
  return new KindBench(store, owner, builders);
}
