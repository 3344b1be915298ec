import { systemClock } from '@orders/domain/runtime';
import type { WebhookEndpoint, WebhookMessage } from '@orders/domain/webhooks';
import { type ClosableWebhookSender, webhookSecrets, type WebhookSenderOptions } from '@orders/webhooks';
import { createWebhookSender, type SenderSeams } from '../../src/sending/webhook-sender.ts';
import { FIRST_KEY } from '../secrets/signing-keys.ts';

export const SECRETS = webhookSecrets([FIRST_KEY]);

export const MESSAGE: WebhookMessage = { id: '0190d2a4-0000-7000-8000-000000000001', body: '{"type":"order.placed"}' };

/**
 * Creates a sender in this thread that has the default limits and rules, except `options` and `seams`. It does not wait
 * until a target that is not allowed has its result.
 */
export function aSender(options: Partial<WebhookSenderOptions> = {}, seams: SenderSeams = {}): ClosableWebhookSender {
  return createWebhookSender(
    { secrets: SECRETS, clock: systemClock, isolated: false, ...options },
    { notAllowedAfterMs: 0, ...seams },
  );
}

/** Creates an enabled endpoint at `url`, with one secret. */
export function anEndpoint(url: string): WebhookEndpoint {
  return {
    id: '0190d2a4-0000-7000-8000-00000000000e',
    url,
    types: null,
    include: [],
    description: null,
    status: 'enabled',
    disabled_reason: null,
    secrets: [{ serial: 1, key: SECRETS.newestKey(), expires_at: null }],
    start: 0,
    version: 1,
    created_at: '2026-01-02T03:04:05.678Z',
    updated_at: '2026-01-02T03:04:05.678Z',
  };
}
