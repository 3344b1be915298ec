/** What entering a status records. */
export interface StatusEntry {
  /** Type of the event. */
  readonly event: `order.${string}`;
  /** Name of the order's member with the time of the last entry; `null` for the initial status, which has none. */
  readonly time: `${string}_at` | null;
}

/** Returns what entering a status records. Placing is the first entry of the initial one; further ones are changes. */
export function entryOf(status: string, initial: string): StatusEntry {
  return status === initial
    ? { event: 'order.changed', time: null }
    : { event: `order.${status}`, time: `${status}_at` };
}
