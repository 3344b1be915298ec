import { webhookQueueBacklogContract } from '@orders/domain/testing';
import { describe, it } from 'vitest';
import { testDatabase } from '../fixtures/test-database.ts';
import { queueSubject } from '../fixtures/queue-subject.ts';

const database = testDatabase();

webhookQueueBacklogContract({ describe, it }, () => queueSubject(database.current, database.current));
