import type { OrderDefinition } from '@orders/domain';
import { ATTEMPT_TIMEOUT_MS, TEST_MESSAGE_TYPE } from '@orders/domain/webhooks';
import { Type, type TSchema } from 'typebox';
import { eventType, perDefinition } from '../api/definition-schemas.ts';
import { eventSchemas } from '../api/event-schemas.ts';
import { componentName, Timestamp, Uuid } from '../api/schemas.ts';
import { ENDPOINT_CREATED_AT } from '../api/webhooks/webhook-examples.ts';
import type { Components } from './components.ts';
import { resourceOf } from './resources.ts';

/** Time for an endpoint to respond, in seconds. */
const RESPONSE_SECONDS_MAX: number = ATTEMPT_TIMEOUT_MS / 1000;

/** Returns the schema of a message with an event of orders of a definition. */
const webhookMessageSchema = perDefinition((definition) =>
  Type.Object(
    {
      type: eventType(definition),
      timestamp: Type.Unsafe<string>({ ...Timestamp, title: undefined, description: 'Time of the event' }),
      data: eventSchemas(definition).Event,
    },
    {
      title: 'WebhookMessage',
      description: 'The body of a request to an endpoint: an event as `GET /events` returns it',
    },
  ),
);

/** The schema of the message of a test. It is no event, so a consumer that reads the feed never sees it. */
const WebhookTestMessage = Type.Object(
  {
    type: Type.String({ const: TEST_MESSAGE_TYPE }),
    timestamp: Type.Unsafe<string>({ ...Timestamp, title: undefined, description: 'Time of the test' }),
    data: Type.Object(
      { id: Uuid, position: Type.Null({ description: 'A test has no position in the feed' }) },
      { title: 'WebhookTestData', description: 'The members of an event. Only `id` and `type` are of use' },
    ),
  },
  { title: 'WebhookTestMessage', description: 'The body of the request of a test' },
);

const TEST_MESSAGE = {
  type: TEST_MESSAGE_TYPE,
  timestamp: ENDPOINT_CREATED_AT,
  data: { id: '019b2a4e-8f00-7000-8000-0000000000e2', position: null },
};

/** A request that endpoints receive. */
interface Received {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly schema: TSchema;
  /** Default: that of the schema. */
  readonly example?: unknown;
}

const event = (definition: OrderDefinition): Received => ({
  operationId: 'receive_event',
  summary: 'An event',
  description:
    'Sent at least once for each event of an endpoint. Events of one resource are sent in the order of their versions, each after the response to the one before. Verify the signature first, and ignore an id that you have processed.',
  schema: webhookMessageSchema(definition),
});

const TEST: Received = {
  operationId: 'receive_test',
  summary: 'A test',
  description: 'Sent by `POST /webhook_endpoints/{id}/tests`. It is signed like an event, and is not sent again.',
  schema: WebhookTestMessage,
  example: TEST_MESSAGE,
};

const HEADERS = [
  {
    name: 'webhook-id',
    in: 'header',
    required: true,
    description: 'Id of the event, the same for all attempts',
    schema: Uuid,
  },
  {
    name: 'webhook-timestamp',
    in: 'header',
    required: true,
    description: 'Time of the attempt, in seconds since 1970. Reject a message that is older than five minutes',
    schema: { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
  },
  {
    name: 'webhook-signature',
    in: 'header',
    required: true,
    description:
      '`v1,` and the base64 of the HMAC-SHA256 of id, timestamp and body, joined by dots. Separated by spaces if two secrets are valid (Standard Webhooks 1.0)',
    schema: {
      type: 'string',
      maxLength: 256,
      pattern: '^v1,[A-Za-z0-9+/]{43}=( v1,[A-Za-z0-9+/]{43}=)*$',
    },
    example: 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  },
];

/** The responses of an endpoint. Only the status and `Retry-After` count. */
const RESPONSES = {
  '2XX': { description: `Accepted, within ${RESPONSE_SECONDS_MAX} seconds` },
  410: { description: 'Accepts no more events: disables the endpoint' },
  default: {
    description: 'Failed: tried again later. `Retry-After` is honoured up to one hour; a redirect is not followed',
  },
};

/** Describes the requests that endpoints receive. */
export function webhooksOf(components: Components, definition: OrderDefinition): unknown {
  const parameters = HEADERS.map((header) => components.refer('parameters', componentName(header.name), header));
  const describe = ({ schema, example, ...words }: Received) => ({
    post: {
      ...words,
      tags: [resourceOf('/webhook_endpoints').tag.name],
      security: [],
      parameters,
      requestBody: {
        required: true,
        content: { 'application/json': { schema, ...(example !== undefined && { example }) } },
      },
      responses: RESPONSES,
    },
  });
  return components.withSchemas({ event: describe(event(definition)), test: describe(TEST) });
}
