import {
  customerRepositoryContract,
  orderRepositoryContract,
  webhookEndpointRepositoryContract,
  type WebhookEndpointSubject,
} from '@orders/domain/testing';
import { beforeAll, describe, it } from 'vitest';
import { contractSubject } from '../fixtures/contract-subject.ts';
import { testDatabase } from '../fixtures/test-database.ts';

const database = testDatabase();
let subject: WebhookEndpointSubject;

beforeAll(() => {
  subject = contractSubject(database.current, database.current);
});

orderRepositoryContract({ describe, it }, () => subject);
customerRepositoryContract({ describe, it }, () => subject);
webhookEndpointRepositoryContract({ describe, it }, () => subject);
