import { describe, expect, it } from 'vitest';
import { anApi } from '../fixtures/an-api.ts';
import { everyWay } from '../fixtures/every-way.ts';
import { at, behindReferences, membersOf } from '../fixtures/json.ts';

const URL = '/openapi.json';

/** Returns the response of an operation on the list of orders. */
function responseOf(document: unknown, method: string, status: number): unknown {
  return at(document, ...behindReferences(document, 'paths', '/orders', method, 'responses', `${status}`));
}

describe('the document of the API', () => {
  it('lists exactly the authentication that the server supports', async () => {
    const { client } = await anApi();
    const { body } = await client().get(URL);
    expect(membersOf(at(body, 'components', 'securitySchemes'))).toEqual(['ApiKey']);
    expect(at(body, 'paths', '/orders', 'get', 'security')).toEqual([{ ApiKey: ['orders:read'] }]);
    expect(membersOf(at(responseOf(body, 'get', 403), 'headers'))).not.toContain('WWW-Authenticate');
    expect(JSON.stringify(body)).not.toContain('components/examples/invalid_token');

    const every = await (await anApi({ authentication: everyWay() })).client().get(URL);
    expect(at(every.body, 'paths', '/orders', 'post', 'security')).toEqual([
      { Bearer: ['orders:write'] },
      { ApiKey: ['orders:write'] },
      { ClientCertificate: ['orders:write'] },
    ]);
    expect(membersOf(at(responseOf(every.body, 'get', 403), 'headers'))).toContain('WWW-Authenticate');
  });
});

describe('a deprecated operation in the document', () => {
  it('is marked as deprecated, and documents its headers and 410', async () => {
    const list_orders = { since: '2026-01-01', sunset: '2027-01-01', link: 'https://example.com' };
    const { client } = await anApi({ deprecations: { list_orders } });
    const { body } = await client().get(URL);
    expect(at(body, 'paths', '/orders', 'get', 'deprecated')).toBe(true);
    for (const status of [200, 406, 410]) {
      expect(responseOf(body, 'get', status)).toMatchObject({ headers: { Deprecation: {}, Sunset: {}, Link: {} } });
    }
    const post = at(body, 'paths', '/orders', 'post');
    expect(post).not.toHaveProperty('deprecated');
    expect(at(post, 'responses')).not.toHaveProperty('410');
  });
});
