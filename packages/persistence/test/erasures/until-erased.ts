import type { Domain, OrderDefinition } from '@orders/domain';
import { finishErasures, type FinishErasuresOptions, type OrdersDatabase } from '@orders/persistence';
import { expect, vi } from 'vitest';
import { execute } from '../fixtures/execute.ts';

/** Finishes erasures until none is pending, but those of some owners. */
export async function untilErased<D extends OrderDefinition>(
  url: string,
  database: OrdersDatabase,
  { continueErasures }: Pick<Domain<D>, 'continueErasures'>,
  options: FinishErasuresOptions = {},
  except: readonly string[] = [],
): Promise<void> {
  const stop = new AbortController();
  const finished = finishErasures(database, continueErasures, { ...options, signal: stop.signal });
  const left = `
    select owner_id from customers where erasure = 'pending' and owner_id <> all('{${except.join()}}')
    union all select owner_id from erasures where email_key is not null`;
  await vi.waitFor(async () => expect(await execute(url, left)).toEqual([]));
  stop.abort();
  await finished;
}
