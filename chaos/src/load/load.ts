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
  /** The share of operations on orders that all clients change. */
  readonly contended?: number;
  /** Whether an intermediary may retry requests on its own. Default: `false`. */
  readonly balanced?: boolean;
  /** Receives every request. */
  readonly observe?: (attempt: Attempt) => void;
}

/** Running clients. */
export interface Load {
  readonly ledger: Ledger;
  readonly tally: Tally;
  /** Returns the number of completed operations. */
  done(): number;
  /** Returns the number of allowed and running operations. */
  left(): number;
  /** Returns the failure of a client; `undefined` before the first failure. */
  failure(): unknown;
  /** Allows `count` further operations. */
  allow(count: number): void;
  /** Allows `count` further operations, and resolves when half of them are complete, so that others are in progress. */
  amidst(count: number): Promise<void>;
  /** Allows `count` further operations, and resolves when all are complete, including earlier ones. */
  carryOut(count: number): Promise<void>;
  /** Resolves when `total` operations are complete, including earlier ones. */
  finish(total: number): Promise<void>;
  /** Stops the clients after their current operations. */
  close(): void;
}

const [CLIENTS, SHARED_ORDERS] = [8, 2];

/** Starts clients, which place the shared orders and then wait for further operations. They stop with the scenario. */
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
  const wakeClients = () => {
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
      wakeClients();
    }
  };
  for (const client of clients) void work(client);

  const reach = async (count: number): Promise<void> => {
    while (done < count && failure === undefined) await wake.promise;
  };
  const allow = (count: number): void => {
    allowed += count;
    wakeClients();
  };
  const close = () => {
    closed = true;
    wakeClients();
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
