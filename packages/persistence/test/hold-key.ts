import type { Owner } from '@orders/domain';
import type { Client } from 'pg';

/** Inserts the record of a key in the transaction of `session`. Until it ends, writes with the key wait. */
export async function holdKey(session: Client, owner: Owner, key: string): Promise<void> {
  await session.query(
    `insert into idempotency (owner_id, key, fingerprint, aggregate, aggregate_id, version, expires_at)
     values ($1, $2, 'f', 'order', gen_random_uuid(), 1, now() + interval '1 day')`,
    [owner, key],
  );
}
