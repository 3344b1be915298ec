import type { Decision, Written } from '../aggregates/write-aggregate.ts';
import type { CustomerRepository } from '../customers/customer-repository.ts';
import type { Customer } from '../customers/customer.ts';
import type { OrderDefinition } from '../orders/definition/order-definition.ts';
import type { AdjustmentCommand } from '../orders/adjustment.ts';
import { applyOrderChange } from '../orders/apply-order-change.ts';
import { applyCorrection } from '../orders/correct-order.ts';
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
import * as assert from './assertions.ts';
import { aCustomer, anEventOf, anEventOfCustomer } from './builders.ts';
import { anOwner, succeeds } from './contract-subject.ts';
import { KindBench, LATER, type WriteMembers } from './kind-bench.ts';
import type { AnyChange, AnyOrder, AnyOrderEvent, AnySubject, AnyVersion, OrderFixtures } from './order-fixtures.ts';
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

/** A store under test, with the orders and customers of one owner. */
export class StoreBench {
  readonly fixtures: OrderFixtures;
  readonly server: AnySubject;
  readonly owner: Owner;
  readonly orders;
  readonly customers;

  /** @param owner default: one that has nothing */
  constructor(fixtures: OrderFixtures, server: AnySubject, owner: Owner = anOwner()) {
    this.fixtures = fixtures;
    this.server = server;
    this.owner = owner;
    this.orders = ordersOf(fixtures, server.orders, owner);
    this.customers = customersOf(server.customers, owner);
  }

  /** Returns the bench of another owner, who has nothing. */
  ofAnother(): StoreBench {
    return new StoreBench(this.fixtures, this.server);
  }

  /** Returns all events of the owner. */
  events(): Promise<readonly DomainEvent<string>[]> {
    return this.server.events(this.owner);
  }

  /** Returns a page of the orders. */
  async ordersPage(input: OrderQueryInput): Promise<Page<AnyOrder, Timestamp>> {
    const query = parseOrderQuery(input, this.fixtures.definition)._unsafeUnwrap();
    return await succeeds(this.orders.store.list(this.owner, query));
  }

  /** Attempts to read a page of the versions of an order. */
  tryVersions(id: string, input: OrderVersionQueryInput = {}) {
    return this.orders.store.listVersions(this.owner, id, parseOrderVersionQuery(input)._unsafeUnwrap());
  }

  /** Returns a page of the versions of an order. */
  async versions(id: string, input?: OrderVersionQueryInput): Promise<Page<AnyVersion, number>> {
    return await succeeds(this.tryVersions(id, input));
  }

  /** Returns all versions of an order, newest first. */
  async allVersions(id: string): Promise<readonly AnyVersion[]> {
    const { data, next } = await this.versions(id, { limit: 100 });
    assert.equal(next, null);
    return data;
  }

  /** Attempts to read one version of an order. */
  tryVersion(id: string, version: number) {
    return this.orders.store.findVersion(this.owner, id, version);
  }

  /** Returns one version of an order. */
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

  /** Attempts to change an order as the domain would. */
  tryUpdate(id: string, wanted: AnyChange, { at = LATER, event: members, key }: WriteMembers<AnyOrderEvent> = {}) {
    const decide = (before: AnyOrder): Decision<AnyOrder, AnyOrderEvent> => {
      const { order, event } = applyOrderChange(this.fixtures.definition, before, wanted, at)._unsafeUnwrap();
      return { after: order, event: event && this.orders.eventOf(order, { ...event, ...members }) };
    };
    return this.orders.tryChange(id, decide, key);
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
  async command(
    id: string,
    command: OrderCommand,
    { at = LATER, key }: WriteMembers<AnyOrderEvent> = {},
  ): Promise<AnyOrder> {
    const decide = (before: AnyOrder): Decision<AnyOrder, AnyOrderEvent> => {
      const applied = applyOrderCommand(this.fixtures.definition, before, command, at, ids)._unsafeUnwrap();
      const { order, event, reason } = applied;
      return { after: order, event: event && this.orders.eventOf(order, event), reason };
    };
    return (await succeeds(this.orders.tryChange(id, decide, key))).aggregate;
  }

  /** Corrects the status of an order as the domain would, and returns the order. */
  async correct(
    id: string,
    status: string,
    { at = LATER, key, reason = null }: WriteMembers<AnyOrderEvent> & { readonly reason?: string | null } = {},
  ): Promise<AnyOrder> {
    const decide = (before: AnyOrder): Decision<AnyOrder, AnyOrderEvent> => {
      const { order, event } = applyCorrection(this.fixtures.definition, before, { status }, at);
      return { after: order, event: event && this.orders.eventOf(order, event), reason };
    };
    return (await succeeds(this.orders.tryChange(id, decide, key))).aggregate;
  }

  /** Erases an order as the domain would, and returns it. */
  async eraseOrder(id: string): Promise<AnyOrder> {
    const decide = (before: AnyOrder): Decision<AnyOrder, AnyOrderEvent> => {
      const { order, event } = applyErasure(before, '2026-01-02T03:06:00.000Z');
      return { after: order, event: event && this.orders.eventOf(order, event), erases: true };
    };
    return (await succeeds(this.orders.tryChange(id, decide))).aggregate;
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

function customersOf(store: CustomerRepository, owner: Owner) {
  const builders = { build: aCustomer, eventOf: anEventOfCustomer, deleted: 'customer.deleted' } as const;
  return new KindBench(store, owner, builders);
}
