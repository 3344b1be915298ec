import { ATTEMPT_TIMEOUT_MS, TEST_MESSAGE_TYPE } from '@orders/domain/webhooks';
import { Type } from 'typebox';
import { eventType, perDefinition } from './definition-schemas.ts';
import { eventSchemas } from './event-schemas.ts';
import { Timestamp, Uuid } from './schemas.ts';
import { ENDPOINT_CREATED_AT } from './webhooks/webhook-examples.ts';

/** Time for an endpoint to respond, in seconds. */
export const RESPONSE_SECONDS_MAX: number = ATTEMPT_TIMEOUT_MS / 1000;

/** Returns the schema of a message with an event of orders of a definition. */
export const webhookMessageSchema = perDefinition((definition) =>
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
export const WebhookTestMessage = Type.Object(
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

export const TEST_MESSAGE = {
  type: TEST_MESSAGE_TYPE,
  timestamp: ENDPOINT_CREATED_AT,
  data: { id: '019b2a4e-8f00-7000-8000-0000000000e2', position: null },
};
