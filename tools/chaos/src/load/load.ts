import { type Attempt, type Client, newClient } from './client.ts';
import { type Ledger, openLedger } from './ledger.ts';
import { doSomething } from './mix.ts';
import { placeOrder } from './order-operations.ts';
import { random } from './random.ts';
import type { Stage } from '../stage.ts';
import { newTally, type Tally } from './tally.ts';

export interface LoadOptions {
  readonly urls: readonly string[];
  /** A key of each owner; clients take turns with them. */
  readonly apiKeys: readonly string[];
  readonly clients?: number;
  /** The share of operations on orders that all clients of their owner change. */
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

/** The number of clients, and of the orders that all clients of an owner change. */
const [CLIENTS, SHARED_ORDERS] = [8, 2];

/** Starts clients, which place the shared orders and then wait for further operations. They stop with the scenario. */
export async function startLoad(stage: Stage, options: LoadOptions): Promise<Load> {
  const { urls, apiKeys, clients: size = CLIENTS, contended = 0.06 } = options;
  const { balanced = false, observe = () => undefined } = options;
  const ledger = openLedger();
  const tally = newTally();
  const aClient = (name: string, number: number, apiKey: string): Client =>
    newClient({
      name,
      random: random(stage.seed + number),
      ledger: ledger.of(apiKey),
      tally,
      apiKey,
      urls,
      balanced,
      observe,
    });
  const placing = apiKeys.map((apiKey, index) => aClient(`placing-${index + 1}`, -index, apiKey));
  const shared = await Promise.all(placing.map((client) => placeShared(client)));
  const clients = Array.from({ length: size }, (_, index) =>
    aClient(`client-${index + 1}`, index + 1, apiKeys[index % apiKeys.length] ?? ''),
  );

  let [allowed, started, done] = [0, 0, 0];
  let failure: unknown;
  let wake = Promise.withResolvers<void>();
  const wakeClients = () => {
    wake.resolve();
    wake = Promise.withResolvers();
  };
  let closed = false;

  const work = async (client: Client, sharedOrders: readonly string[]): Promise<void> => {
    while (!closed && failure === undefined) {
      if (started >= allowed) {
        await wake.promise;
        continue;
      }
      started += 1;
      try {
        await doSomething(client, sharedOrders, contended);
        done += 1;
      } catch (cause) {
        failure ??= cause;
      }
      wakeClients();
    }
  };
  for (const [index, client] of clients.entries()) void work(client, shared[index % shared.length] ?? []);

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
    for (const client of [...clients, ...placing]) client.close();
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

/** Places the orders that all clients of an owner change, and returns their ids. */
async function placeShared(client: Client): Promise<readonly string[]> {
  for (let number = 0; number < SHARED_ORDERS; number += 1) await placeOrder(client);
  return [...client.orders.keys()];
}
