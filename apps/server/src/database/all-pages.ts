import type { Page, Position } from '@orders/domain';
import { okAsync, type ResultAsync } from 'neverthrow';

/** Elements per page. */
const PAGE = 1000;

/** Returns the elements of all pages of a list. */
export function allPages<Element, E>(
  read: (page: {
    readonly after: Position<string> | null;
    readonly limit: number;
  }) => ResultAsync<Page<Element, string>, E>,
  after: Position<string> | null = null,
): ResultAsync<readonly Element[], E> {
  return read({ after, limit: PAGE }).andThen(({ data, next }) =>
    next === null ? okAsync(data) : allPages(read, next).map((others) => [...data, ...others]),
  );
}
