import { randomUUID } from 'node:crypto';
import { postgresOrderRepository } from '@orders/persistence';
import { orderRepositoryContract } from '@orders/domain/testing';
import { describe, it } from 'vitest';
import { recordedEvents } from './recorded-events.ts';
import { testDatabase } from './test-database.ts';

const database = testDatabase();

orderRepositoryContract({ describe, it }, () => {
  const { orm } = database.current;
  return {
    orders: postgresOrderRepository(database.current),
    addCustomer: async (owner) => {
      const id = randomUUID();
      await orm.em.fork().execute(
        `insert into customers (owner_id, id, email, email_key, metadata, version, created_at, updated_at)
        values (?, ?, ?, ?, '{}', 1, '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z')`,
        [owner, id, `${id}@example.com`, `${id}@example.com`],
      );
      return id;
    },
    events: (owner) => recordedEvents(database.current, owner),
  };
});
