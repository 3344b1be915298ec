import { webhookQueueContract } from '@orders/domain/testing';
import { type Database, openDatabase } from '@orders/persistence';
import { afterAll, beforeAll, describe, inject, it } from 'vitest';
import { testDatabase } from '../fixtures/test-database.ts';
import { queueSubject } from '../fixtures/queue-subject.ts';

const database = testDatabase();
let another: Database;

beforeAll(() => {
  another = openDatabase({ url: database.url, preparedStatements: inject('preparedStatements') });
});
afterAll(() => another.close());

webhookQueueContract({ describe, it }, () => queueSubject(database.current, another));
