/** Error: the owner has no webhook endpoint with this id. The id of another owner's endpoint gives the same error. */
export interface WebhookEndpointNotFound {
  readonly type: 'webhook_endpoint_not_found';
  readonly id: string;
}

/** Error: the owner has {@link WEBHOOK_ENDPOINTS_MAX} endpoints already. */
export interface TooManyEndpoints {
  readonly type: 'too_many_endpoints';
}

/** Error: the endpoint has no delivery of this event, or the event has left the feed. */
export interface DeliveryNotFound {
  readonly type: 'delivery_not_found';
  readonly event_id: string;
}

/**
 * Error: a retry of the creation of an endpoint, or of a rotation, came after the next rotation. Its secret is no longer
 * the newest one, and is not shown again.
 */
export interface SecretSuperseded {
  readonly type: 'secret_superseded';
}
