import { postgresWebhookDeliveries, postgresWebhookQueue } from '@orders/persistence';
import { describe, expect, it } from 'vitest';
import { claimFirst } from '../fixtures/contract-subject.ts';
import { execute } from '../fixtures/execute.ts';
import { anotherSession } from '../fixtures/sessions.ts';
import { testDatabase } from '../fixtures/test-database.ts';
import {
  ACCEPTED,
  endpointId,
  insertDeliveries,
  insertEndpoint,
  insertVersions,
  rejected,
  setStatus,
  storedDeliveries,
} from '../fixtures/delivery-rows.ts';

const database = testDatabase();
const ENDPOINT = endpointId(1);

/** Returns the versions of the deliveries that can be claimed. */
async function claimable(owner: string): Promise<readonly number[]> {
  const claimed = (await postgresWebhookQueue(database.current).claim(owner, 10))._unsafeUnwrap();
  return claimed.map(({ event }) => event.resource.version);
}

/** Stores three versions of an order, of which the first has failed finally and the second is due. */
async function withFailure(owner: string): Promise<void> {
  const queue = postgresWebhookQueue(database.current);
  await insertEndpoint(database.url, owner, ENDPOINT);
  await insertVersions(database.url, owner, 1, [1, 3]);
  (await queue.settle(owner, await claimFirst(queue, owner), ...rejected(null)))._unsafeUnwrap();
}

async function disableAndEnable(owner: string): Promise<void> {
  for (const status of ['disabled', 'enabled'] as const) await setStatus(database.url, owner, ENDPOINT, status);
}

describe('a claim after an endpoint was disabled and enabled', () => {
  it('begins with it also if the records of these changes were purged', async () => {
    await withFailure('forgotten');
    await disableAndEnable('forgotten');
    await execute(database.url, `delete from changes where owner_id = 'forgotten' and aggregate = 'webhook_endpoint'`);
    expect(await claimable('forgotten')).toEqual([1]);
  });

  it('lets a redelivery have further attempts beside an earlier event that is pending again', async () => {
    const owner = 'beside';
    await withFailure(owner);
    const queue = postgresWebhookQueue(database.current);
    await execute(
      database.url,
      `update webhook_queues set failing = 0, fresh_after = null where owner_id = '${owner}'`,
    );
    const second = await claimFirst(queue, owner);
    (await queue.settle(owner, second, ...ACCEPTED))._unsafeUnwrap();
    await disableAndEnable(owner);
    expect(await claimable(owner)).toEqual([1]);
    const deliveries = postgresWebhookDeliveries(database.current);
    (await deliveries.redeliver(owner, ENDPOINT, second.event.id))._unsafeUnwrap();
    (await queue.settle(owner, await claimFirst(queue, owner), ...rejected(0)))._unsafeUnwrap();
    expect(await claimable(owner)).toEqual([2]);
  });

  it('includes nothing until all batches of failed deliveries are pending again', async () => {
    const owner = 'many';
    const queue = postgresWebhookQueue(database.current);
    await insertEndpoint(database.url, owner, ENDPOINT, 2500);
    const failed = { status: `'failed'`, dueAt: 'null', fresh: 'false' };
    await insertDeliveries(database.url, owner, ENDPOINT, [1, 2500], failed);
    await disableAndEnable(owner);
    const [{ name } = { name: '' }] = await execute<{ name: string }>(
      database.url,
      `select proname as name from pg_proc where proname like 'webhook_claim_%'`,
    );
    const session = await anotherSession(database.url);
    const more: boolean[] = [];
    const due: number[] = [];
    for (let call = 0; call < 3; call += 1) {
      more.push((await queue.fanOut(owner))._unsafeUnwrap().isMoreLeft);
      // A claim of the port would continue with the next batch.
      await session.query('begin');
      const { rows } = await session.query<{ outcome: { claimed: unknown[] } }>(
        `select ${name}('${owner}', 8) as outcome`,
      );
      expect(rows[0]?.outcome.claimed).toHaveLength(call === 2 ? 8 : 0);
      await session.query('rollback');
      due.push((await storedDeliveries(database.url, owner)).filter((one) => one.is_due).length);
    }
    expect(more).toEqual([true, true, false]);
    expect(due).toEqual([1000, 2000, 2500]);
  });
});

describe('a claim after another change of an endpoint', () => {
  it('leaves failed deliveries as they are', async () => {
    await withFailure('changed');
    await execute(
      database.url,
      `update webhook_endpoints set description = 'x', version = 2 where owner_id = 'changed';
       insert into changes (owner_id, aggregate, aggregate_id, version, changed, occurred_at, snapshot_format)
       values ('changed', 'webhook_endpoint', '${ENDPOINT}', 2, '["description"]', now(), 1);
       update webhook_queues set failing = 0, fresh_after = null where owner_id = 'changed'`,
    );
    expect(await claimable('changed')).toEqual([2]);
  });
});

describe('an endpoint that is disabled between a claim and the read of its endpoints', () => {
  it('gets what was claimed, so that no lease stops it when it is enabled again', async () => {
    const owner = 'disabled';
    const queue = postgresWebhookQueue(database.current);
    await insertEndpoint(database.url, owner, ENDPOINT);
    await insertVersions(database.url, owner, 1, [1, 1]);
    (await queue.fanOut(owner))._unsafeUnwrap();
    await execute(
      database.url,
      `create function disable_claimed() returns trigger language plpgsql as $$ begin
         update orders.webhook_endpoints set status = 'disabled', disabled_reason = 'requested' where owner_id = new.owner_id;
         return new;
       end $$;
       create trigger disable_claimed before update on webhook_deliveries
       for each row execute function disable_claimed()`,
    );
    const claimed = await claimFirst(queue, owner);
    await execute(database.url, 'drop function disable_claimed cascade');
    expect((await queue.settle(owner, claimed, ...ACCEPTED))._unsafeUnwrap().recorded).toBe(true);
  });
});
