import { type WebhookQueueSubject, webhookQueueContract } from '@orders/domain/testing';
import { type Database, openDatabase } from '@orders/persistence';
import { afterAll, beforeAll, describe, inject, it } from 'vitest';
import { contractSubject } from '../fixtures/contract-subject.ts';
import { testDatabase } from '../fixtures/test-database.ts';

const database = testDatabase();
let another: Database;
let subject: WebhookQueueSubject;

beforeAll(() => {
  another = openDatabase({ url: database.url, preparedStatements: inject('preparedStatements') });
  subject = contractSubject(database.current, another);
});
afterAll(() => another.close());

webhookQueueContract({ describe, it }, () => subject);
