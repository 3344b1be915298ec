import type { FeedEvent } from '../events/feed-event.ts';
import type { WebhookMessage } from './webhook-sender.ts';

/**
 * Creates the message of an event.
 *
 * @param data the event as the receiver gets it, a JSON value
 */
export function webhookMessage(
  { id, type, occurred_at: timestamp }: Pick<FeedEvent, 'id' | 'occurred_at'> & { readonly type: string },
  data: unknown,
): WebhookMessage {
  return { id, body: JSON.stringify({ type, timestamp, data }) };
}
