const TARGET = /^(?:https?:\/\/[^/?#]*)?([^?#]*)(?:[?#](.*))?$/is;

/** The path and query of a request's target as they were sent, in absolute form too (RFC 9112 section 3.2.2). */
export function readTarget(url: string): { readonly path: string; readonly query: string } {
  const [, path = '', query = ''] = TARGET.exec(url) ?? [];
  return { path, query };
}
