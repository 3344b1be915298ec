import { webhookQueueContract } from '@orders/domain/testing';
import { type Database, dueDeliveries, postgresWebhookQueue } from '@orders/persistence';
import { describe, expect, it } from 'vitest';
import { upTo } from '../fixtures/feed-rows.ts';
import { execute } from '../fixtures/execute.ts';
import { ACCEPTED, endpointId, insertEndpoint, insertVersions, storedDeliveries } from '../fixtures/delivery-rows.ts';
import { contractSubject } from '../fixtures/contract-subject.ts';
import { distributedDatabase, expectOneTaskEach } from './distributed-database.ts';

/** The search for owners whose endpoints have something to receive, which includes all owners. */
const DUE_OWNERS =
  /^\s*select (e\.owner_id|max\(e\.owner_id\) as until, .*) from ("orders"\.webhook_endpoints as e\s|\()/;

const citus = distributedDatabase();

/** Delivers everything of an owner. */
async function deliverAll(opened: Database, owner: string): Promise<void> {
  const queue = postgresWebhookQueue(opened);
  while ((await queue.fanOut(owner))._unsafeUnwrap().isMoreLeft);
  for (;;) {
    const claimed = (await queue.claim(owner, 8))._unsafeUnwrap();
    if (claimed.length === 0) return;
    for (const one of claimed) (await queue.settle(owner, one, ...ACCEPTED))._unsafeUnwrap();
  }
}

describe('on distributed tables', () => {
  webhookQueueContract({ describe, it }, () => ({
    ...contractSubject(citus.watched, citus.database),
    purge: (cutoff) => contractSubject(citus.database, citus.database).purge(cutoff),
  }));

  it('every statement about one owner is one task on one node, at first and after many executions', async () => {
    const statements = citus.sent().filter(({ text }) => /\bwebhook_/.test(text) && !DUE_OWNERS.test(text));
    const texts = statements.map(({ text }) => text).join('\n');
    for (const part of ['webhook_fan_out', 'webhook_claim', 'webhook_settle', 'as is_behind']) {
      expect(texts).toContain(part);
    }
    await expectOneTaskEach(citus.url, statements);
  });

  it('no delivery of one owner is committed in two phases', async () => {
    const owner = 'one node';
    for (const number of upTo(2)) await insertEndpoint(citus.url, owner, endpointId(number));
    await insertVersions(citus.url, owner, 1, [1, 20]);
    expect(await citus.countTwoPhaseCommits((own) => deliverAll(own, owner))).toBe(0);
    expect((await storedDeliveries(citus.url, owner)).map(({ status }) => status)).toEqual(
      Array.from({ length: 40 }, () => 'delivered'),
    );
  });

  it('finds the owners of all nodes that are due', async () => {
    const owners = upTo(16).map((number) => `due ${String(number).padStart(2, '0')}`);
    for (const owner of owners) {
      await insertEndpoint(citus.url, owner, endpointId(1));
      await insertVersions(citus.url, owner, 1, [1, 1]);
    }
    const queue = postgresWebhookQueue(citus.database);
    expect((await queue.findDue(16, 'due '))._unsafeUnwrap()).toEqual({ owners, next: owners.at(-1) });
    for (const owner of owners.slice(0, 8)) await deliverAll(citus.database, owner);
    expect((await queue.findDue(8, 'due '))._unsafeUnwrap()).toEqual({ owners: [], next: owners[7] });
    const rest = { owners: owners.slice(8), next: owners.at(-1) };
    expect((await queue.findDue(8, owners[7] ?? ''))._unsafeUnwrap()).toEqual(rest);
  });

  it('counts the due deliveries of all nodes, and the events without one', async () => {
    const none = { count: 0, oldestAgeMs: 0 };
    const clear = 'truncate webhook_endpoints, webhook_queues, webhook_deliveries, changes, feeds';
    await execute(citus.url, clear);
    expect(await dueDeliveries(citus.database)).toEqual({ worker: none, endpoint: none });
    const queue = postgresWebhookQueue(citus.database);
    for (const number of upTo(16)) {
      await insertEndpoint(citus.url, `count ${number}`, endpointId(1));
      await insertVersions(citus.url, `count ${number}`, 1, [1, 2]);
      await insertVersions(citus.url, `count ${number}`, 2, [1, 1]);
      if (number <= 8) (await queue.fanOut(`count ${number}`))._unsafeUnwrap();
    }
    const { worker, endpoint } = await dueDeliveries(citus.database);
    expect([worker.count, endpoint]).toEqual([8 * 2 + 8 * 3, none]);
    expect(worker.oldestAgeMs).toBeGreaterThan(Date.now() - Date.parse('2026-01-02'));
  });
});
