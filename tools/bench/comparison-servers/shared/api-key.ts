import { createHash } from 'node:crypto';

const CACHED_MS = 30_000;

/** Returns a lookup of owners by API key. It caches an owner for thirty seconds, as Orders does. */
export function cachedOwners(
  find: (keyHash: string) => Promise<string | undefined>,
): (apiKey: string | undefined) => Promise<string | undefined> | string | undefined {
  const known = new Map<string, { readonly owner: string; readonly until: number }>();
  const lookUp = async (hash: string): Promise<string | undefined> => {
    const owner = await find(hash);
    if (owner !== undefined) known.set(hash, { owner, until: Date.now() + CACHED_MS });
    return owner;
  };
  return (apiKey) => {
    if (apiKey === undefined) return undefined;
    const hash = createHash('sha256').update(apiKey).digest('base64url');
    const found = known.get(hash);
    return found && found.until > Date.now() ? found.owner : lookUp(hash);
  };
}
