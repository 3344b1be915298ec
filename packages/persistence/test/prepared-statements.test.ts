import { postgresOrderRepository } from '@orders/persistence';
import { anOrder } from '@orders/domain/testing';
import { describe, expect, inject, it } from 'vitest';
import { testDatabase } from './test-database.ts';

const database = testDatabase();

describe('the statements of a run', () => {
  it('are prepared by name just when its project says so', async () => {
    await postgresOrderRepository(database.current).find('owner', anOrder().id);
    const named = await database.current.orm.em.fork().execute('select name from pg_prepared_statements');
    expect(named.length > 0).toBe(inject('preparedStatements'));
  });
});
