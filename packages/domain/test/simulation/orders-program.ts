import { createDomain, type OrderDefinition, untyped } from '@orders/domain';
import {
  consumeAll,
  type EventType,
  FEED_START,
  type FeedEvent,
  FeedLost,
  type FeedPosition,
  followEvents,
  followPages,
  positionOf,
} from '@orders/domain/events';
import { type Condition, SimulatedFault, type SimulatedProcess, type Simulation } from '@orders/domain/testing';
import { checkHistory, STATEMENTS, Violation } from './check-history.ts';
import { History } from './history.ts';
import { audit, type Client, openOffice, operate, OWNERS, resume } from './orders-client.ts';

/** No wait ends by its time, so that a lost wake-up is a wait without an end. */
const WAIT_MS = 24 * 60 * 60_000;

/** Time until events are purged, in milliseconds, of the clock of the store. */
const RETENTION_MS = 2_000;

const [OWNER, OTHER_OWNER] = OWNERS;

type Process = SimulatedProcess<OrderDefinition>;

/** How far a reader is. It outlives the process that reads. */
interface Reader {
  readonly owner: string;
  place: FeedPosition;
}

function aReader(owner: string): Reader {
  return { owner, place: FEED_START };
}

type Follow = (process: Process, reader: Reader) => Promise<void>;

/** The world of one run. */
export interface World {
  readonly history: History;
  readonly readers: readonly Reader[];
  readonly store: Simulation<OrderDefinition>['store'];
  violation: Violation | null;
  /** Whether all that happened was checked. */
  isChecked: boolean;
}

/** What a program runs with. */
export interface ProgramOptions {
  readonly definition: OrderDefinition;
  /** Time until a key expires, in milliseconds. */
  readonly ttlMs: number;
  readonly purges: boolean;
}

