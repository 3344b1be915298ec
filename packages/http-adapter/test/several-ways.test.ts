import { type Authenticator, authenticateBy, SCOPES } from '@orders/http-adapter';
import { err, ok } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { anApi } from './an-api.ts';

/** A way that knows credentials in `Authorization` by their scheme, and lets in all but `bad`; at once or later. */
function byScheme(
  scheme: string,
  whenAsked: (scheme: string) => void = () => undefined,
  isLate = false,
): Authenticator {
  const judge: Authenticator['authenticate'] = ({ headers: { authorization = '' } }) => {
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
      whenAsked(scheme);
      const judged = judge(request, lookups);
      return isLate ? Promise.resolve(judged) : judged;
    },
  };
}

describe.each([
  ['at once', false],
  ['later', true],
])('ways with the same header that answer %s', (_, isLate) => {
  /** An API with three ways, and which of them were asked. */
  async function anApiOfThree() {
    const asked: string[] = [];
    const way = (scheme: string) => byScheme(scheme, (each) => asked.push(each), isLate);
    const byKey: Authenticator = { ...way('Key'), header: 'x-api-key' };
    const { client } = await anApi({ authentication: authenticateBy(byKey, way('One'), way('Two'), way('Three')) });
    return { asked, ask: (authorization: string) => client().get('/v1/orders', { authorization }) };
  }

  it('are asked in their order, until one knows the credentials', async () => {
    const { ask, asked } = await anApiOfThree();
    expect((await ask('Two ada')).status).toBe(200);
    expect(asked).toEqual(['One', 'Two']);
  });

  it('are not asked once one knows that the credentials are bad', async () => {
    const { ask, asked } = await anApiOfThree();
    expect(await ask('One bad')).toMatchObject({ status: 401, body: { detail: 'One is bad.' } });
    expect(asked).toEqual(['One']);
  });

  it('are all told of when none knows the credentials, and the first way asks for its own', async () => {
    const { ask, asked } = await anApiOfThree();
    const ways = ['Key', 'One', 'Two', 'Three'].map((scheme) => `${scheme} in Authorization`).join(', or ');
    expect(await ask('Four ada')).toMatchObject({
      status: 401,
      headers: { 'www-authenticate': 'Key realm="orders"' },
      body: { code: 'unauthenticated', detail: `Send ${ways}.` },
    });
    expect(asked).toEqual(['One', 'Two', 'Three']);
  });
});
