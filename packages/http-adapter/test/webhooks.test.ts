import { describe, expect, it } from 'vitest';
import { anApi } from './an-api.ts';
import { ENDPOINTS } from './created-endpoint.ts';
import { at, listAt, membersOf, textAt } from './json.ts';

describe('webhooks', () => {
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
