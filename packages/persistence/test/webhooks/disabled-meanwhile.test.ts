import { postgresWebhookQueue } from '@orders/persistence';
import { describe, expect, it } from 'vitest';
import { execute } from '../fixtures/execute.ts';
import { testDatabase } from '../fixtures/test-database.ts';
import { ACCEPTED, endpointId, insertEndpoint, insertVersions } from '../fixtures/delivery-rows.ts';

const database = testDatabase();
const ENDPOINT = endpointId(1);

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
    const claimed = (await queue.claim(owner, 10))._unsafeUnwrap();
    await execute(database.url, 'drop function disable_claimed cascade');
    expect(claimed).toHaveLength(1);
    for (const one of claimed) {
      const settled = (await queue.settle(owner, one, ...ACCEPTED))._unsafeUnwrap();
      expect(settled.recorded).toBe(true);
    }
    expect((await queue.claim(owner, 10))._unsafeUnwrap()).toEqual([]);
  });
});
