import { checkpointsContract, eventFeedContract, ownerCheckpointsContract } from '@orders/domain/testing';
import type { ORDERS } from '@orders/domain';
import { type Database, openDatabase, postgresCheckpoints } from '@orders/persistence';
import { afterAll, beforeAll, describe, inject, it } from 'vitest';
import { contractSubject } from '../fixtures/contract-subject.ts';
import { testDatabase } from '../fixtures/test-database.ts';

const database = testDatabase();
let another: Database;
let subject: ReturnType<typeof contractSubject<typeof ORDERS>>;

beforeAll(() => {
  another = openDatabase({ url: database.url, preparedStatements: inject('preparedStatements') });
  subject = contractSubject(database.current, another);
});
afterAll(() => another.close());

eventFeedContract({ describe, it }, () => subject);
checkpointsContract({ describe, it }, () => postgresCheckpoints(database.current));
ownerCheckpointsContract({ describe, it }, () => subject);
