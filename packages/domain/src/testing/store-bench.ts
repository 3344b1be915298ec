import type { Recorded } from '../aggregates/aggregate-store.ts';
import type { Decision, Written } from '../aggregates/write-aggregate.ts';
import type { CustomerEvent } from '../customers/customer-kind.ts';
import type { Customer } from '../customers/customer.ts';
import type { OrderDefinition } from '../orders/definition/order-definition.ts';
import type { AdjustmentCommand } from '../orders/adjustment.ts';
import { applyOrderChange } from '../orders/apply-order-change.ts';
import { applyErasure } from '../orders/erase-order.ts';
import { applyOrderCommand, type OrderCommand } from '../orders/apply-order-command.ts';
import { type OrderQueryInput, parseOrderQuery } from '../orders/order-query.ts';
import { type OrderVersionQueryInput, parseOrderVersionQuery } from '../orders/order-version.ts';
import type { Timestamp } from '../shared/clock.ts';
import type { DomainEvent } from '../shared/domain-event.ts';
import type { Idempotency } from '../shared/idempotency.ts';
import type { Owner } from '../shared/ids.ts';
import type { Page } from '../shared/page.ts';
import { change, create, remove } from './aggregate-writes.ts';
import * as assert from './assertions.ts';
import { aCustomer, anEventOf, anEventOfCustomer } from './builders.ts';
import { anOwner, loaded, succeeds } from './contract-subject.ts';
import { sequentialIds } from './sequential-ids.ts';
import type { AnyChange, AnyOrder, AnyOrderEvent, AnySubject, AnyVersion, OrderFixtures } from './order-fixtures.ts';

/** A time that no purge of the contracts reaches, the default of the builders. */
export const RECENT = '2026-01-02T03:04:05.678Z';

const ids = sequentialIds(0x5b);

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

/** The members of a write that a test decides. */
export interface WriteMembers {
  readonly at?: Timestamp;
  readonly event?: Partial<AnyOrderEvent>;
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

  /** @param owner default: one that has nothing */
  constructor(fixtures: OrderFixtures, server: AnySubject, owner: Owner = anOwner()) {
    this.fixtures = fixtures;
    this.server = server;
    this.owner = owner;
  }

  get orders(): AnySubject['orders'] {
    return this.server.orders;
  }

  get customers(): AnySubject['customers'] {
    return this.server.customers;
  }

  /** Returns the bench of another owner, who has nothing. */
  ofAnother(): StoreBench {
    return new StoreBench(this.fixtures, this.server);
  }

  /** Returns all events of the owner. */
  events(): Promise<readonly DomainEvent<string>[]> {
    return this.server.events(this.owner);
  }

  /** Returns an event of `order` with default values, which `event` overrides. */
  eventOf(order: Pick<AnyOrder, 'id' | 'version' | 'updated_at'>, event?: Partial<AnyOrderEvent>): AnyOrderEvent {
    return anEventOf<OrderDefinition>(this.owner, order, event);
  }

  /** Returns a page of the orders. */
  async ordersPage(input: OrderQueryInput): Promise<Page<AnyOrder, Timestamp>> {
    const query = parseOrderQuery(input, this.fixtures.definition)._unsafeUnwrap();
    return await succeeds(this.orders.list(this.owner, query));
  }

  /** Attempts to read a page of the versions of an order. */
  tryVersions(id: string, input: OrderVersionQueryInput = {}) {
    return this.orders.listVersions(this.owner, id, parseOrderVersionQuery(input)._unsafeUnwrap());
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
    return this.orders.findVersion(this.owner, id, version);
  }

  /** Returns one version of an order. */
  async version(id: string, version: number): Promise<AnyVersion> {
    return await succeeds(this.tryVersion(id, version));
  }

  /** Returns what the store has recorded of a write of an order with `key`. */
  async recorded(key: Idempotency): Promise<Recorded<AnyOrder> | null> {
    return await succeeds(this.orders.findRecorded(this.owner, key));
  }

  /** Returns an order as the store has it. */
  async order(id: string): Promise<AnyOrder> {
    return (await loaded(this.orders, this.owner, id)).aggregate;
  }

  /** Returns a customer as the store has it. */
  async customer(id: string): Promise<Customer> {
    return (await loaded(this.customers, this.owner, id)).aggregate;
  }

  /** Attempts to store `order`. */
  tryStore(order: AnyOrder, event = this.eventOf(order), key?: Idempotency) {
    return create(this.orders, this.owner, order, event, key);
  }

  /** Stores `order` and returns it. */
  async storeOrder(order = this.fixtures.anOrder(), key?: Idempotency): Promise<AnyOrder> {
    return (await succeeds(this.tryStore(order, undefined, key))).aggregate;
  }

  /** Places an order at a time, and returns it with its event. */
  async place({ at = RECENT, event = {}, ...fields }: WriteMembers & Partial<AnyOrder> = {}): Promise<OrderAndEvent> {
    const order = this.fixtures.anOrder({ created_at: at, ...fields });
    const placed = this.eventOf(order, event);
    return { order: (await succeeds(this.tryStore(order, placed))).aggregate, event: placed };
  }

