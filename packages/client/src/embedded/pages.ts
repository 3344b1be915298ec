import { type Page as DomainPage, type Position, SORT_DEFAULT } from '@orders/domain';
import type { Page } from '../schemas.ts';

/** The cursors of one list. Those of other lists are positions that every query rejects. */
export interface Cursors<Value extends string | number> {
  readonly encode: (position: Position<Value>) => string;
  readonly decode: (cursor: string | undefined) => Position<Value> | undefined;
}

/** Returns the cursors of a list whose positions have texts. `list` is its name, with what its order depends on. */
export function textCursors(list: string): Cursors<string> {
  return cursors(list, (value) => value);
}

/** Returns the cursors of a list whose positions have numbers. */
export function numberCursors(list: string): Cursors<number> {
  return cursors(list, (value) => (/^\d+$/.test(value) ? Number(value) : Number.NaN));
}

/** Returns the name of a list that has a sort order. */
export function sorted(list: string, query: { readonly sort?: string | undefined }): string {
  return `${list} ${String(query.sort ?? SORT_DEFAULT)}`;
}

function cursors<Value extends string | number>(list: string, read: (text: string) => Value): Cursors<Value> {
  const prefix = `${list}~`;
  return {
    encode: ({ value, id }) => `${prefix}${value}~${id}`,
    decode: (cursor) => {
      if (cursor === undefined) return undefined;
      const position = cursor.startsWith(prefix) ? cursor.slice(prefix.length) : '';
      // A value may contain the separator, as references do.
      const [, value = '', id = ''] = /^(.+)~([^~]+)$/s.exec(position) ?? [];
      return { value: read(value), id };
    },
  };
}

/** Returns a page of the domain with its elements as the client has them, and its position as a cursor. */
export function toPage<From, To, Value extends string | number>(
  { data, next }: DomainPage<From, Value>,
  present: (element: From) => To,
  { encode }: Pick<Cursors<Value>, 'encode'>,
): Page<To> {
  return { data: data.map(present), next_cursor: next && encode(next) };
}
