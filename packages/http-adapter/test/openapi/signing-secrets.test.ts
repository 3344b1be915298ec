import { describe, expect, it } from 'vitest';
import { currentDocument } from '../../scripts/current-document.ts';
import { anApi } from '../fixtures/an-api.ts';
import { createdEndpoint } from '../fixtures/created-endpoint.ts';
import { at, behindReferences, isRecord, membersOf, methodsOf } from '../fixtures/json.ts';
import { checkOf } from './conformance.ts';
import { mayContainSigningSecret } from './signing-secrets.ts';

describe('the secret of a webhook endpoint', () => {
  it('is described in the responses to its creation and its rotation alone', () => {
    const document = currentDocument({});
    const responses = membersOf(at(document, 'paths')).flatMap((path) =>
      methodsOf(document, path).flatMap((method) =>
        membersOf(at(document, 'paths', path, method, 'responses')).map((status) => ({ path, method, status })),
      ),
    );
    expect(responses.length).toBeGreaterThan(100);
    const withSecret = responses.filter(({ path, method, status }) =>
      mayContainSigningSecret(document, behindReferences(document, 'paths', path, method, 'responses', status)),
    );
    expect(withSecret.map(({ path, method, status }) => `${method} ${path} ${status}`)).toEqual([
      'post /webhook_endpoints 201',
      'post /webhook_endpoints/{id}/secrets 200',
    ]);
  });

  it.each(['description', 'x-request-id'])('fails the check of any other response (%s)', async (member) => {
    const { acme } = await anApi();
    const { url, secret } = await createdEndpoint(acme);
    const read = await acme.get(url);
    const check = checkOf({});
    const request = { method: 'GET', url };
    expect(check(request, read)).toEqual([]);
    const body = { ...(isRecord(read.body) && read.body), description: secret };
    const leaking =
      member === 'description'
        ? { ...read, body, text: JSON.stringify(body) }
        : { ...read, headers: { ...read.headers, [member]: secret } };
    expect(check(request, leaking)).toContain('the response contains a secret that signs webhooks');
  });
});
