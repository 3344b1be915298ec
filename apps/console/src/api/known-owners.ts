/** The owners of orders that lists have shown: an id in a URL does not say whose it is. */
const KNOWN = new Map<string, string>();

/** Keeps whose orders these are. */
export function keepOwners(orders: readonly { readonly id: string; readonly owner: string }[]): void {
  for (const { id, owner } of orders) KNOWN.set(id, owner);
}

/** Returns whose an order is, if a list has shown it. */
export function knownOwner(id: string): string | undefined {
  return KNOWN.get(id);
}
