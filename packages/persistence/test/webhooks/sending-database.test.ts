import { openDatabase, sendingDatabase } from '@orders/persistence';
import { expect, it, onTestFinished } from 'vitest';
import { execute } from '../fixtures/execute.ts';
import { migratedDatabase } from '../fixtures/test-database.ts';

it('is unknown to a role that may not read the identity of the cluster', async () => {
  const url = await migratedDatabase();
  // No role of the tests may take the right from another one: a function before that of PostgreSQL fails in its way.
  await execute(
    url,
    `create function public.pg_control_system(out system_identifier bigint) language plpgsql
       as $$ begin raise insufficient_privilege; end $$;
     alter database "${new URL(url).pathname.slice(1)}" set search_path = public, pg_catalog`,
  );
  const database = openDatabase({ url });
  onTestFinished(() => database.close());
  expect(await sendingDatabase(database)).toBe('unknown');
});
