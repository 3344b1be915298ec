import { FEED_INCLUDES, type PresentedEndpoint } from '@orders/domain/events';
import {
  type Attempt,
  ATTEMPT_ERRORS,
  ATTEMPT_TIMEOUT_MS,
  ATTEMPTS_MAX,
  DELIVERY_STATUSES,
  DISABLED_REASONS,
  SECRET_OVERLAP_SECONDS_DEFAULT,
  SECRET_OVERLAP_SECONDS_MAX,
  WEBHOOK_DESCRIPTION_LENGTH_MAX,
  WEBHOOK_ENDPOINT_STATUSES,
  WEBHOOK_URL_LENGTH_MAX,
  type WebhookDelivery as WebhookDeliveryOfDomain,
} from '@orders/domain/webhooks';
import type { OrderDefinition } from '@orders/domain';
import { Type } from 'typebox';
import { eventType, eventTypeSet, perDefinition } from '../definition-schemas.ts';
import { extended, nullable, openEnum, pageOf, type SchemasOf, TEXT, Timestamp, Uuid, Version } from '../schemas.ts';
import { endpointExamples, PENDING_DELIVERY, SECRET_EXAMPLE } from './webhook-examples.ts';

/** The result of a test in a response. */
export type PresentedAttempt = Omit<Attempt, 'retryAfterMs'>;

const URL_RULES = { format: 'uri', maxLength: WEBHOOK_URL_LENGTH_MAX };
const ENDPOINT_URL =
  'URL that receives the events by POST: https on port 443 with a public address, without credentials. A fragment is not sent';
const NewUrl = Type.String({
  title: 'NewWebhookUrl',
  ...URL_RULES,
  pattern: '^[Hh][Tt][Tt][Pp][Ss]?://',
  description: ENDPOINT_URL,
});
const NewInclude = nullable(
  Type.Array(Type.String({ enum: [...FEED_INCLUDES] }), {
    maxItems: FEED_INCLUDES.length,
    description: '`resource` adds `resource.data` to every event. Requires the read scope of every type that is sent',
  }),
  { title: 'WebhookIncludes' },
);
const Description = nullable(
  Type.String({
    ...TEXT,
    minLength: 1,
    maxLength: WEBHOOK_DESCRIPTION_LENGTH_MAX,
    description: 'Your note on the endpoint',
  }),
  { title: 'WebhookDescription' },
);
const Status = Type.String({
  title: 'WebhookEndpointStatus',
  enum: [...WEBHOOK_ENDPOINT_STATUSES],
  description: 'A disabled endpoint receives nothing. It continues where it stopped once it is enabled',
});

/** Returns the members of an endpoint in every response. */
const endpointMembers = (definition: OrderDefinition) => ({
  id: Uuid,
  url: Type.String({ ...URL_RULES, description: 'URL that receives the events, in normal form' }),
  types: nullable(
    Type.Array(eventType(definition), {
      maxItems: 100,
      description: 'Types of the events that are sent; null for every type except imports',
    }),
  ),
  include: Type.Array(Type.String({ ...openEnum(FEED_INCLUDES), pattern: '^[a-z_]+$', maxLength: 64 }), {
    maxItems: 10,
    description: 'Additions to every event',
  }),
  description: Description,
  status: Status,
  disabled_reason: nullable(Type.String({ ...openEnum(DISABLED_REASONS), pattern: '^[a-z_]+$', maxLength: 64 }), {
    description:
      'Why the endpoint is disabled: by a request, because it returned 410, or because a delivery and all after it failed',
  }),
  version: Version,
  created_at: Timestamp,
  updated_at: Timestamp,
});

