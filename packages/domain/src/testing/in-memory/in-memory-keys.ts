import { err, ok, type Result } from 'neverthrow';
import type { Owner } from '../../shared/ids.ts';
import type { KeyReused, Once } from '../../shared/once.ts';

/** The idempotency keys of all kinds of writes: which command each belongs to, and until when. */
export class InMemoryKeys {
  readonly #keys = new Map<string, Once>();

  /** The name under which the key's write left its result; `null` when the key is free. */
  recall(owner: Owner, once: Once | undefined): Result<string | null, KeyReused> {
    if (!once) return ok(null);
    const name = nameOf(owner, once);
    const found = this.#keys.get(name);
    if (!found || found.expires_at <= once.now) return ok(null);
    return found.fingerprint === once.fingerprint ? ok(name) : err({ type: 'idempotency_key_reused' });
  }

  /** Takes the key, and tells the name to leave the write's result under. */
  take(owner: Owner, once: Once): string {
    const name = nameOf(owner, once);
    this.#keys.set(name, structuredClone(once));
    return name;
  }
}

function nameOf(owner: Owner, { key }: Once): string {
  return JSON.stringify([owner, key]);
}
