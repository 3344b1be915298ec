import { aWebhookEndpoint } from '@orders/domain/testing';
import { err } from 'neverthrow';
import { isErrorOf } from '../contract-faults.ts';
import { catchingBugs } from '../faulty-stores.ts';
import { type EndpointFault, finding, replacing } from './faulty-endpoints.ts';

/** Faults of changes of endpoints. */
export const changeFaults: readonly EndpointFault[] = [
  [
    'does not store the description',
    replacing((correct) => ({
      update: (owner, id, change, idempotency) =>
        correct.update(
          owner,
          id,
          (before) =>
            change(before).map(({ endpoint, event }) => ({
              endpoint: { ...endpoint, description: before.description },
              event,
            })),
          idempotency,
        ),
    })),
    /updating .* stores every field/,
  ],
  [
    'stores a decision without an event',
    finding((endpoint) => ({ ...endpoint, description: 'not stored' })),
    /stores nothing without an event/,
  ],
  [
    'stores an endpoint whose change failed',
    replacing((correct) => ({
      update: (owner, id, change, idempotency) =>
        correct
          .update(owner, id, change, idempotency)
          .orElse((error) =>
            isErrorOf(error, 'no')
              ? correct.find(owner, id).map((endpoint) => ({ endpoint, event: null, replayed: false }))
              : err(error),
          ),
    })),
    /returns the error of the change/,
  ],
  [
    'moves the start',
    replacing((correct) => ({
      update: (owner, id, change, idempotency) =>
        correct
          .update(owner, id, change, idempotency)
          .map((written) => ({ ...written, endpoint: { ...written.endpoint, start: 8 } })),
    })),
    /never changes id, start/,
  ],
  [
    'calls change for a nonexistent endpoint',
    replacing((correct) => ({
      update: (owner, id, change, idempotency) =>
        correct.update(owner, id, change, idempotency).orElse((error) => {
          if (isErrorOf(error, 'webhook_endpoint_not_found')) change(aWebhookEndpoint({ id }));
          return err(error);
        }),
    })),
    /without calling change/,
    /: change was called/,
  ],
  [
    'loses one of two concurrent changes',
    replacing((correct) => ({
      update: (owner, id, change, idempotency) =>
        correct.find(owner, id).andThen((stale) =>
          correct.update(
            owner,
            id,
            ({ version }) =>
              change(stale).map(({ endpoint, event }) => ({
                endpoint: { ...endpoint, version: version + 1 },
                event: event && { ...event, version: version + 1 },
              })),
            idempotency,
          ),
        ),
    })),
    /loses none of many concurrent rotations/,
  ],
  [
    'stores a decision of any version as the next one',
    replacing((correct) => ({
      update: (owner, id, change, idempotency) =>
        correct.update(
          owner,
          id,
          (before) =>
            change(before).map(({ endpoint, event }) => ({
              endpoint: { ...endpoint, version: before.version + 1 },
              event: event && { ...event, version: before.version + 1 },
            })),
          idempotency,
        ),
    })),
    /whose version is not the next one/,
    /no rejection/,
  ],
  [
    'takes an exception of change for a failure of the database',
    replacing((correct) => ({
      update: (owner, id, change, idempotency) => catchingBugs(correct.update(owner, id, change, idempotency)),
    })),
    /rejects when change throws/,
    /no rejection/,
  ],
];
