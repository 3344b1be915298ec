import { type Database, openDatabase, postgresWebhookQueue } from '@orders/persistence';
import { type Statement, startPostgresProxy } from '@orders/postgres-proxy';
import { beforeAll, describe, expect, it } from 'vitest';
import { insertMany } from '../fixtures/feed-rows.ts';
import { execute } from '../fixtures/execute.ts';
import { anotherSession } from '../fixtures/sessions.ts';
import { testDatabase } from '../fixtures/test-database.ts';
import { endpointId, insertDeliveries, insertEndpoint } from '../fixtures/delivery-rows.ts';
import { buffersOf, executionOf, explain } from '../plans/plans.ts';

const database = testDatabase();

const OWNER = 'owner';
/** The endpoint with deliveries that are due. The nine others have received theirs. */
const BUSY = endpointId(1);
const DUE = 100_000;
const OTHERS = 9;

/** Maximum number of pages that a statement reads. Ten endpoints have ten times the pages of one. */
const BUFFERS_MAX = 450;

/** Executions after which PostgreSQL keeps one plan for all values. */
const EXECUTIONS = 7;

/** The settlement of a delivery that failed finally. */
const FAILED = { status: 'failed', retryInMs: null } as const;

/** Returns the transactions of the queue, each as its statements. */
async function transactionsOf(
  run: (queue: ReturnType<typeof postgresWebhookQueue>) => Promise<unknown>,
): Promise<readonly (readonly Statement[])[]> {
  const proxy = await startPostgresProxy(database.url);
  const watched: Database = openDatabase({ url: proxy.url, poolMax: 1 });
  try {
    await run(postgresWebhookQueue(watched));
  } finally {
    await watched.close();
    await proxy.close();
  }
  const transactions: Statement[][] = [];
  let isOpen = false;
  for (const statement of proxy.statements) {
    if (/^(commit|rollback)$/.test(statement.text)) isOpen = false;
    else if (statement.text === 'begin') {
      isOpen = true;
      transactions.push([]);
    } else if (isOpen) transactions.at(-1)?.push(statement);
    else transactions.push([statement]);
  }
  return transactions;
}

let transactions: readonly (readonly Statement[])[];

beforeAll(async () => {
  await execute(database.url, 'alter table webhook_deliveries set (autovacuum_enabled = false)');
  for (let number = 1; number <= OTHERS + 1; number += 1) await insertEndpoint(database.url, OWNER, endpointId(number));
  await insertMany(database.url, OWNER, 5, '2026-01-01');
  transactions = await transactionsOf(async (queue) => {
    (await queue.findDue(10, null))._unsafeUnwrap();
    (await queue.fanOut(OWNER))._unsafeUnwrap();
    const [claimed] = (await queue.claim(OWNER, 20))._unsafeUnwrap();
    if (!claimed) throw new Error('nothing was claimed');
    const attempt = { status: 500, error: 'status_not_accepted', duration_ms: 1, retryAfterMs: null } as const;
    (await queue.settle(OWNER, claimed, attempt, FAILED))._unsafeUnwrap();
  });
  // Their resources are the first ones, so that a search that reads on behind one of them reads all.
  await execute(
    database.url,
    `delete from webhook_deliveries where endpoint_id <> '${BUSY}';
     update webhook_deliveries set aggregate_id = lpad(position::text, 32, '0')::uuid;
     update webhook_deliveries set status = 'pending', due_at = now() - interval '1 hour', fresh = true, fence = 1,
       leased_until = case when position = 1 then now() + interval '1 hour' end;
     update webhook_queues set failing = 0, fresh_after = null, fresh_claimed_to = null, retries_claimed_to = null`,
  );
  await execute(database.url, 'vacuum analyze');
});

/** Returns a function that executes all transactions in one session, and returns the pages that each statement read. */
async function measuring(): Promise<() => Promise<readonly (readonly [text: string, buffers: number])[]>> {
  const session = await anotherSession(database.url);
  const names = new Map<string, string>();
  for (const { text } of transactions.flat()) {
    if (names.has(text)) continue;
    names.set(text, `s${names.size}`);
    await session.query(`prepare ${names.get(text)} as ${text}`);
  }
  const explained = async ({ text, parameters }: Statement) => {
    const plan = await explain(session, executionOf(session, names.get(text) ?? '', parameters));
    return [text, buffersOf(plan)] as const;
  };
  return async () => {
    const all = [];
    for (const statements of transactions) {
      await session.query('begin');
      for (const statement of statements) all.push(await explained(statement));
      await session.query('rollback');
    }
    return all;
  };
}

describe('the queue of an owner with a million deliveries, 100,000 of them due,', () => {
  it('reads some pages per statement, also with plans that were made while there were five', async () => {
    const measure = await measuring();
    for (let execution = 0; execution < EXECUTIONS; execution += 1) await measure();
    await insertDeliveries(database.url, OWNER, BUSY, [6, DUE]);
    const settled = { status: `'delivered'`, dueAt: 'null', fresh: 'false' };
    for (let number = 2; number <= OTHERS + 1; number += 1) {
      await insertDeliveries(database.url, OWNER, endpointId(number), [1, DUE], settled);
    }
    const early = await measure();
    expect(early.map(([text]) => text).join('\n')).toMatch(/webhook_fan_out.*webhook_claim.*webhook_settle/s);
    await execute(database.url, 'vacuum analyze webhook_deliveries');
    const first = await measure();
    for (let execution = 0; execution < EXECUTIONS; execution += 1) await measure();
    for (const measured of [early, first, await measure()]) {
      expect(measured.filter(([, buffers]) => !(buffers <= BUFFERS_MAX))).toEqual([]);
    }
  });
});
