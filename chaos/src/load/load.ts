import { type Attempt, type Client, newClient } from './client.ts';
import { type Ledger, openLedger } from './ledger.ts';
import { doSomething } from './mix.ts';
import { placeOrder } from './order-operations.ts';
import { random } from './random.ts';
import type { Stage } from '../stage.ts';
import { newTally, type Tally } from './tally.ts';

export interface LoadOptions {
  readonly urls: readonly string[];
  readonly apiKey: string;
  readonly clients?: number;
  /** Which share of the operations is on orders that all clients change. */
  readonly contended?: number;
  /** Whether what is in between may send a request again by itself. Default not. */
  readonly balanced?: boolean;
  /** Told of every request that was sent. */
  readonly observe?: (attempt: Attempt) => void;
}

/** Clients at work. */
export interface Load {
  readonly ledger: Ledger;
  readonly tally: Tally;
  /** How many operations are done. */
  done(): number;
  /** How many operations clients may do yet, or are at. */
  left(): number;
  /** Why clients gave up; `undefined` while none did. */
  failure(): unknown;
  /** Lets clients do `count` operations more. */
  allow(count: number): void;
  /** Lets clients do `count` operations more, and resolves when half of them are done: then others are under way. */
  amidst(count: number): Promise<void>;
  /** Lets clients do `count` operations more, and resolves when all are done, those from before among them. */
  carryOut(count: number): Promise<void>;
  /** Resolves when `total` operations are done, those that are done already among them. */
  finish(total: number): Promise<void>;
  /** Has clients leave, whatever they are at. */
  close(): void;
}

const [CLIENTS, SHARED_ORDERS] = [8, 2];

/** Starts clients, who place the orders that they share and then wait to be let go on. They leave with the scenario. */
export async function startLoad(stage: Stage, options: LoadOptions): Promise<Load> {
  const { urls, apiKey, clients: size = CLIENTS, contended = 0.06 } = options;
  const { balanced = false, observe = () => undefined } = options;
  const ledger = openLedger();
  const tally = newTally();
  const aClient = (number: number): Client =>
    newClient({
      name: `client-${number}`,
      random: random(stage.seed + number),
      ledger,
      tally,
      apiKey,
      urls,
      balanced,
      observe,
    });
  const clients = Array.from({ length: size }, (_, index) => aClient(index + 1));
  const owner = aClient(0);
  for (let number = 0; number < SHARED_ORDERS; number += 1) await placeOrder(owner);
  const shared = [...owner.orders.keys()];

  let [allowed, started, done] = [0, 0, 0];
  let failure: unknown;
  let wake = Promise.withResolvers<void>();
  const tell = () => {
    wake.resolve();
    wake = Promise.withResolvers();
  };
  let closed = false;

  const work = async (client: Client): Promise<void> => {
    while (!closed && failure === undefined) {
      if (started >= allowed) {
        await wake.promise;
        continue;
      }
      started += 1;
      try {
        await doSomething(client, shared, contended);
        done += 1;
      } catch (cause) {
        failure ??= cause;
      }
      tell();
    }
  };
  for (const client of clients) void work(client);

  const reach = async (count: number): Promise<void> => {
    while (done < count && failure === undefined) await wake.promise;
  };
  const allow = (count: number): void => {
    allowed += count;
    tell();
  };
  const close = () => {
    closed = true;
    tell();
    for (const client of [...clients, owner]) client.close();
  };
  stage.atEnd(close);
  return {
    ledger,
    tally,
    done: () => done,
    left: () => allowed - done,
    failure: () => failure,
    allow,
    amidst: async (count) => {
      const before = allowed;
      allow(count);
      await reach(before + Math.floor(count / 2));
    },
    carryOut: async (count) => {
      allow(count);
      await reach(allowed);
    },
    finish: async (total) => {
      allow(Math.max(total - allowed, 0));
      await reach(allowed);
    },
    close,
  };
}
