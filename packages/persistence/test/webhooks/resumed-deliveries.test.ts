import { postgresWebhookDeliveries } from '@orders/persistence';
import { expect, it } from 'vitest';
import { endpointId, insertDeliveries, insertEndpoint, storedDeliveries } from '../fixtures/delivery-rows.ts';
import { execute } from '../fixtures/execute.ts';
import { testDatabase } from '../fixtures/test-database.ts';

const database = testDatabase();
const OWNER = 'shop';

it('an endpoint is resumed in batches, and a worker of the process is woken', async () => {
  const id = endpointId(1);
  await insertEndpoint(database.url, OWNER, id);
  await insertDeliveries(database.url, OWNER, id, [1, 1001], { fresh: 'false', dueAt: `now() + interval '1 day'` });
  await execute(database.url, 'update webhook_deliveries set attempts = 9');
  const woken: unknown[] = [];
  database.current.writeListeners.add({ written: (...write) => void woken.push(write) });
  (await postgresWebhookDeliveries(database.current).resume(OWNER, id))._unsafeUnwrap();
  const stored = await storedDeliveries(database.url, OWNER);
  expect(stored.filter(({ attempts, is_due: isDue }) => attempts === 0 && isDue)).toHaveLength(1001);
  expect(woken).toEqual([[OWNER, 'webhook_endpoint']]);
});