  /** Returns a function that decides on `wanted` at the time `at`. */
  decide(wanted: AnyChange, at = '2026-01-02T03:05:00.000Z') {
    return (before: AnyOrder): Decision<AnyOrder, AnyOrderEvent> => {
      const { order, event } = applyOrderChange(this.fixtures.definition, before, wanted, at)._unsafeUnwrap();
      return { after: order, event: event && this.eventOf(order, event) };
    };
  }

  /** Attempts to change an order as `decide` says. */
  tryChange(id: string, decide: (before: AnyOrder) => Decision<AnyOrder, AnyOrderEvent>, key?: Idempotency) {
    return change(this.orders, this.owner, id, decide, key);
  }

  /** Attempts to change an order as the domain would. */
  tryUpdate(id: string, wanted: AnyChange, key?: Idempotency) {
    return this.tryChange(id, this.decide(wanted), key);
  }

  /** Changes an order as the domain would, and returns what was written. */
  async update(
    id: string,
    wanted: AnyChange,
    { at, key }: { readonly at?: Timestamp; readonly key?: Idempotency } = {},
  ): Promise<Written<AnyOrder, AnyOrderEvent>> {
    return await succeeds(this.tryChange(id, this.decide(wanted, at), key));
  }

  /** Applies a command to an order as the domain would, and returns what was written. */
  async command(
    id: string,
    command: OrderCommand,
    { at = '2026-01-02T03:05:00.000Z', key }: { readonly at?: Timestamp; readonly key?: Idempotency } = {},
  ): Promise<AnyOrder> {
    const decide = (before: AnyOrder): Decision<AnyOrder, AnyOrderEvent> => {
      const applied = applyOrderCommand(this.fixtures.definition, before, command, at, ids)._unsafeUnwrap();
      const { order, event, reason } = applied;
      return { after: order, event: event && this.eventOf(order, event), reason };
    };
    return (await succeeds(this.tryChange(id, decide, key))).aggregate;
  }

  /** Deletes an order, and returns the event. */
  async removeOrder(id: string, event: Partial<AnyOrderEvent> = {}): Promise<AnyOrderEvent> {
    const deletion = (order: AnyOrder) => this.eventOf(order, { type: 'order.deleted', ...event });
    const removed = await succeeds(remove(this.orders, this.owner, id, deletion));
    return removed.event ?? assert.fail('the deletion recorded no event');
  }

  /** Attempts to store `customer`. */
  tryStoreCustomer(customer: Customer, key?: Idempotency) {
    return create(this.customers, this.owner, customer, anEventOfCustomer(this.owner, customer), key);
  }

  /** Stores `customer` and returns it. */
  async storeCustomer(customer = aCustomer(), key?: Idempotency): Promise<Customer> {
    return (await succeeds(this.tryStoreCustomer(customer, key))).aggregate;
  }

  /** Attempts to change members of a customer. */
  tryChangeCustomer(id: string, fields: Partial<Customer>, key?: Idempotency) {
    const decide = (before: Customer) => {
      const after = { ...before, ...fields, version: before.version + 1, updated_at: '2026-01-02T03:05:00.000Z' };
      return { after, event: anEventOfCustomer(this.owner, after) };
    };
    return change(this.customers, this.owner, id, decide, key);
  }

  /** Attempts to record the erasure of a customer. */
  tryEraseCustomer(id: string, key?: Idempotency) {
    const decide = (before: Customer) => {
      const at = '2026-01-02T03:05:00.000Z';
      const times = { version: before.version + 1, updated_at: at, erased_at: at };
      const after: Customer = {
        ...before,
        email: null,
        name: null,
        metadata: {},
        ...times,
        erasure: { status: 'pending' },
      };
      return { after, event: anEventOfCustomer(this.owner, after, { type: 'customer.erased' }), erases: true };
    };
    return change(this.customers, this.owner, id, decide, key);
  }

  /** Records the erasure of a customer, and returns the customer. */
  async eraseCustomer(id: string, key?: Idempotency): Promise<Customer> {
    return (await succeeds(this.tryEraseCustomer(id, key))).aggregate;
  }

  /** Erases an order as the domain would, and returns it. */
  async eraseOrder(id: string): Promise<AnyOrder> {
    const decide = (before: AnyOrder): Decision<AnyOrder, AnyOrderEvent> => {
      const { order, event } = applyErasure(before, '2026-01-02T03:06:00.000Z');
      return { after: order, event: event && this.eventOf(order, event), erases: true };
    };
    return (await succeeds(this.tryChange(id, decide))).aggregate;
  }

  /** Returns the event of the deletion of `customer`. */
  customerDeletion(customer: Customer): CustomerEvent {
    return anEventOfCustomer(this.owner, customer, { type: 'customer.deleted' });
  }

  /** Attempts to delete a customer. */
  tryRemoveCustomer(id: string) {
    return remove(this.customers, this.owner, id, (before) => this.customerDeletion(before));
  }

  /** Deletes a customer. */
  async removeCustomer(id: string): Promise<void> {
    await succeeds(this.tryRemoveCustomer(id));
  }
}
