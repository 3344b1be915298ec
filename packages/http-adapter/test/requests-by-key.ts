import type { Json, SigningKey } from './a-token.ts';
import { aToken, anApiOf, bearer, type Issuer } from './an-issuer.ts';

export const MINUTES = 60_000;
/** What happens in the background happens soon, but not on every machine at once. */
export const PATIENTLY = { timeout: 20_000 };

/** An API over the keys of `issuer`, which is asked with a token of a key, or with several at once. */
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

/** How often `issuer` was asked until it has answered somebody else, of whom it is asked with `key` now. */
export async function requestsMeanwhile(issuer: Issuer, key: SigningKey): Promise<number> {
  const { statusFor } = await over(issuer);
  await statusFor(key);
  return issuer.requestCount() - 1;
}
