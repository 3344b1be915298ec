import { describe, expect, it } from 'vitest';
import { anApi } from './an-api.ts';
import { createdEndpoint, ENDPOINTS } from './created-endpoint.ts';
import { at, listAt, membersOf, textAt } from './json.ts';
import { NO_ORDER } from './new-orders.ts';

describe('webhooks', () => {
  it('count tests and redeliveries as writes', async () => {
    const { acme } = await anApi({ rateLimits: { write: 4 } });
    const { url } = await createdEndpoint(acme);
    const left = [
      await acme.post(`${url}/tests`),
      await acme.post(`${url}/deliveries`, { event_id: NO_ORDER }),
      await acme.post(`${url}/tests`),
      await acme.post(`${url}/tests`),
    ];
    expect(left.map(({ headers }) => headers['ratelimit'])).toEqual(
      [2, 1, 0, 0].map((rest) => `"write";r=${rest};t=60`),
    );
    expect(left.map(({ status }) => status)).toEqual([200, 404, 200, 429]);
  });

  it('do not exist, also in the document, unless the plugin has them', async () => {
    const { acme, app } = await anApi({ webhooks: undefined });
    expect((await app.inject({ url: ENDPOINTS })).statusCode).toBe(404);
    const { body } = await acme.get('/openapi.json');
    expect(body).not.toHaveProperty('webhooks');
    expect(membersOf(at(body, 'paths')).filter((path) => path.includes('webhook'))).toEqual([]);
    expect(JSON.stringify(at(body, 'tags'))).not.toContain('Webhooks');
  });

  it('are described with the requests that endpoints receive', async () => {
    const { acme } = await anApi();
    const { body } = await acme.get('/openapi.json');
    expect(membersOf(at(body, 'webhooks'))).toEqual(['event', 'test']);
    for (const name of ['event', 'test']) {
      const parameters = listAt(body, 'webhooks', name, 'post', 'parameters').map((each) => textAt(each, '$ref'));
      expect(parameters.map((reference) => reference.split('/').at(-1))).toEqual([
        'WebhookId',
        'WebhookTimestamp',
        'WebhookSignature',
      ]);
    }
  });
});
