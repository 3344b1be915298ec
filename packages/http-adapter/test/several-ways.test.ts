import { type Authenticator, authenticateBy, SCOPES } from '@orders/http-adapter';
import { err, ok } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { anApi } from './an-api.ts';

/** A way that knows credentials in `Authorization` by their scheme, and lets in all but `bad`; at once or later. */
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
])('ways with the same header that answer %s', (_, isLate) => {
  /** An API with three ways, and which of them were asked. */
  async function anApiOfThree() {
    const tried: string[] = [];
    const way = (scheme: string) => byScheme(scheme, (each) => tried.push(each), isLate);
    const byKey: Authenticator = { ...way('Key'), header: 'x-api-key' };
    const { client } = await anApi({ authentication: authenticateBy(byKey, way('One'), way('Two'), way('Three')) });
    return { tried, send: (authorization: string) => client().get('/v1/orders', { authorization }) };
  }

  it('are asked in their order, until one knows the credentials', async () => {
    const { send, tried } = await anApiOfThree();
    expect((await send('Two ada')).status).toBe(200);
    expect(tried).toEqual(['One', 'Two']);
  });

  it('are not asked once one knows that the credentials are bad', async () => {
    const { send, tried } = await anApiOfThree();
    expect(await send('One bad')).toMatchObject({ status: 401, body: { detail: 'One is bad.' } });
    expect(tried).toEqual(['One']);
  });

  it('are all told of when none knows the credentials, and the first way asks for its own', async () => {
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
