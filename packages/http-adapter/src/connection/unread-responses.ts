import type { ServerResponse } from 'node:http';
import type { Owner } from '@orders/domain';
import type { OrdersHttpObserver } from '../observer.ts';
import type { Problem } from '../problems/problem.ts';

/** Default of `unreadBytesMax`. */
export const UNREAD_BYTES_MAX_DEFAULT = 32 * 1024 * 1024;

export type UnreadResponses = ReturnType<typeof unreadResponses>;

/** Counts the response bytes of each owner that the operating system has not taken yet, over all connections. */
export function unreadResponses(bytesMax: number, observer: Pick<OrdersHttpObserver, 'unreadLimited'>) {
  /** Contains only owners with unread bytes. */
  const unread = new Map<string, number>();
  const add = (owner: string, bytes: number): void => {
    const sum = (unread.get(owner) ?? 0) + bytes;
    if (sum > 0) unread.set(owner, sum);
    else unread.delete(owner);
  };
  const count = (owner: Owner, response: ServerResponse): void => {
    const bytes = response.writableLength;
    // Usually the operating system has already taken all of it.
    if (bytes === 0 || response.closed) return;
    add(owner, bytes);
    response.once('close', () => add(owner, -bytes));
  };
  return {
    /** Returns the problem of a request whose owner has too many unread bytes. */
    exceeded: (owner: Owner): Problem | undefined => {
      if (unread.size === 0 || (unread.get(owner) ?? 0) < bytesMax) return undefined;
      observer.unreadLimited();
      return {
        code: 'rate_limited',
        detail: `At least ${bytesMax} bytes of responses are unread. Read them before you send further requests.`,
        headers: { 'retry-after': '1' },
      };
    },
    /** Counts a response from its sending until it is closed. */
    count: (owner: Owner, response: ServerResponse): void => {
      // Hooks of the host application may still be processing it.
      if (response.writableEnded) count(owner, response);
      else response.once('prefinish', () => count(owner, response));
    },
  };
}
