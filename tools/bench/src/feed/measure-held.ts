import { openDatabase } from '@orders/persistence';
import { Client } from 'pg';
import { startSubject } from '../comparison/start-subject.ts';
import { SUBJECTS } from '../comparison/subjects.ts';
import { issueKey } from '../database/bench-database.ts';
import type { Load } from '../load/load.ts';
import type { FeedPlan } from './feed-plan.ts';
import type { RatioResult } from './feed-results.ts';
import { inTurns, ratioOf } from './in-turns.ts';
import { idlePoll, readsOf } from './measure-polls.ts';

/** Rounds of a turn that lasts long are fewer. */
const FEWER = 3;

/**
 * Measures polls without events of an owner whose events got their positions while a snapshot was held open. Compares them
 * with those of an owner with as many events and without the snapshot. Uses a database of its own.
 */
export async function measureHeld(
  load: Load,
  postgres: { readonly url: string; readonly postmaster: number; readonly client: Client },
  plan: FeedPlan,
  onRound: (round: number) => void,
): Promise<RatioResult> {
  await postgres.client.query('create database held');
  const own = new URL(postgres.url);
  own.pathname = 'held';
  const url = own.href;
  const database = openDatabase({ url });
  const [client, holder] = [new Client({ connectionString: url }), new Client({ connectionString: url })];
  const close = async () => {
    await database.close();
    await client.end();
    await holder.end();
  };
  try {
    await database.migrate();
    await client.connect();
    await holder.connect();
    const keys = { quiet: await issueKey(database, 'quiet'), held: await issueKey(database, 'held') };
    await Promise.all([insertEvents(client, 'quiet', plan.held, 'n'), insertEvents(holder, 'held', plan.held, 'null')]);
    await client.query('vacuum analyze');
    await holder.query('begin isolation level repeatable read');
    await holder.query('select from orders.changes limit 1');
    await client.query(`update orders.changes set position = version where owner_id = 'held'`);
    await client.query('vacuum analyze');
    const probe = { path: '/v1/events?start=latest', apiKey: keys.quiet };
    const subject = await startSubject(SUBJECTS.orders, url, probe);
    try {
      const polls = {
        quiet: await idlePoll(subject.port, keys.quiet),
        held: await idlePoll(subject.port, keys.held),
      };
      const reads = (owner: keyof typeof keys, seconds: number) => {
        const job = { case: 'events', targets: [polls[owner]], apiKeys: [keys[owner]], seconds } as const;
        return readsOf(load, subject, postgres.postmaster, job);
      };
      const turns = (seconds: number) => ({ quiet: reads('quiet', seconds), held: reads('held', seconds) });
      await inTurns(1, turns(plan.warmUpSeconds));
      const costs = await inTurns(Math.ceil(plan.rounds / FEWER), turns(plan.heldSeconds), onRound);
      const title = `idle poll → beside a snapshot held open for ${plan.held} events`;
      return ratioOf(title, costs('quiet'), costs('held'), 5);
    } finally {
      await subject.stop();
    }
  } finally {
    await close();
  }
}

/** Inserts the events of one aggregate, one per second until now; each has the position that an expression returns. */
async function insertEvents(client: Client, owner: string, count: number, position: 'n' | 'null'): Promise<void> {
  await client.query(
    `insert into orders.changes
       (owner_id, aggregate, aggregate_id, version, event_id, type, changed, occurred_at, snapshot_format, position)
     select $1, 'order', '019a7000-0000-7000-8000-000000000000', n, uuidv7(), 'order.updated', '["note"]',
       now() - ($2::int - n) * interval '1 second', 1, ${position}
     from generate_series(1, $2::int) n`,
    [owner, count],
  );
  await client.query('insert into orders.feeds (owner_id, purged) values ($1, 0)', [owner]);
}
