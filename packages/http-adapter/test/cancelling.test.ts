import { describe, expect, it } from 'vitest';
import { type ApiResponse, type Client, undated } from './a-client.ts';
import { anApi } from './an-api.ts';
import { aNewOrder } from './new-orders.ts';

const NOW = '2026-01-02T03:04:05.678Z';

describe('POST cancel', () => {
  const json = { 'content-type': 'application/json' };
  it.each([
    ['no body', {}],
    ['an empty body under a JSON content type', { headers: json, payload: '' }],
    ['an empty body with a Content-Length', { headers: { ...json, 'content-length': '0' } }],
    ['an empty object', { headers: json, payload: '{}' }],
    ['a reason of null', { headers: json, payload: '{"reason":null}' }],
  ])('cancels without a reason for %s', async (_, sent) => {
    const { acme } = await anApi();
    const { url } = await acme.place();
    const response = await acme.send({ method: 'POST', url: `${url}/cancel`, ...sent });
    expect(response.status).toBe(200);
    expect(response.headers['etag']).toBe('"2-1"');
    expect(response.body).toMatchObject({ status: 'cancelled', cancel_reason: null, cancelled_at: NOW, version: 2 });
    expect(response.body).toHaveProperty('available_transitions', []);
    expect((await acme.get(url)).text).toBe(response.text);
  });

  it('stores the reason', async () => {
    const { acme } = await anApi();
    const { url } = await acme.place();
    const response = await acme.post(`${url}/cancel`, { reason: 'out of stock' });
    expect(response).toMatchObject({ status: 200, body: { cancel_reason: 'out of stock' } });
  });

  it.each([
    ['a body that is not an object', '[]', ''],
    ['an unknown field', '{"because":"x"}', 'because'],
    ['a reason that is not text', '{"reason":5}', 'reason'],
  ])('refuses %s', async (_, payload, field) => {
    const { acme } = await anApi();
    const { url } = await acme.place();
    const response = await acme.send({ method: 'POST', url: `${url}/cancel`, headers: json, payload });
    expect(response).toMatchObject({ status: 422, body: { code: 'validation_failed', errors: [{ field }] } });
    expect((await acme.get(url)).body).toMatchObject({ status: 'pending', version: 1 });
  });
});

describe('POST cancel and PATCH with the status cancelled', () => {
  /**
   * Returns the responses of both operations to the same requests, each in an API of its own with equal ids and times.
   */
  async function bothWays(reason: string | undefined, before: (client: Client, url: string) => Promise<ApiResponse>[]) {
    const responses: ApiResponse[] = [];
    for (const way of ['POST', 'PATCH']) {
      const { acme } = await anApi();
      const { url } = await acme.place(aNewOrder());
      for (const earlier of before(acme, url)) await earlier;
      const sent = { 'x-request-id': 'the-same' };
      const patch = { status: 'cancelled', ...(reason !== undefined && { cancel_reason: reason }) };
      responses.push(
        way === 'POST'
          ? await acme.post(`${url}/cancel`, reason === undefined ? undefined : { reason }, sent)
          : await acme.patch(url, patch, sent),
      );
    }
    return responses.map(undated);
  }

  it.each([undefined, 'out of stock'])('have the same response for the reason %s', async (reason) => {
    const [post, patch] = await bothWays(reason, () => []);
    expect(post).toMatchObject({ status: 200, body: { status: 'cancelled', cancel_reason: reason ?? null } });
    expect(patch).toEqual(post);
  });

  it('have the same problem for a cancelled order', async () => {
    const [post, patch] = await bothWays('again', (client, url) => [client.post(`${url}/cancel`)]);
    expect(post).toMatchObject({
      status: 409,
      body: { code: 'order_already_cancelled', cancelled_at: NOW, current_version: 2 },
    });
    expect(patch).toEqual(post);
  });

  it('happen once for twenty concurrent requests', async () => {
    const { acme } = await anApi();
    const { url } = await acme.place();
    const both = [() => acme.post(`${url}/cancel`), () => acme.patch(url, { status: 'cancelled' })];
    const responses = await Promise.all(Array.from({ length: 10 }, () => both.map((cancel) => cancel())).flat());
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(responses.filter(({ status }) => status === 409)).toHaveLength(19);
    expect((await acme.get(url)).body).toMatchObject({ version: 2 });
  });
});
