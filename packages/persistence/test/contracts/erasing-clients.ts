import { randomUUIDv7 } from 'node:crypto';
import { createDomain } from '@orders/domain';
import { type Database, postgresStore } from '@orders/persistence';
import { eventually, finish, newWorld, operate, OWNER, type World } from '../../../domain/test/simulation/erasures.ts';
import { readEverything } from '../fixtures/reading.ts';

const storeOf = (database: Database) => postgresStore(database);

/** Persons who order alone, in batches and by imports, and who are erased: the clients of the simulation, with its model. */
export class ErasingClients {
  #events: ReturnType<World['store']['events']> = [];
  readonly #world: World;
  readonly #store: ReturnType<typeof storeOf>;

  constructor(database: Database) {
    this.#store = storeOf(database);
    this.#world = newWorld({ ...this.#store, events: () => this.#events });
  }

  /** Makes operations on a server, whose failures are expected. */
  async work(server: Database, name: string, operations: number): Promise<void> {
    const { feed, ...store } = postgresStore(server);
    const domain = createDomain({ ...store, clock: { now: () => new Date() }, ids: { next: () => randomUUIDv7() } });
    for (let number = 0; number < operations; number += 1)
      await operate(domain, { random: Math.random, feed }, this.#world, `${name}-${number}`);
  }

  /**
   * Finishes the erasures, and returns how many there were.
   *
   * @throws {Error} something was lost or doubled, or something erased is left
   */
  async check(): Promise<{ readonly persons: number; readonly erased: number; readonly orders: number }> {
    const domain = createDomain({
      ...this.#store,
      clock: { now: () => new Date() },
      ids: { next: () => randomUUIDv7() },
    });
    await finish(domain);
    const events = await readEverything(this.#store.feed, OWNER);
    this.#events = events.map(({ id, type, resource, ...event }) => ({
      ...event,
      id,
      type,
      owner: OWNER,
      aggregate_id: resource.id,
      version: resource.version,
    }));
    for (const [title, condition] of Object.entries(eventually)) {
      const holds = await condition(this.#world);
      if (!holds || this.#world.wrong.length > 0) throw new Error([title, ...this.#world.wrong].join('\n'));
    }
    const { persons, made } = this.#world;
    return { persons: persons.length, erased: persons.filter((person) => person.isErased).length, orders: made.size };
  }
}
