import { parsePageQuery } from '@orders/domain';
import { eventTypesOf, presentEndpoint } from '@orders/domain/events';
import {
  type Attempt,
  ATTEMPT_TIMEOUT_MS,
  type DeliveryQueryInput,
  parseDeliveryQuery,
  type SecretWritten,
  type UntypedWebhooks,
} from '@orders/domain/webhooks';
import type { FastifyRequest } from 'fastify';
import type { Result } from 'neverthrow';
import type { Problem } from '../../problems/problem.ts';
import { readJson } from '../../request/json-body.ts';
import { JSON_TYPES, PATCH_TYPES } from '../../request/media-types.ts';
import { type ListRequest, readPage, readSortedList } from '../../request/page-request.ts';
import { RequestFaults } from '../../request/request-faults.ts';
import {
  CHANGE_HEADERS,
  CREATION_HEADERS,
  type PathId,
  readChange,
  readCreation,
  readId,
  readQuery,
} from '../../request/request-parameters.ts';
import { ownerOf } from '../../request-state.ts';
import { changed, created, toResponse, uncached } from '../../response/responses.ts';
import { requireScopes, type ScopeChallenge } from '../event-scopes.ts';
import { GET, type Operation, WRITE } from '../operation.ts';
import { deletion, listing, retrieval } from '../resource-operations.ts';
import { PAGE_QUERY, SORT_QUERY } from '../schemas.ts';
import { changeEndpoint } from './change-endpoint.ts';
import { endpointExamples, PENDING_DELIVERY } from './webhook-examples.ts';
import {
  DELIVERY_STATUS_QUERY,
  deliverySchemas,
  endpointSchemas,
  type PresentedAttempt,
  Redelivery,
  SecretRotation,
  WebhookTest,
} from './webhook-schemas.ts';
import { scopesOfCreation } from './webhook-scopes.ts';

/** The parts that the operations on webhooks need. */
export interface WebhookParts {
  readonly webhooks: UntypedWebhooks;
  readonly scopeChallenge: ScopeChallenge;
}

/** A test of an endpoint that does not respond takes as long as an attempt. */
const TESTS_OF_OWNER_MAX = 2;