/** Returns the schemas of endpoints that receive the events of orders of a definition. */
export const endpointSchemas = perDefinition((definition) => {
  const { ENDPOINT_EXAMPLE } = endpointExamples(definition);
  const NewTypes = nullable(
    eventTypeSet(
      definition,
      'Types of the events to send; null for every type, also those of later versions, except imports',
    ),
    { title: 'WebhookTypes' },
  );

  /** The schema of an endpoint, the same in every response but those that make a secret. */
  const WebhookEndpoint = Type.Object(endpointMembers(definition) satisfies SchemasOf<PresentedEndpoint>, {
    title: 'WebhookEndpoint',
    description: 'A URL that receives your events',
    examples: [ENDPOINT_EXAMPLE],
  });

  /** An endpoint in the response to a request that makes a secret. */
  const WebhookEndpointWithSecret = extended(
    WebhookEndpoint,
    {
      secret: Type.String({
        pattern: '^whsec_[A-Za-z0-9+/]+={0,2}$',
        maxLength: 128,
        description: 'Verifies `webhook-signature` (Standard Webhooks). No later response contains it: store it now',
      }),
    } satisfies SchemasOf<{ readonly secret: string }>,
    {
      title: 'WebhookEndpointWithSecret',
      description: 'An endpoint and its new secret',
      examples: [{ ...ENDPOINT_EXAMPLE, secret: SECRET_EXAMPLE }],
    },
  );

  /** The body of a new endpoint. */
  const NewWebhookEndpoint = Type.Object(
    {
      url: NewUrl,
      types: Type.Optional(NewTypes),
      include: Type.Optional(NewInclude),
      description: Type.Optional(Description),
    },
    {
      title: 'NewWebhookEndpoint',
      description: 'Request body to create a webhook endpoint',
      additionalProperties: false,
    },
  );

  /** A merge patch of an endpoint. */
  const WebhookEndpointChange = Type.Object(
    {
      url: Type.Optional(NewUrl),
      types: Type.Optional(NewTypes),
      include: Type.Optional(NewInclude),
      description: Type.Optional(Description),
      status: Type.Optional(Status),
    },
    { title: 'WebhookEndpointChange', additionalProperties: false, description: 'A JSON Merge Patch (RFC 7396)' },
  );

  return {
    WebhookEndpoint,
    WebhookEndpointWithSecret,
    WebhookEndpointList: pageOf('WebhookEndpointList', WebhookEndpoint),
    NewWebhookEndpoint,
    WebhookEndpointChange,
  };
});

/** The body of a rotation. */
export const SecretRotation = Type.Object(
  {
    overlap_seconds: Type.Optional(
      nullable(
        Type.Integer({
          format: 'int32',
          minimum: 0,
          maximum: SECRET_OVERLAP_SECONDS_MAX,
          default: SECRET_OVERLAP_SECONDS_DEFAULT,
          description: 'Seconds for which the replaced secret still signs requests beside the new one',
        }),
      ),
    ),
  },
  { title: 'SecretRotation', additionalProperties: false, description: 'Request body to rotate a secret' },
);

const AttemptStatus = nullable(Type.Integer({ format: 'int32', minimum: 100, maximum: 999 }), {
  description: 'Status of the last response; null without one',
});
const AttemptFailure = nullable(Type.String({ ...openEnum(ATTEMPT_ERRORS), pattern: '^[a-z_]+$', maxLength: 64 }), {
  title: 'WebhookFailure',
  description: 'Why the last attempt failed; null before the first one, and if the endpoint accepted it',
});
const DURATION = { format: 'int32', minimum: 0, maximum: 2 * ATTEMPT_TIMEOUT_MS };

/** The schema of the result of a test. */
export const WebhookTest = Type.Object(
  {
    status: AttemptStatus,
    error: AttemptFailure,
    duration_ms: Type.Integer({
      ...DURATION,
      description: 'Duration of the attempt; 0 for a target that is not allowed',
    }),
  } satisfies SchemasOf<PresentedAttempt>,
  { title: 'WebhookTest', description: 'Result of one attempt to send a message. It has nothing of the response body' },
);

const DeliveryStatus = Type.String({
  title: 'WebhookDeliveryStatus',
  enum: [...DELIVERY_STATUSES],
  description: 'Attempts are left, the endpoint accepted the event, or all attempts failed',
});

/** Returns the schemas of deliveries of the events of orders of a definition. */
export const deliverySchemas = perDefinition((definition) => {
  const WebhookDelivery = Type.Object(
    {
      event_id: Uuid,
      position: Type.Integer({
        minimum: 1,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'Position of the event in the feed',
      }),
      type: eventType(definition),
      status: DeliveryStatus,
      attempts: Type.Integer({
        format: 'int32',
        minimum: 0,
        maximum: ATTEMPTS_MAX,
        description: 'Number of attempts since the delivery was created or last requested',
      }),
      last_status: AttemptStatus,
      last_error: AttemptFailure,
      last_duration_ms: nullable(Type.Integer(DURATION)),
      next_attempt_at: nullable(Timestamp, {
        description:
          'Earliest time of the next attempt; null without one, and while an earlier event of the same resource is pending',
      }),
    } satisfies SchemasOf<WebhookDeliveryOfDomain<OrderDefinition>>,
    {
      title: 'WebhookDelivery',
      description: 'The delivery of one event to one endpoint',
      examples: [PENDING_DELIVERY],
    },
  );

  return { WebhookDelivery, WebhookDeliveryList: pageOf('WebhookDeliveryList', WebhookDelivery) };
});

/** The filter of a list of deliveries. */
export const DELIVERY_STATUS_QUERY = Type.String({
  enum: [...DELIVERY_STATUSES],
  description: 'Only deliveries with this status',
});

/** The body of a redelivery. */
export const Redelivery = Type.Object(
  { event_id: Uuid },
  { title: 'Redelivery', additionalProperties: false, description: 'Request body to deliver an event again' },
);
