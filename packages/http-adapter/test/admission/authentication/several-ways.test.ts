import { type Authenticator, authenticateBy, SCOPES } from '@orders/http-adapter';
import { err, ok } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { anApi } from '../../fixtures/an-api.ts';

/** Creates an authenticator for one scheme of `Authorization` that accepts all credentials except `bad`. */
function byScheme(scheme: string, onCall: (scheme: string) => void = () => undefined, isLate = false): Authenticator {
  const check: Authenticator['authenticate'] = ({ headers: { authorization = '' } }) => {
    const [sent, owner = ''] = authorization.split(' ');
    if (sent !== scheme) return null;
    return owner === 'bad'
      ? err({ type: 'bad_credentials', code: 'unauthenticated', detail: `${scheme} is bad.` })
      : ok({ owner, scopes: SCOPES });
  };
  return {
    header: 'authorization',
    credentials: `${scheme} in Authorization`,
    securitySchemes: { [scheme]: { type: 'http', scheme } },
    challenge: () => `${scheme} realm="orders"`,
    authenticate: (request, lookups) => {
      onCall(scheme);
      const authenticated = check(request, lookups);
      return isLate ? Promise.resolve(authenticated) : authenticated;
    },
  };
}

describe.each([
  ['at once', false],
  ['later', true],
])('authenticators of the same header that return %s', (_, isLate) => {
  /** Creates an API with three authenticators, and records which of them were called. */
  async function anApiOfThree() {
    const tried: string[] = [];
    const way = (scheme: string) => byScheme(scheme, (each) => tried.push(each), isLate);
    const byKey: Authenticator = { ...way('Key'), header: 'x-api-key' };
    const { client } = await anApi({ authentication: authenticateBy(byKey, way('One'), way('Two'), way('Three')) });
    return { tried, send: (authorization: string) => client().get('/v1/orders', { authorization }) };
  }

  it('are called in order, until one recognizes the credentials', async () => {
    const { send, tried } = await anApiOfThree();
    expect((await send('Two ada')).status).toBe(200);
    expect(tried).toEqual(['One', 'Two']);
  });

  it('are not called after one has rejected the credentials', async () => {
    const { send, tried } = await anApiOfThree();
    expect(await send('One bad')).toMatchObject({ status: 401, body: { detail: 'One is bad.' } });
    expect(tried).toEqual(['One']);
  });

  it('are all listed in the detail of an unknown scheme, and the first one sets the challenge', async () => {
    const { send, tried } = await anApiOfThree();
    const ways = ['Key', 'One', 'Two', 'Three'].map((scheme) => `${scheme} in Authorization`).join(', or ');
    expect(await send('Four ada')).toMatchObject({
      status: 401,
      headers: { 'www-authenticate': 'Key realm="orders"' },
      body: { code: 'unauthenticated', detail: `Send ${ways}.` },
    });
    expect(tried).toEqual(['One', 'Two', 'Three']);
  });
});