/** Returns the operations on webhook endpoints. */
export function webhookOperations({ webhooks, scopeChallenge }: WebhookParts): readonly Operation[] {
  const { definition } = webhooks;
  const types = eventTypesOf(definition);
  const { WebhookEndpoint, WebhookEndpointWithSecret, WebhookEndpointList } = endpointSchemas(definition);
  const { NewWebhookEndpoint, WebhookEndpointChange } = endpointSchemas(definition);
  const { WebhookDelivery, WebhookDeliveryList } = deliverySchemas(definition);
  const { NEW_ENDPOINT } = endpointExamples(definition);
  return [
    {
      id: 'list_webhook_endpoints',
      summary: 'List webhook endpoints',
      description: 'Returns one page of your webhook endpoints.',
      ...GET,
      path: '/webhook_endpoints',
      scope: 'webhooks:read',
      query: { ...PAGE_QUERY, ...SORT_QUERY },
      response: { schema: WebhookEndpointList },
      handle: listing(
        (request) => readSortedList(request, 'webhook_endpoints', {}, parsePageQuery),
        (owner, { input }) =>
          webhooks.listEndpoints(owner, input).map(({ data, next }) => ({ data: data.map(presentEndpoint), next })),
      ),
    },
    {
      id: 'create_webhook_endpoint',
      summary: 'Create a webhook endpoint',
      description:
        'The endpoint receives every later event of its `types`. Also requires `events:read`, and with `include` the read scope of every type that is sent. Only this response has the `secret`.',
      method: 'POST',
      path: '/webhook_endpoints',
      scope: 'webhooks:write',
      cost: WRITE,
      supports: CREATION_HEADERS,
      body: { types: JSON_TYPES, schema: NewWebhookEndpoint, required: true, examples: { orders: NEW_ENDPOINT } },
      status: 201,
      response: { schema: WebhookEndpointWithSecret },
      // Not found: a retry of the creation after the endpoint was deleted, because deletion erases the recorded response.
      problems: ['too_many_endpoints', 'secret_superseded', 'webhook_endpoint_not_found'],
      handle: (request) =>
        readCreation(request)
          .andThen((options) => readJson(request).map((body) => ({ options, body })))
          .andThrough(({ body }) => requireScopes(request, scopesOfCreation(body, types), scopeChallenge))
          .asyncAndThen(({ options, body }) =>
            toResponse(webhooks.createEndpoint(ownerOf(request), body, options), (written) =>
              created(request, '/webhook_endpoints', presentWithSecret(written), written.replayed),
            ),
          ),
    },
    {
      id: 'get_webhook_endpoint',
      summary: 'Read a webhook endpoint',
      path: '/webhook_endpoints/:id',
      scope: 'webhooks:read',
      ...retrieval(WebhookEndpoint, (owner, id) => webhooks.getEndpoint(owner, id).map(presentEndpoint)),
    },
    {
      id: 'change_webhook_endpoint',
      summary: 'Change a webhook endpoint',
      description:
        'Applied completely or not at all. Enabling an endpoint delivers its failed events again, and the events since it was disabled. `enabled` for one that is enabled already ends its back-off: its pending deliveries are due at once, with new attempts. A change that widens what is sent requires the scopes of a creation: another `url`, further `types` or `include`, or `enabled`.',
      method: 'PATCH',
      path: '/webhook_endpoints/:id',
      scope: 'webhooks:write',
      cost: WRITE,
      supports: CHANGE_HEADERS,
      body: {
        types: PATCH_TYPES,
        schema: WebhookEndpointChange,
        required: true,
        examples: { disable: { status: 'disabled' } },
      },
      response: { schema: WebhookEndpoint },
      handle: (request) =>
        readChange(request)
          .andThen(({ id, options }) => readJson(request).map((body) => ({ id, options, body })))
          .asyncAndThen((change) =>
            changeEndpoint(webhooks, { scopeChallenge, types }, request, change).andThen(({ endpoint, replayed }) =>
              changed(presentEndpoint(endpoint), replayed),
            ),
          ),
    },
    {
      id: 'delete_webhook_endpoint',
      summary: 'Delete a webhook endpoint',
      description: 'Deletes the endpoint with its deliveries. Attempts that have begun may still arrive.',
      path: '/webhook_endpoints/:id',
      scope: 'webhooks:write',
      ...deletion(webhooks.deleteEndpoint),
    },
    {
      id: 'rotate_webhook_secret',
      summary: 'Rotate the secret of a webhook endpoint',
      description:
        'Makes a new secret. Requests are signed by both secrets until the replaced one expires; an older one ends at once. Only this response has the `secret`.',
      method: 'POST',
      path: '/webhook_endpoints/:id/secrets',
      scope: 'webhooks:write',
      cost: WRITE,
      supports: CHANGE_HEADERS,
      body: {
        types: JSON_TYPES,
        schema: SecretRotation,
        required: false,
        examples: { within_an_hour: { overlap_seconds: 3600 } },
      },
      response: { schema: WebhookEndpointWithSecret },
      problems: ['secret_superseded'],
      handle: (request) =>
        readChange(request)
          .andThen(({ id, options }) => readJson(request, {}).map((body) => ({ id, options, body })))
          .asyncAndThen(({ id, options, body }) =>
            toResponse(webhooks.rotateSecret(ownerOf(request), id, body, options), (written) =>
              changed(presentWithSecret(written), written.replayed),
            ),
          ),
    },
    {
      id: 'test_webhook_endpoint',
      summary: 'Test a webhook endpoint',
      description:
        'Sends a message of the type `webhook_endpoint.test` at once, also to a disabled endpoint, and returns how the endpoint responded. Nothing is recorded or retried. Counts as a write.',
      method: 'POST',
      path: '/webhook_endpoints/:id/tests',
      scope: 'webhooks:write',
      cost: { ...WRITE, underWayMax: TESTS_OF_OWNER_MAX },
      body: null,
      response: {
        schema: WebhookTest,
        examples: { webhook_test: { status: 204, error: null, duration_ms: 87 } },
      },
      waitMaxMs: ATTEMPT_TIMEOUT_MS,
      handle: (request) =>
        readSending(request).asyncAndThen((id) =>
          toResponse(webhooks.testEndpoint(ownerOf(request), id), (attempt) => uncached(presentTest(attempt))),
        ),
    },
    {
      id: 'list_webhook_deliveries',
      summary: 'List the deliveries of a webhook endpoint',
      description: 'Returns one page of the deliveries, newest event first. A delivery is deleted with its event.',
      ...GET,
      path: '/webhook_endpoints/:id/deliveries',
      scope: 'webhooks:read',
      query: { limit: PAGE_QUERY.limit, after: PAGE_QUERY.after, status: DELIVERY_STATUS_QUERY },
      response: { schema: WebhookDeliveryList },
      handle: listing(readListDeliveries, (owner, { id, input }) => webhooks.listDeliveries(owner, id, input)),
    },
    {
      id: 'redeliver_webhook_event',
      summary: 'Deliver an event again',
      description:
        'Requests a further delivery of an event, whatever the status of its delivery, with new attempts. It is due at once, behind deliveries that are due already. A retry of this request can deliver the event twice.',
      method: 'POST',
      path: '/webhook_endpoints/:id/deliveries',
      scope: 'webhooks:write',
      cost: WRITE,
      body: {
        types: JSON_TYPES,
        schema: Redelivery,
        required: true,
        examples: { redelivery: { event_id: PENDING_DELIVERY.event_id } },
      },
      status: 202,
      response: { schema: WebhookDelivery },
      problems: ['delivery_not_found'],
      handle: (request) =>
        readSending(request)
          .andThen((id) => readJson(request).map((body) => ({ id, body })))
          .asyncAndThen(({ id, body }) =>
            toResponse(webhooks.redeliver(ownerOf(request), id, body), (delivery) => uncached(delivery, 202)),
          ),
    },
  ];
}

function presentWithSecret({ endpoint, secret }: SecretWritten) {
  return { ...presentEndpoint(endpoint), secret };
}

/** Returns the response for a test. A target that is not allowed always looks the same, whatever the sender found out. */
function presentTest({ status, error, duration_ms }: Attempt): PresentedAttempt {
  return error === 'target_not_allowed' ? { status: null, error, duration_ms: 0 } : { status, error, duration_ms };
}

/** Parses path and query of a list of deliveries. */
function readListDeliveries(
  request: FastifyRequest,
): Result<ListRequest<DeliveryQueryInput> & { readonly id: PathId }, Problem> {
  const faults = RequestFaults.of(request);
  const id = readId(request, faults);
  const { status, ...rest } = readQuery(request, ['limit', 'after', 'status'], faults);
  const list = { list: 'webhook_deliveries', sort: '-position', filter: [status ?? null], value: 'number' } as const;
  const page = readPage(rest, list, faults);
  const input = { limit: page.limit, after: page.after, status };
  return faults.toResult({ id, input, page }, () => parseDeliveryQuery(input));
}

/** Parses the path of a request to send a message to an endpoint. */
function readSending(request: FastifyRequest): Result<PathId, Problem> {
  const faults = RequestFaults.of(request);
  const id = readId(request, faults);
  readQuery(request, [], faults);
  return faults.toResult(id);
}
