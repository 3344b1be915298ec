import type { WebhookEndpoint } from '@orders/domain/webhooks';
import { anEventOfEndpoint, aWebhookEndpoint } from '@orders/domain/testing';
import { errAsync, ok, okAsync } from 'neverthrow';
import { type EndpointFault, reading, replacing } from './faulty-endpoints.ts';

/** Faults of deletions, and of what they leave. */
export const deletionFaults: readonly EndpointFault[] = [
  [
    'reports a deletion, but does not delete',
    replacing((correct) => ({
      delete: (owner, id, decide) =>
        correct
          .find(owner, id)
          .andThen(decide)
          .map((event) => ({ event, replayed: false })),
    })),
    /deleting .* removes the endpoint/,
  ],
  [
    'deletes against the decision',
    replacing((correct) => ({
      delete: (owner, id, decide, idempotency) =>
        correct.delete(
          owner,
          id,
          (before) =>
            ok(decide(before).unwrapOr(anEventOfEndpoint(owner, before, { type: 'webhook_endpoint.deleted' }))),
          idempotency,
        ),
    })),
    /returns the error of decide/,
  ],
  [
    'keeps the data of a deleted endpoint in the feed',
    reading((events) =>
      events.map((event) => {
        const { resource } = event;
        if (resource.type !== 'webhook_endpoint' || resource.data) return event;
        return { ...event, resource: { ...resource, data: aWebhookEndpoint() } };
      }),
    ),
    /erases all versions of this endpoint alone/,
  ],
  [
    'erases the data of all endpoints in the feed',
    (store) => {
      let hasDeleted = false;
      const feed = reading((events) =>
        events.map((event) =>
          hasDeleted && event.resource.type === 'webhook_endpoint'
            ? { ...event, resource: { ...event.resource, data: null } }
            : event,
        ),
      )(store);
      return replacing((correct) => ({
        delete: (...deletion) => {
          hasDeleted = true;
          return correct.delete(...deletion);
        },
      }))(feed);
    },
    /erases all versions of this endpoint alone/,
  ],
  [
    'replays a change that ran while the endpoint was deleted',
    replacing((correct) => {
      const results = new Map<string, WebhookEndpoint>();
      return {
        update: (owner, id, change, idempotency) =>
          correct
            .update(owner, id, change, idempotency)
            .map((written) => {
              if (idempotency) results.set(idempotency.key, written.endpoint);
              return written;
            })
            .orElse((error) => {
              const endpoint = results.get(idempotency?.key ?? '');
              return endpoint ? okAsync({ endpoint, event: null, replayed: true }) : errAsync(error);
            }),
      };
    }),
    /erases the records of concurrent changes/,
  ],
];
