import { inMemoryStore, webhookEndpointRepositoryContract, type WebhookEndpointSubject } from '@orders/domain/testing';
import { describe } from 'vitest';
import { itCatchesFaults } from './contract-faults.ts';
import { changeFaults } from './endpoint-faults/changes.ts';
import { creationFaults } from './endpoint-faults/creation.ts';
import { deletionFaults } from './endpoint-faults/deletions.ts';
import { idempotencyFaults } from './endpoint-faults/idempotency.ts';
import { readFaults } from './endpoint-faults/reads.ts';

function aCorrectStore(): WebhookEndpointSubject {
  const { events, ...store } = inMemoryStore();
  return { ...store, events: (owner) => Promise.resolve(events().filter((event) => event.owner === owner)) };
}

describe('the contract of the port of webhook endpoints', () => {
  itCatchesFaults(webhookEndpointRepositoryContract, aCorrectStore, [
    ...creationFaults,
    ...changeFaults,
    ...deletionFaults,
    ...idempotencyFaults,
    ...readFaults,
  ]);
});
