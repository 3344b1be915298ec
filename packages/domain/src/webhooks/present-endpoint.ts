import type { OrderDefinition } from '../orders/definition/order-definition.ts';
import type { AnyEndpoint, WebhookEndpoint } from './webhook-endpoint.ts';

/** A webhook endpoint as its owner sees it: neither its secrets nor its position in the feed. */
export type PresentedEndpoint<D extends OrderDefinition = OrderDefinition> = Omit<
  WebhookEndpoint<D>,
  'secrets' | 'start'
>;

/**
 * Returns an endpoint without its secrets, which say which key they derive from, and without its start in the feed. The
 * members are listed, so that a further one is not shown by accident.
 */
export function presentEndpoint(endpoint: AnyEndpoint): PresentedEndpoint {
  const { id, url, types, include, description } = endpoint;
  const { status, disabled_reason, version, created_at, updated_at } = endpoint;
  return { id, url, types, include, description, status, disabled_reason, version, created_at, updated_at };
}
