import { call } from './call.ts';
import { Problem } from './problem.ts';
import type { Owners } from './types.ts';

/** Where the owners are kept whose digests are in URLs, by digest. */
const KEY = 'orders-owners';

/**
 * Returns what stands for an owner in a URL, so that the history of the browser and a shared screen do not say who it is: 64
 * bits of FNV-1a.
 */
export function digestOf(owner: string): string {
  let hash = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(owner)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  const digest = hash.toString(36);
  const known = kept();
  // Lists need those of all their rows, each time they are rendered.
  if (known[digest] === undefined) localStorage.setItem(KEY, JSON.stringify({ ...known, [digest]: owner }));
  return digest;
}

/**
 * Returns the owner of a digest: one that this browser has made, or that of a link from elsewhere, among all owners.
 *
 * @throws {Problem} no owner has it
 */
export async function findOwner(digest: string, signal: AbortSignal): Promise<string> {
  let after: string | undefined;
  while (ownerOfDigest(digest) === undefined) {
    const query = { limit: 100, after };
    const { data, page } = (await call<Owners>('/admin/v1/owners', { query, signal })).body;
    for (const { owner } of data) digestOf(owner);
    if (page.next_cursor === null) break;
    after = page.next_cursor;
  }
  const owner = ownerOfDigest(digest);
  if (owner === undefined) throw new Problem({ code: 'unknown_owner', title: 'No owner has the digest in this link' });
  return owner;
}

/** Returns the owner of a digest that this browser knows. */
export function ownerOfDigest(digest: string): string | undefined {
  return kept()[digest];
}

function kept(): Readonly<Record<string, string>> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written above
  return JSON.parse(localStorage.getItem(KEY) ?? '{}') as Readonly<Record<string, string>>;
}
