import type { FastifyRequest } from 'fastify';
import { err, type Result } from 'neverthrow';
import type { Place } from '../under-way.ts';
import { addressKey, keyOfAddress } from './address-key.ts';
import { fairQueue } from './fair-queue.ts';

/** Maximum number of concurrent lookups for all addresses that have sent too many invalid credentials. */
const CONCURRENCY = 2;

/** Maximum time for which such a lookup waits, in milliseconds. */
const WAIT_MS = 250;

/** Maximum number of such lookups that wait: of all addresses, and of one. */
const WAITING_MAX = 1000;
const WAITING_MAX_OF_ADDRESS = 100;

/** The places of the requests under way, of which a lookup takes one of its address. */
export interface Places {
  readonly enter: (key: string) => Place | undefined;
  readonly leave: (place: Place) => void;
}

/** A lookup was not made, because the address has sent too many invalid credentials, or has too many under way. */
export interface LookupRejected {
  readonly type: 'lookup_rejected';
}

/**
 * Limits the lookups of credentials that are not in the cache of this process. Authenticators pass every such lookup
 * through it, so that an unauthenticated client cannot cause unlimited queries.
 */
export interface CredentialLookups {
  /**
   * Calls `find` and returns its result. While the address of the request is below the limit of requests without valid
   * credentials, it calls `find` immediately. Above the limit, at most two lookups of all such addresses run concurrently,
   * and the addresses take turns. A lookup that waits longer than 250 ms is rejected. `find` gets whether the address is
   * above the limit, so that it can leave a shared budget to others.
   */
  run<T, E>(
    request: Pick<FastifyRequest, 'ip'>,
    find: (isAboveLimit: boolean) => Result<T, E> | PromiseLike<Result<T, E>>,
  ): Promise<Result<T, E | LookupRejected>>;
}

/** Creates the limit. `hasRequestsLeft` returns whether an address, given its `addressKey`, is below its limit. */
export function credentialLookups(
  hasRequestsLeft: (address: string) => boolean,
  { enter, leave }: Places,
): CredentialLookups {
  const queue = fairQueue({
    concurrency: CONCURRENCY,
    waitMs: WAIT_MS,
    waitingMax: WAITING_MAX,
    waitingMaxOfKey: WAITING_MAX_OF_ADDRESS,
  });
  return {
    run: async ({ ip }, find) => {
      const address = addressKey(ip);
      const place = enter(keyOfAddress(address));
      if (!place) return err({ type: 'lookup_rejected' });
      try {
        if (hasRequestsLeft(address)) return await find(false);
        if (!(await queue.enter(address))) return err({ type: 'lookup_rejected' });
        try {
          return await find(true);
        } finally {
          queue.leave();
        }
      } finally {
        leave(place);
      }
    },
  };
}
