import { webhookQueueContract } from '@orders/domain/testing';
import type { WebhookEndpoint } from '@orders/domain/webhooks';
import { okAsync } from 'neverthrow';
import { describe } from 'vitest';
import { succeeds } from './a-domain.ts';
import { aWebhookStore } from './a-webhook-store.ts';
import { itCatchesFaults } from './contract-faults.ts';
import {
  alteringEach,
  alteringEndpoints,
  later,
  logOf,
  type QueueFault,
  withEndpoints,
  withQueue,
} from './faulty-queues.ts';
import { claimingBy, KnownEndpoints } from './noted-queues.ts';

const fanOutFaults: readonly QueueFault[] = [
  [
    'creates deliveries of events before the start',
    alteringEndpoints((endpoint) => ({ ...endpoint, start: 0 })),
    /each event after the start/,
  ],
  [
    'creates deliveries of types that are not wanted',
    alteringEndpoints((endpoint) => ({ ...endpoint, types: null })),
    /types that the endpoint does not want/,
  ],
  [
    'claims those of one endpoint of an owner only',
    claimingBy(() => (claimed) => claimed.filter(({ endpoint }) => endpoint.id === claimed[0]?.endpoint.id)),
    /a delivery for each endpoint/,
  ],
  [
    'creates deliveries of all owners',
    (correct) => {
      const known = new KnownEndpoints();
      return withQueue(known.noting(correct), {
        fanOut: (owner) =>
          later(async () => {
            for (const other of known.owners()) await succeeds(correct.queue.fanOut(other));
            return await succeeds(correct.queue.fanOut(owner));
          }),
      });
    },
    /only deliveries of its owner/,
  ],
  [
    'claims those of all owners',
    (correct) => {
      const known = new KnownEndpoints();
      return withQueue(known.noting(correct), {
        claim: (owner, limit) =>
          later(async () => {
            const claimed = [...(await succeeds(correct.queue.claim(owner, limit)))];
            for (const other of known.owners()) claimed.push(...(await succeeds(correct.queue.claim(other, limit))));
            return claimed;
          }),
      });
    },
    /only deliveries of its owner/,
  ],
  [
    'creates a delivery for each of several fan-outs at a time',
    (correct) => {
      const known = new KnownEndpoints();
      let running = 0;
      const twice = new Set<string>();
      return withQueue(known.noting(correct), {
        fanOut: (owner) =>
          later(async () => {
            running += 1;
            const isConcurrent = running > 1;
            const fannedOut = await succeeds(correct.queue.fanOut(owner));
            running -= 1;
            for (const [endpointId] of isConcurrent ? known.all() : [])
              for (const { event_id } of await logOf(correct, owner, endpointId)) twice.add(event_id);
            return fannedOut;
          }),
        settle: (owner, claimed, attempt, settlement) =>
          later(async () => {
            const settled = await succeeds(correct.queue.settle(owner, claimed, attempt, settlement));
            const { endpoint, event } = claimed;
            if (twice.delete(event.id)) await succeeds(correct.deliveries.redeliver(owner, endpoint.id, event.id));
            return settled;
          }),
      });
    },
    /also by two servers at a time/,
  ],
  [
    'does not delete endpoints',
    (correct) =>
      withEndpoints(correct, {
        commit: (owner, write) => (write.kind === 'delete' ? okAsync(null) : correct.endpoints.commit(owner, write)),
      }),
    /nothing for a deleted endpoint/,
  ],
  [
    'never includes resources',
    alteringEach((claimed) => {
      const { data: _, ...resource } = claimed.event.resource;
      return { ...claimed, event: { ...claimed.event, resource } };
    }),
    /with its resource only if the endpoint includes it/,
  ],
  [
    'always has a member for the resource',
    alteringEach((claimed) => {
      const event = { ...claimed.event, resource: { ...claimed.event.resource } };
      Object.assign(event.resource, { data: claimed.event.resource.data ?? null });
      return { ...claimed, event };
    }),
    /with its resource only if the endpoint includes it/,
  ],
  [
    'has the newest version of the resource',
    (correct) =>
      withQueue(correct, {
        claim: (owner, limit) =>
          later(async () => {
            const claimed = await succeeds(correct.queue.claim(owner, limit));
            for (const { event } of claimed) {
              const found = await succeeds(correct.orders.load(owner, event.resource.id));
              if (found && event.resource.data) Object.assign(event.resource, { data: found.aggregate });
            }
            return claimed;
          }),
      }),
    /at the version of the event/,
  ],
  [
    'keeps erased resources',
    (correct) => {
      const { customers } = correct;
      return {
        ...correct,
        customers: {
          ...customers,
          commit: (owner, write) => (write.kind === 'delete' ? okAsync(null) : customers.commit(owner, write)),
        },
      };
    },
    /`null` once it was erased/,
  ],
  [
    'has the endpoint as it was created',
    (correct) => {
      const created = new Map<string, WebhookEndpoint>();
      const noting = withEndpoints(correct, {
        commit: (owner, write) => {
          if (write.kind === 'create') created.set(write.after.id, write.after);
          return correct.endpoints.commit(owner, write);
        },
      });
      return alteringEach((claimed) => ({
        ...claimed,
        endpoint: created.get(claimed.endpoint.id) ?? claimed.endpoint,
      }))(noting);
    },
    /the endpoint as it is when it is claimed/,
  ],
  [
    'counts attempts from 0',
    alteringEach((claimed) => ({ ...claimed, attempt: claimed.attempt - 1 })),
    /has the number of its attempt/,
  ],
];

describe('the contract of the webhook queue port, on fan-outs,', () => {
  itCatchesFaults(webhookQueueContract, aWebhookStore, fanOutFaults);
});
