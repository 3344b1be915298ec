import type { IncomingMessage } from 'node:http';

/** Every value of a header as it was sent: Node.js joins the repetitions of some and keeps one of others. */
export function sentValues({ rawHeaders }: IncomingMessage, name: string): readonly string[] {
  const values: string[] = [];
  // By hand, and only names of the right length: this is on the way of every request.
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const sent = rawHeaders[index] ?? '';
    if (sent.length === name.length && sent.toLowerCase() === name) values.push(rawHeaders[index + 1] ?? '');
  }
  return values;
}

const TARGET = /^(?:https?:\/\/[^/?#]*)?([^?#]*)(?:[?#](.*))?$/is;

/** The path and query of a request's target as they were sent, in absolute form too (RFC 9112 section 3.2.2). */
export function readTarget(url: string): { readonly path: string; readonly query: string } {
  const [, path = '', query = ''] = TARGET.exec(url) ?? [];
  return { path, query };
}

/** The target of a request about the server as a whole (RFC 9112 section 3.2.4). */
export const WHOLE_SERVER = '*';

/** What most requests ask for. */
const PLAIN_PATH = /^\/[\w/-]*$/;

const FRAGMENT = '#';
const NAMES_A_USER = /^https?:\/\/[^/?#]*@/i;

/**
 * Whether a target can be read: it has no fragment (RFC 9112 section 3.2), names no user (RFC 9110 section 4.2.4), and
 * its query is percent-encoded UTF-8. The router sees to the path.
 */
export function isReadableTarget(url: string): boolean {
  if (PLAIN_PATH.test(url)) return true;
  if (url.includes(FRAGMENT) || NAMES_A_USER.test(url)) return false;
  try {
    decodeURIComponent(readTarget(url).query);
    return true;
  } catch {
    return false; // The encoding is bad.
  }
}
