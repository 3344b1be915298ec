import { err, ok, type Result, ResultAsync } from 'neverthrow';
import type { ChangeOptions, RequestOptions, WriteOptions } from '../options.ts';
import { newKey } from './keys.ts';
import { assertOptions, WRITE_OPTIONS } from './known-options.ts';

/** Maximum number of times that an update reads a resource and sends its change. */
const UPDATES_MAX = 5;

/** How a resource is read and changed. */
interface Resources<T, Patch, W, ReadE, WriteE> {
  readonly get: (id: string, options: RequestOptions) => ResultAsync<T, ReadE>;
  readonly change: (id: string, patch: Patch, options: ChangeOptions) => ResultAsync<W, WriteE>;
}

/**
 * Reads a resource, and sends the change that `decide` makes of it under the version that was read. Starts again when
 * another change came in between, {@link UPDATES_MAX} times in all. All of them have one key: a rejected one uses no key.
 *
 * @throws {TypeError} an option is unknown
 */
export function update<
  T extends { readonly version: number },
  Patch,
  W,
  ReadE,
  WriteE extends { readonly type: string },
>(
  id: string,
  { get, change }: Resources<T, Patch, W, ReadE, WriteE>,
  decide: (before: T) => Patch,
  options: WriteOptions,
): ResultAsync<W, ReadE | WriteE> {
  assertOptions(options, WRITE_OPTIONS);
  const { idempotencyKey = newKey(), signal, externalUserId } = options;
  const run = async (): Promise<Result<W, ReadE | WriteE>> => {
    for (let round = 1; ; round += 1) {
      const before = await get(id, { signal });
      if (before.isErr()) return err(before.error);
      const ifVersion = before.value.version;
      const changed = await change(id, decide(before.value), { idempotencyKey, externalUserId, signal, ifVersion });
      if (changed.isOk()) return ok(changed.value);
      if (changed.error.type !== 'precondition_failed' || round === UPDATES_MAX) return err(changed.error);
    }
  };
  return new ResultAsync(run());
}
