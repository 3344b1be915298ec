import { random } from '@orders/property-runs/random';
import { quantile } from '@orders/system-under-test';
import type { Stage } from '../stage.ts';
import { type Attempt, type Client, newClient } from './client.ts';
import { openLedger } from './ledger.ts';
import { doSomething, placeOrder } from './operations.ts';
import { listOrders, reconcile } from './reconcile.ts';
import { formatCounts, newTally, serverErrors, type Tally } from './tally.ts';

export interface LoadOptions {
  readonly urls: readonly string[];
  /** A key of each owner; clients take turns with them. */
  readonly apiKeys: readonly string[];
  /** The share of operations on orders that all clients of their owner change. */
  readonly contended?: number;
  /** Whether an intermediary may retry requests on its own. Default: `false`. */
  readonly balanced?: boolean;
  /** Receives every request. */
  readonly observe?: (attempt: Attempt) => void;
}

/** Running clients. */
export interface Load {
  readonly tally: Tally;
  /** Returns the number of completed operations. */
  done(): number;
  /** Returns the failure of a client; `undefined` before the first failure. */
  failure(): unknown;
  /** Allows `count` further operations. */
  allow(count: number): void;
  /** Allows `count` further operations, and resolves when half of them are complete, so that others are in progress. */
  amidst(count: number): Promise<void>;
  /** Allows `count` further operations, and resolves when all are complete, including earlier ones. */
  carryOut(count: number): Promise<void>;
  /** Lets clients complete the operations of the stage, and compares the database with their responses. */
  settle(databaseUrl: string): Promise<void>;
}

/** The number of clients, and of the orders that all clients of an owner change. */
const [CLIENTS, SHARED_ORDERS] = [8, 2];

/** Starts clients, which place the shared orders and then wait for further operations. They stop with the scenario. */
export async function startLoad(stage: Stage, options: LoadOptions): Promise<Load> {
  const { urls, apiKeys, contended = 0.06, balanced = false, observe = () => undefined } = options;
  const [ledger, tally] = [openLedger(), newTally()];
  const clients = Array.from({ length: CLIENTS }, (_, index): Client => {
    const apiKey = apiKeys[index % apiKeys.length] ?? '';
    const own = { name: `client-${index + 1}`, random: random(stage.seed, index), apiKey };
    return newClient({ ...own, ledger, tally, urls, balanced, observe });
  });
  const shared = await Promise.all(clients.slice(0, apiKeys.length).map((client) => placeShared(client)));

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
    for (const client of clients) client.close();
  };
  stage.atEnd(close);
  return {
    tally,
    done: () => done,
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
    settle: async (databaseUrl) => {
      allow(Math.max(stage.operations - allowed, 0));
      await reach(allowed);
      stage.holds(failure === undefined, 'every operation has a final response', String(failure));
      const ofOwners = clients.slice(0, failure === undefined ? apiKeys.length : 0);
      const orders = (await Promise.all(ofOwners.map(listOrders))).flat();
      close();
      const differences = failure === undefined ? await reconcile(databaseUrl, ledger, orders) : ledger.contradictions;
      for (const difference of differences) {
        stage.holds(false, 'every acknowledged change is stored exactly once, and nothing else', difference);
      }
      stage.figure('operations', done);
      stage.figure('requests', tally.attempts);
      stage.figure('sent again', tally.retried);
      stage.figure('replayed', tally.replayed);
      stage.figure('5xx', serverErrors(tally));
      stage.figure('without a response', formatCounts(tally.broken));
      const [p50, slowest] = [quantile(tally.tookMs, 0.5), quantile(tally.tookMs, 1)];
      stage.figure('p50, slowest', `${p50.toFixed(0)}, ${slowest.toFixed(0)} ms`);
    },
  };
}

/** Places the orders that all clients of an owner change, and returns their ids. */
async function placeShared(client: Client): Promise<readonly string[]> {
  for (let number = 0; number < SHARED_ORDERS; number += 1) await placeOrder(client);
  const ids = [...client.orders.keys()];
  client.orders.clear();
  return ids;
}
