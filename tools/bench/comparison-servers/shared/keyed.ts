import type { PresentedOrder } from './order.ts';
import { Rejection } from './problem.ts';

/** The result of a write with an idempotency key. */
export interface Written {
  readonly order: object & { readonly id: string; readonly version: number };
  readonly replayed: boolean;
}

/** The response that a key recorded. */
interface Recorded {
  readonly fingerprint: string;
  readonly snapshot: Written['order'];
}

const ATTEMPTS = 3;

/**
 * Runs a write, or returns the recorded response of its key. Repeats it after a conflict with a concurrent request, so that
 * it finds the key of that request or the order as it is then.
 *
 * @param find returns what the key recorded
 * @param write stores the order and what the key records
 */
export async function keyed(
  key: string | undefined,
  print: string,
  {
    find,
    write,
    isConflict,
  }: {
    readonly find: (key: string) => Promise<Recorded | null | undefined>;
    readonly write: () => Promise<PresentedOrder>;
    readonly isConflict: (cause: unknown) => boolean;
  },
): Promise<Written> {
  for (let attempt = 1; ; attempt += 1) {
    const earlier = key === undefined ? undefined : await find(key);
    if (earlier && earlier.fingerprint !== print) throw new Rejection('idempotency_key_reused');
    if (earlier) return { order: earlier.snapshot, replayed: true };
    try {
      return { order: await write(), replayed: false };
    } catch (cause) {
      if (!isConflict(cause) || attempt === ATTEMPTS) throw cause;
    }
  }
}
