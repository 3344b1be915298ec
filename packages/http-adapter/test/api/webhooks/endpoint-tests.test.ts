import type { WebhookSender } from '@orders/domain/webhooks';
import { describe, expect, it, vi } from 'vitest';
import { aWebhooks, senderWith } from '../../fixtures/a-webhooks.ts';
import { anApi } from '../../fixtures/an-api.ts';
import { createdEndpoint, ENDPOINTS } from '../../fixtures/created-endpoint.ts';
import { NO_ORDER } from '../../fixtures/new-orders.ts';

describe('POST /v1/webhook_endpoints/{id}/tests', () => {
  const tested = async (sender: WebhookSender) => {
    const api = await anApi(apiWith(sender));
    const { url } = await createdEndpoint(api.acme);
    return { ...api, tests: `${url}/tests` };
  };

  it('returns the status and duration of the attempt', async () => {
    const { acme, tests } = await tested(
      senderWith({ status: 503, error: 'status_not_accepted', duration_ms: 87, retryAfterMs: 1000 }),
    );
    const response = await acme.post(tests);
    expect(response).toMatchObject({ status: 200, headers: { 'cache-control': 'no-store' } });
    expect(response.headers).not.toHaveProperty('etag');
    expect(response.body).toEqual({ status: 503, error: 'status_not_accepted', duration_ms: 87 });
  });

  it('shows nothing of a target that is not allowed, whatever the sender found out', async () => {
    const { acme, tests } = await tested(
      senderWith({ status: 200, error: 'target_not_allowed', duration_ms: 35, retryAfterMs: 5 }),
    );
    expect((await acme.post(tests)).body).toEqual({ status: null, error: 'target_not_allowed', duration_ms: 0 });
  });

  it('runs at most two tests of an owner at a time', async () => {
    const waiting: (() => void)[] = [];
    const result = { status: 204, error: null, duration_ms: 1, retryAfterMs: null };
    const { acme, client, keys, tests } = await tested({
      send: () => new Promise((resolve) => waiting.push(() => resolve(result))),
    });
    const running = [acme.post(tests), acme.post(tests)];
    await vi.waitFor(() => expect(waiting).toHaveLength(2));
    expect(await acme.post(tests)).toMatchObject({
      status: 429,
      headers: { 'retry-after': '1' },
      body: { code: 'rate_limited' },
    });
    // Whether an endpoint exists or not.
    expect((await acme.post(`${ENDPOINTS}/${NO_ORDER}/tests`)).status).toBe(429);
    const other = client(keys.issue({ owner: 'other' }));
    const { url } = await createdEndpoint(other);
    const theirs = other.post(`${url}/tests`);
    await vi.waitFor(() => expect(waiting).toHaveLength(3));
    for (const end of waiting) end();
    expect((await Promise.all([...running, theirs])).map(({ status }) => status)).toEqual([200, 200, 200]);
    const next = acme.post(tests);
    await vi.waitFor(() => expect(waiting).toHaveLength(4));
    waiting.at(-1)?.();
    expect((await next).status).toBe(200);
  });

  it('makes room for the next test after one that fails unexpectedly', async () => {
    const { acme, tests } = await tested({ send: () => Promise.reject(new Error('a bug')) });
    for (let count = 0; count < 3; count += 1) expect((await acme.post(tests)).status).toBe(500);
  });
});

/** Returns options of an API whose webhooks have another sender. */
function apiWith(sender: WebhookSender) {
  return { webhooks: aWebhooks(undefined, undefined, { sender }) };
}
