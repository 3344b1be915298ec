import type { AddressPolicy } from '../targets/address-rules.ts';
import type { Target } from '../targets/webhook-targets.ts';
import { AttemptFailure } from './attempt-failure.ts';
import type { Lookup } from './dns-lookup.ts';

/** Maximum time to look up the addresses of a host, in milliseconds. */
const LOOKUP_TIMEOUT_MS = 5000;
/** Maximum number of addresses of a host that are tried, one after the other. */
const ADDRESSES_TRIED_MAX = 8;

/** Finds the addresses of hosts, and decides which of them requests may reach. */
export interface AddressSource {
  readonly policy: AddressPolicy;
  readonly lookup: Lookup;
  /** Default: {@link LOOKUP_TIMEOUT_MS}. */
  readonly lookupTimeoutMs?: number | undefined;
}

/**
 * Returns the addresses of a host that a connection may use. One address that is not permitted rejects the whole name,
 * because its owner decides which of its addresses is used. A name without an address gives the same error, so that the
 * names of a private network stay unknown.
 *
 * @throws {AttemptFailure} an address is not permitted, or the lookup failed or took too long
 * @throws the reason of the signal, when it is aborted
 */
export async function checkedAddresses(
  { url, isStandard, addresses: stated }: Target,
  { policy, lookup, lookupTimeoutMs = LOOKUP_TIMEOUT_MS }: AddressSource,
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (stated) return stated;
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), lookupTimeoutMs);
  const addresses = await lookup(url.hostname, AbortSignal.any([late.signal, signal]))
    .catch((cause: unknown) => {
      throw late.signal.aborted ? new AttemptFailure('timed_out', { cause }) : cause;
    })
    .finally(() => clearTimeout(timer));
  signal.throwIfAborted();
  if (addresses.length === 0 || !addresses.every((address) => policy.permits(address, isStandard))) {
    throw new AttemptFailure('target_not_allowed');
  }
  return addresses.slice(0, ADDRESSES_TRIED_MAX);
}
