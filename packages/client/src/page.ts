import type { ResultAsync } from 'neverthrow';
import { trusted } from './calls/trusted.ts';
import type { AbortSignalLike } from './options.ts';
import type { Page } from './schemas.ts';
import type { Call, CodesOf } from './transport/send.ts';
import type { Settings } from './transport/settings.ts';
import { read } from './transport/writes.ts';

/** A page as the server sends it. */
interface SentPage<T> {
  readonly data: readonly T[];
  readonly page: { readonly next_cursor: string | null };
}

/** Reads one page of a list. */
export function readPage<T, E extends { readonly type: string }>(
  settings: Settings,
  path: string,
  query: Call['query'],
  codes: CodesOf<E>,
  signal: AbortSignalLike | undefined,
): ResultAsync<Page<T>, E> {
  return read<E>(settings, { path, query, signal, isList: true }, codes).map((body) => {
    const { data, page } = trusted<SentPage<T>>(body);
    return { data, next_cursor: page.next_cursor };
  });
}
