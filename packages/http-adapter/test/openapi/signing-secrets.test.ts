import { describe, expect, it } from 'vitest';
import { currentDocument } from '../../scripts/current-document.ts';
import { at, behindReferences, membersOf, methodsOf } from '../fixtures/json.ts';
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
});
