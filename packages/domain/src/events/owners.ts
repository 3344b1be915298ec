import type { Owner } from '../shared/ids.ts';
import { valueOf } from '../shared/unavailable.ts';
import type { OwnerCheckpoints, OwnersPage } from './checkpoints.ts';
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
    const page: OwnersPage | undefined = (await failures.until(() => valueOf(checkpoints.listOwners(after))))?.result;
    if (!page) return;
    yield* page.owners;
    if (page.next === null) return;
    after = page.next;
  }
}
