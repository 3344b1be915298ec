import type { Json, SigningKey } from './a-token.ts';
import { aToken, anApiOf, bearer, type Issuer } from './an-issuer.ts';

export const MINUTES = 60_000;

/** Creates an API with the keys of `issuer`, and functions that send tokens to it. */
export async function over(issuer: Issuer) {
  const warnings: unknown[] = [];
  const { client, clock } = await anApiOf(issuer, { warn: (_, error) => warnings.push(error) });
  const send = (key: SigningKey, header: Json = {}) =>
    client.get('/v1/orders', bearer(aToken(key, clock, { exp: 1e10 }, header)));
  const statusFor = async (key: SigningKey, header?: Json) => (await send(key, header)).status;
  const statusesFor = (keys: readonly SigningKey[]) => Promise.all(keys.map((key) => statusFor(key)));
  return { send, clock, statusFor, statusesFor, warnings };
}

export const many = (key: SigningKey): readonly SigningKey[] => Array.from({ length: 20 }, () => key);

/** Sends a token of `key` by another API, and returns the requests that `issuer` received before it. */
export async function requestsMeanwhile(issuer: Issuer, key: SigningKey): Promise<number> {
  const { statusFor } = await over(issuer);
  await statusFor(key);
  return issuer.requestCount() - 1;
}
