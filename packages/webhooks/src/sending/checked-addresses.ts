import type { AddressPolicy } from '../targets/address-rules.ts';
import type { Target } from '../targets/webhook-targets.ts';
import { AttemptFailure } from './attempt-failure.ts';
import type { SharedLookup } from './dns-lookup.ts';

/** Time after which an attempt at a target that is not allowed or not found fails, in milliseconds, whatever the reason. */
export const NOT_ALLOWED_AFTER_MS = 5000;
/** Maximum number of addresses of a host that are tried, one after the other. */
const ADDRESSES_TRIED_MAX = 8;

/** Finds the addresses of hosts, and decides which of them requests may reach. */
export interface AddressSource {
  readonly policy: AddressPolicy;
  readonly lookup: SharedLookup;
  /** Default: {@link NOT_ALLOWED_AFTER_MS}. */
  readonly notAllowedAfterMs?: number | undefined;
}

/**
 * Returns the addresses of a host that a connection may use. One address that is not permitted rejects the whole name,
 * because its owner decides which of its addresses is used. A name with too many addresses has none.
 *
 * A name without an address, one whose lookup fails and one with a forbidden address give the same error after the same
 * time. Otherwise an owner could find out which names a private network has, and how its name servers respond.
 *
 * @throws {AttemptFailure} `target_not_allowed`, {@link NOT_ALLOWED_AFTER_MS} after the call
 * @throws the reason of the signal, when it is aborted
 */
export async function checkedAddresses(
  { url, isStandard, addresses: stated }: Target,
  { policy, lookup, notAllowedAfterMs = NOT_ALLOWED_AFTER_MS }: AddressSource,
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (stated) return stated;
  const { promise: held, resolve: release } = Promise.withResolvers<undefined>();
  const end = () => release(undefined);
  const timer = setTimeout(end, notAllowedAfterMs);
  signal.addEventListener('abort', end);
  try {
    const addresses = await lookup(url.hostname);
    if (!signal.aborted && arePermitted(addresses, isStandard, policy)) return addresses.slice(0, ADDRESSES_TRIED_MAX);
    await held;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
  }
  signal.throwIfAborted();
  throw new AttemptFailure('target_not_allowed');
}

function arePermitted(addresses: readonly string[], isStandard: boolean, policy: AddressPolicy): boolean {
  return addresses.length > 0 && addresses.every((address) => policy.permits(address, isStandard));
}
