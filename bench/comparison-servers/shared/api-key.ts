import { createHash } from 'node:crypto';

const REMEMBERED_MS = 30_000;

/** Finds the owner of an API key by its hash, and remembers it for thirty seconds, as the product does. */
export function rememberedOwners(
  find: (keyHash: string) => Promise<string | undefined>,
): (apiKey: string | undefined) => Promise<string | undefined> | string | undefined {
  const known = new Map<string, { readonly owner: string; readonly until: number }>();
  const ask = async (hash: string): Promise<string | undefined> => {
    const owner = await find(hash);
    if (owner !== undefined) known.set(hash, { owner, until: Date.now() + REMEMBERED_MS });
    return owner;
  };
  return (apiKey) => {
    if (apiKey === undefined) return undefined;
    const hash = createHash('sha256').update(apiKey).digest('base64url');
    const found = known.get(hash);
    return found && found.until > Date.now() ? found.owner : ask(hash);
  };
}
