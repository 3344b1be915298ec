import { ORDERS } from '@orders/domain';
import { eventFeedBacklogContract, webhookQueueBacklogContract } from '@orders/domain/testing';
import { describe, it } from 'vitest';
import { GENERATED } from '../../fixtures/a-definition.ts';
import { everyContract, opening } from './every-contract.ts';

describe.each(GENERATED)('the in-memory store with %s', (_, definition) => {
  everyContract({ describe, it }, definition);
});

eventFeedBacklogContract({ describe, it }, opening(ORDERS), ORDERS);
webhookQueueBacklogContract({ describe, it }, opening(ORDERS), ORDERS);
