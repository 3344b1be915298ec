import { perDefinition } from '../definition-schemas.ts';
import { PLACED_EVENT } from '../orders/order-examples.ts';

/** Time at which the endpoint in examples was created. */
export const ENDPOINT_CREATED_AT = '2026-01-02T03:04:05.678Z';

/** Returns examples of requests and endpoints for the events of orders of a definition. */
export const endpointExamples = perDefinition(({ cancel, entries }) => {
  const cancellation = entries[cancel]?.event ?? 'order.changed';
  const NEW_ENDPOINT = { url: 'https://example.com/orders', types: ['order.placed', cancellation] };

  const ENDPOINT_EXAMPLE = {
    id: '019b2a4e-8f00-7000-8000-0000000000d1',
    ...NEW_ENDPOINT,
    include: [],
    description: null,
    status: 'enabled',
    disabled_reason: null,
    version: 1,
    created_at: ENDPOINT_CREATED_AT,
    updated_at: ENDPOINT_CREATED_AT,
  };

  return { NEW_ENDPOINT, ENDPOINT_EXAMPLE };
});

/** Not a secret of any server: the example of the specification. */
export const SECRET_EXAMPLE = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

export const PENDING_DELIVERY = {
  event_id: PLACED_EVENT.id,
  position: PLACED_EVENT.position,
  type: PLACED_EVENT.type,
  status: 'pending',
  attempts: 1,
  last_status: 503,
  last_error: 'status_not_accepted',
  last_duration_ms: 87,
  next_attempt_at: '2026-01-02T03:04:11.000Z',
};
