import type { Owner } from '@orders/domain';
import type { WebhookEndpoint } from '@orders/domain/webhooks';
import { aCustomer, anEventOfCustomer } from '@orders/domain/testing';
import { err, errAsync } from 'neverthrow';
import { isErrorOf } from '../contract-faults.ts';
import { catchingBugs } from '../faulty-stores.ts';
import { type EndpointFault, finding, insteadOfTooMany, reading, replacing } from './faulty-endpoints.ts';

/** Faults of the creation of endpoints. */
export const creationFaults: readonly EndpointFault[] = [
  ['loses the types', finding((endpoint) => ({ ...endpoint, types: null })), /creating .* stores every field/],
  ['loses an older secret', finding((one) => ({ ...one, secrets: one.secrets.slice(0, 1) })), /stores every field/],
  ['rounds the start', finding((one) => ({ ...one, start: one.start & 0xff_ff })), /stores every field unchanged/],
  [
    'accepts an eleventh endpoint',
    replacing((correct) => ({
      insert: (owner, created, idempotency) =>
        correct
          .insert(owner, created, idempotency)
          .orElse((error) =>
            isErrorOf(error, 'too_many_endpoints') ? insteadOfTooMany(owner, created.endpoint) : err(error),
          ),
    })),
    /is limited to ten of one owner/,
  ],
  [
    'accepts more than ten concurrent endpoints',
    replacing((correct) => {
      let running = 0;
      return {
        insert: (owner, created, idempotency) => {
          running += 1;
          const isConcurrent = running > 1;
          const done = <T>(value: T): T => {
            running -= 1;
            return value;
          };
          return correct
            .insert(owner, created, idempotency)
            .map(done)
            .mapErr(done)
            .orElse((error) =>
              isConcurrent && isErrorOf(error, 'too_many_endpoints')
                ? insteadOfTooMany(owner, created.endpoint)
                : err(error),
            );
        },
      };
    }),
    /exactly ten of thirty/,
  ],
  [
    'counts deleted endpoints',
    replacing((correct) => {
      const full = new Set<Owner>();
      return {
        insert: (owner, created, idempotency) =>
          full.has(owner)
            ? errAsync({ type: 'too_many_endpoints' as const })
            : correct.insert(owner, created, idempotency).mapErr((error) => {
                if (isErrorOf(error, 'too_many_endpoints')) full.add(owner);
                return error;
              }),
      };
    }),
    /a deletion makes room/,
  ],
  [
    'counts the endpoints of all owners',
    replacing((correct) => {
      let count = 0;
      return {
        insert: (owner, created, idempotency) => {
          count += 1;
          return count > 12
            ? errAsync({ type: 'too_many_endpoints' as const })
            : correct.insert(owner, created, idempotency);
        },
      };
    }),
    /is limited to ten of one owner/,
  ],
  [
    'enters the creation into the feed',
    replacing((correct, { customers }) => ({
      insert: (owner, created, idempotency) =>
        correct.insert(owner, created, idempotency).map((written) => {
          const customer = aCustomer();
          void customers.insert(owner, { customer, event: anEventOfCustomer(owner, customer) });
          return written;
        }),
    })),
    /creating .* enters nothing into the feed/,
  ],
  ['keeps disabled endpoints out of the feed', reading(() => []), /enters webhook_endpoint.disabled into the feed/],
  [
    'loses the actor',
    reading((events) => events.map((event) => ({ ...event, actor: null }))),
    /enters webhook_endpoint.disabled into the feed/,
  ],
  [
    'overwrites an endpoint with the same id',
    replacing((correct) => ({
      insert: (owner, created, idempotency) =>
        catchingBugs(correct.insert(owner, created, idempotency)).orElse((error) =>
          error.type === 'unavailable' ? insteadOfTooMany(owner, created.endpoint) : err(error),
        ),
    })),
    /rejects an id that exists/,
    /no rejection/,
  ],
  [
    'returns what it stores',
    replacing((correct) => {
      const returned = new Map<string, WebhookEndpoint>();
      return {
        find: (owner, id) =>
          correct.find(owner, id).map((endpoint) => {
            const shared = returned.get(id) ?? endpoint;
            returned.set(id, shared);
            return shared;
          }),
      };
    }),
    /copies arguments and results/,
  ],
];
