import { eventFeedBacklogContract, webhookQueueBacklogContract } from '@orders/domain/testing';
import { describe, it } from 'vitest';
import { contractSubject } from '../fixtures/contract-subject.ts';
import { testDatabase } from '../fixtures/test-database.ts';

const database = testDatabase();
const open = () => contractSubject(database.current, database.current);

eventFeedBacklogContract({ describe, it }, open);
webhookQueueBacklogContract({ describe, it }, open);
