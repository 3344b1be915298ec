import { EVENT_TYPES, FEED_INCLUDES } from '@orders/domain/events';
import {
  DISABLED_REASONS,
  WEBHOOK_DESCRIPTION_LENGTH_MAX,
  WEBHOOK_ENDPOINT_STATUSES,
  WEBHOOK_URL_LENGTH_MAX,
  type WebhookEndpoint as WebhookEndpointOfDomain,
} from '@orders/domain/webhooks';
import { Type } from 'typebox';
import { nullable, openEnum, type SchemasOf, TEXT, Timestamp, Uuid, Version } from '../schemas.ts';

/** An endpoint in a response: neither its secrets nor its position in the feed. */
export type PresentedEndpoint = Omit<WebhookEndpointOfDomain, 'secrets' | 'start'>;

/** The schema of an endpoint, the same in every response but those that make a secret. */
export const WebhookEndpoint = Type.Object(
  {
    id: Uuid,
    url: Type.String({ format: 'uri', maxLength: WEBHOOK_URL_LENGTH_MAX, description: 'URL that receives the events' }),
    types: nullable(
      Type.Array(Type.String({ ...openEnum(EVENT_TYPES), pattern: '^[a-z_]+\\.[a-z_]+$', maxLength: 64 }), {
        maxItems: 100,
        description: 'Types of the events that are sent; null for every type',
      }),
    ),
    include: Type.Array(Type.String({ ...openEnum(FEED_INCLUDES), pattern: '^[a-z_]+$', maxLength: 64 }), {
      maxItems: 10,
      description: 'Additions to every event',
    }),
    description: nullable(Type.String({ ...TEXT, minLength: 1, maxLength: WEBHOOK_DESCRIPTION_LENGTH_MAX })),
    status: Type.String({
      title: 'WebhookEndpointStatus',
      enum: [...WEBHOOK_ENDPOINT_STATUSES],
      description: 'A disabled endpoint receives nothing. It continues where it stopped once it is enabled',
    }),
    disabled_reason: nullable(
      Type.String({
        ...openEnum(DISABLED_REASONS),
        pattern: '^[a-z_]+$',
        maxLength: 64,
        description:
          'Why the endpoint is disabled: by a request, because it returned 410, or because a delivery and all after it failed',
      }),
    ),
    version: Version,
    created_at: Timestamp,
    updated_at: Timestamp,
  } satisfies SchemasOf<PresentedEndpoint>,
  { title: 'WebhookEndpoint', description: 'A URL that receives your events' },
);
