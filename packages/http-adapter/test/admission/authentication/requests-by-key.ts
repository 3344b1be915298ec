import type { RateLimitOptions } from '../../../src/admission/rate-limits/rate-limit-options.ts';
import type { Json, SigningKey } from './a-token.ts';
import { aToken, anApiOf, bearer, type Issuer } from './an-issuer.ts';

export const MINUTES = 60_000;

/** Creates an API with the keys of `issuer` behind a trusted proxy, and functions that send tokens to it. */
export async function over(issuer: Issuer, rateLimits?: RateLimitOptions) {
  const warnings: unknown[] = [];
  const warn = (_: string, error: unknown) => warnings.push(error);
  const wanted = { server: { trustProxy: true }, ...(rateLimits && { rateLimits }) };
  const { client, clock } = await anApiOf(issuer, { warn }, wanted);
  const send = (key: SigningKey, header: Json = {}) =>
    client.get('/v1/orders', bearer(aToken(key, clock, { exp: 1e10 }, header)));
  const statusFor = async (key: SigningKey, header?: Json) => (await send(key, header)).status;
  const statusesFor = (keys: readonly SigningKey[]) => Promise.all(keys.map((key) => statusFor(key)));
  /** Sends a token from another address. */
  const statusFrom = async (address: string, key: SigningKey) => {
    const token = bearer(aToken(key, clock, { exp: 1e10 }));
    return (await client.get('/v1/orders', { ...token, 'x-forwarded-for': address })).status;
  };
  return { send, clock, statusFrom, statusFor, statusesFor, warnings };
}

export const many = (key: SigningKey): readonly SigningKey[] => Array.from({ length: 20 }, () => key);

/** Sends a token of `key` by another API, and returns the requests that `issuer` received before it. */
export async function requestsMeanwhile(issuer: Issuer, key: SigningKey): Promise<number> {
  const { statusFor } = await over(issuer);
  await statusFor(key);
  return issuer.requestCount() - 1;
}