/** Returns a program of clients of two owners, who share few resources, and of readers of the feeds. */
export function ordersProgram({ definition, ttlMs, purges }: ProgramOptions) {
  return ({ client, service, store, clock }: Simulation<OrderDefinition>): World => {
    const office = openOffice(new History(definition, ttlMs));
    const { history } = office;
    const readers: Reader[] = [];
    const world: World = { history, readers, store, violation: null, isChecked: false };
    for (const name of ['ann', 'bob', 'eve', 'joe']) client(name, (process) => work(process, name));

    async function work(process: Process, name: string): Promise<void> {
      const { feed, timer, random } = process;
      // Writes go every way that a store may want.
      const plans = { lookUpFirst: random() < 0.5, lockFirst: random() < 0.5 };
      const plan = () => plans;
      const orders = { ...process.orders, plan };
      const customers = { ...process.customers, plan };
      const ports = { ...process, orders, customers, idempotencyTtlMs: ttlMs };
      const domain = untyped(createDomain<OrderDefinition>(ports, definition));
      const pause = (ms: number) => timer.pause(ms);
      const it: Client = { name, domain, feed, clock: process.clock, random, pause };
      await resume(it, office);
      for (const number of process.operations()) await operate(it, office, number);
    }

    /** Adds a reader, which continues at its place after a crash, and after a loss at the oldest event. */
    function read(name: string, owner: string, follow: Follow): void {
      const reader = aReader(owner);
      readers.push(reader);
      service(name, async (process) => {
        const { signal, timer } = process;
        while (!signal.aborted) {
          try {
            await follow(process, reader);
          } catch (cause) {
            if (cause instanceof SimulatedFault) await timer.pause(100);
            else if (cause instanceof FeedLost) lose(reader, cause);
            else throw cause;
          }
        }
      });
    }

    /** Lets a reader go on at the oldest event. What it has saved is at most `lag` events before its place. */
    function lose(reader: Reader, lost: FeedLost, lag = 0): FeedPosition {
      const { owner, place } = reader;
      if (lost.reason.type !== 'events_expired') throw lost;
      const { oldest } = lost.reason;
      const after = Math.max(0, place.position - lag);
      history.losses.push(history.end({ ...history.start(), owner, after, oldest }));
      reader.place = oldest;
      return oldest;
    }

    /** Takes an event whose position a reader saves together with what it does. */
    function take(reader: Reader, event: FeedEvent<OrderDefinition>): void {
      const { position } = reader.place;
      if (event.position > position + 1)
        world.violation ??= new Violation(STATEMENTS[9], { skipped: position + 1, event });
      if (event.position > position) reader.place = positionOf(event);
    }

    const options = ({ timer, signal }: Process) => ({ timer, signal, waitMs: WAIT_MS });

    // At least once: what it does and its checkpoint are separate. Two processes share the owners. Without a checkpoint, they
    // would begin after what was purged.
    const begins = new Set<string>(OWNERS);
    const mailed = { [OWNER]: aReader(OWNER), [OTHER_OWNER]: aReader(OTHER_OWNER) };
    readers.push(...Object.values(mailed));
    const mailedOf = (owner: string) => mailed[owner === OWNER ? OWNER : OTHER_OWNER];
    for (const name of ['mail', 'post'])
      service(name, async ({ feed, checkpoints, effect, timer, signal }) => {
        while (begins.size > 0) {
          for (const owner of name === 'mail' ? begins : [])
            if ((await checkpoints.save(owner, 'mail', FEED_START)).isOk()) begins.delete(owner);
          await timer.pause(100);
        }
        await consumeAll({
          feed,
          checkpoints,
          name: 'mail',
          timer,
          signal,
          handler: (owner, event) => effect('mail', () => take(mailedOf(owner), event)),
          onFeedLost: (owner, lost) => lose(mailedOf(owner), lost, 1),
        });
      });

    // Exactly once: what it does saves its position.
    read('ledger', OTHER_OWNER, async (process, reader) => {
      const { feed, effect } = process;
      const after = await effect('load', () => reader.place);
      for await (const event of followEvents<OrderDefinition>(feed, OTHER_OWNER, { ...options(process), after }))
        await effect('book', () => {
          if (event.position <= reader.place.position) throw new SimulatedFault('it is booked');
          take(reader, event);
        });
    });

    const follow =
      (types: readonly EventType<OrderDefinition>[] | null) => async (process: Process, reader: Reader) => {
        const { owner, place: after } = reader;
        let span = history.start();
        const following = { ...options(process), after, types: types ?? undefined, include: ['resource'] as const };
        for await (const page of followPages<OrderDefinition>(process.feed, owner, following)) {
          history.addPage(span, { owner, after: reader.place.position, types, page });
          reader.place = page.next;
          span = history.start();
        }
      };
    read('copy', OTHER_OWNER, follow(null));
    read('search', OWNER, follow(['order.changed', 'order.deleted', 'customer.deleted']));

    if (purges)
      service('purge', async ({ timer, signal, random }) => {
        while (!signal.aborted) {
          await timer.pause(random() * 3 * RETENTION_MS, signal);
          const cutoff = new Date(clock.now().getTime() - RETENTION_MS).toISOString();
          history.purges.push({ ...history.start(), cutoff });
          store.purgeEvents(cutoff);
        }
      });
    return world;
  };
}

/** What holds at any time, as far as it is known. The history is checked at its end. */
export const invariants: Readonly<Record<string, Condition<World>>> = Object.fromEntries(
  STATEMENTS.map((statement) => [
    statement,
    ({ violation }: World) => {
      if (violation?.statement === statement) throw violation;
    },
  ]),
);

export const eventually: Readonly<Record<string, Condition<World>>> = {
  'every reader reaches the end of its feed': async ({ readers, store }) => {
    for (const { owner, place } of readers) {
      const read = await store.feed.read(owner, { after: null, start: 'latest', limit: 1, types: null, include: [] });
      if (read.isErr() || read.value.next.position !== place.position) return false;
    }
    return true;
  },
  'the history is checked': async (world) => {
    const { history, store } = world;
    if (world.isChecked) return world.violation === null;
    world.isChecked = true;
    await audit(history, store);
    try {
      checkHistory(history, store.events());
    } catch (cause) {
      if (!(cause instanceof Violation)) throw cause;
      world.violation ??= cause;
    }
    return world.violation === null;
  },
};
