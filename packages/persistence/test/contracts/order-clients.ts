import { randomUUIDv7 } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { createDomain, type OrderDefinition, ORDERS, untyped } from '@orders/domain';
import { faulty, seededFaults } from '@orders/domain/testing';
import type { OrdersStore } from '@orders/domain/webhooks';
import { type Database, postgresStore } from '@orders/persistence';
import { checkHistory, type Logged } from '../../../domain/test/simulation/check-history.ts';
import { History } from '../../../domain/test/simulation/history.ts';
import { audit, type Client, openOffice, operate } from '../../../domain/test/simulation/orders-client.ts';

const HOUR_MS = 60 * 60_000;

/** The clients of the simulation on servers whose clocks are an hour apart, with the same model. */
export class OrderClients {
  readonly #history: History;
  readonly #office: ReturnType<typeof openOffice>;

  /** @param isFault see {@link History} */
  constructor(isFault?: (cause: unknown) => boolean) {
    // A key does not expire by the clock of one server alone.
    this.#history = new History(ORDERS, 24 * HOUR_MS, isFault);
    this.#office = openOffice(this.#history);
  }

  /** Makes operations on a server. */
  async work(server: Database, index: number, operations: number): Promise<void> {
    const store = faulty(storeOn(server), seededFaults(index));
    const clock = { now: () => new Date(Date.now() + ((index % 3) - 1) * HOUR_MS) };
    const ids = { next: () => randomUUIDv7() };
    const { ttlMs } = this.#history;
    const domain = untyped(createDomain<OrderDefinition>({ ...store, clock, ids, idempotencyTtlMs: ttlMs }, ORDERS));
    const pause = (ms: number): Promise<void> => setTimeout(ms / 10);
    const client: Client = { name: `client-${index}`, domain, feed: store.feed, clock, random: Math.random, pause };
    for (let number = 0; number < operations; number += 1)
      await operate(client, this.#office, index * operations + number);
  }

  /**
   * Checks the history, and returns the number of events.
   *
   * @throws {Violation} the history is not one of a correct store
   */
  async check(database: Database): Promise<number> {
    await audit(this.#history, storeOn(database));
    const events = eventsOf(this.#history);
    checkHistory(this.#history, events);
    return events.length;
  }
}

/** Returns a store for orders of a definition that is known only when the program runs. */
function storeOn(server: Database): OrdersStore<OrderDefinition>;
function storeOn(server: Database): unknown {
  return postgresStore(server);
}

/** Returns the events of all pages that were read. */
function eventsOf({ feedReads }: History): readonly Logged[] {
  const events = new Map<string, Logged>();
  for (const { owner, page } of feedReads)
    for (const { resource, position, ...event } of page.data)
      events.set(`${owner} ${String(position).padStart(9, '0')}`, {
        ...event,
        owner,
        aggregate_id: resource.id,
        version: resource.version,
      });
  return [...events].toSorted(([left], [right]) => (left < right ? -1 : 1)).map(([, event]) => event);
}
