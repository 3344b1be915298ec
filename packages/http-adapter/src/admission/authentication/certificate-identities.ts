import type { X509Certificate } from 'node:crypto';

/** An absolute URI in the characters of RFC 3986. A subject is none: it begins with an attribute and `=`. */
const URI = /^[A-Za-z][A-Za-z0-9+.-]*:[\x21-\x7e]+$/;

/** One name of a subjectAltName as Node.js writes it: as it is, or as a JSON string when it has a comma in it. */
const NAME = /([^:,"]+):("[^"\\]*(?:\\.[^"\\]*)*"|[^,"]*)(?:, |$)/gy;

/**
 * The names that a certificate goes by: each URI of its subjectAltName, then its subject as in RFC 4514. None has a
 * line break in it.
 */
export function identitiesOf(certificate: X509Certificate): readonly string[] {
  const subject = subjectOf(certificate);
  return subject === '' ? urisOf(certificate) : [...urisOf(certificate), subject];
}

/** The most specific part first (RFC 4514 section 2.1); Node.js has a line a part, in the certificate's order. */
function subjectOf({ subject }: { readonly subject?: string }): string {
  const parts = subject?.split('\n').map((part) => part.split(' + ').toReversed().join('+')) ?? [];
  return parts.toReversed().join(',');
}

/** Up to a name that cannot be read, should Node.js ever write one. */
function urisOf({ subjectAltName = '' }: X509Certificate): readonly string[] {
  const names = [...subjectAltName.matchAll(NAME)];
  return names.flatMap(([, kind, value = '']) => (kind === 'URI' ? [unquoted(value)] : [])).filter(isUri);
}

function unquoted(value: string): unknown {
  return value.startsWith('"') ? JSON.parse(value) : value;
}

function isUri(name: unknown): name is string {
  return typeof name === 'string' && URI.test(name);
}
