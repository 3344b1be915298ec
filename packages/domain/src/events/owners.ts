import type { Owner } from '../shared/ids.ts';
import type { OwnerCheckpoints } from './checkpoints.ts';
import { Retries, type RetryOptions } from './retries.ts';

/**
 * Iterates over all owners that have events, or had some, in the order of their characters, until `signal` is aborted. Each
 * comes once. An owner whose first event is written meanwhile may be missing. Retries `unavailable` after a pause.
 */
export async function* owners(
  checkpoints: Pick<OwnerCheckpoints, 'listOwners'>,
  options: RetryOptions = {},
): AsyncGenerator<Owner, void, undefined> {
  const failures = new Retries(options);
  for (let after: Owner | null = null; !failures.isOver();) {
    const page = await checkpoints.listOwners(after);
    if (page.isErr()) {
      await failures.pause(page.error.cause);
      continue;
    }
    failures.reset();
    yield* page.value.owners;
    if (page.value.next === null) return;
    after = page.value.next;
  }
}
