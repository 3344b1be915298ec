import type { X509Certificate } from 'node:crypto';
import { HIDDEN_CHARACTERS } from '../../hidden-characters.ts';

/** An absolute URI in the characters of RFC 3986. A subject never matches, because it begins with an attribute and `=`. */
const URI = /^[A-Za-z][A-Za-z0-9+.-]*:[\x21-\x7e]+$/;

/** A backslash precedes special characters, and control characters have the form `\0A`. No list could show hidden ones. */
const CHARACTER = String.raw`(?:[^\\,+"<>;${HIDDEN_CHARACTERS}]|\\[ #,+"\\<>;]|\\[01][0-9A-F]|\\7F)`;
const PART = String.raw`[A-Za-z][A-Za-z0-9-]*=(?![ #])${CHARACTER}*(?<![^\\] )`;

/**
 * Matches `CN=shop,O=Acme`, or `CN=shop+OU=Web` for a part with several attributes, without openssl's prefix
 * `subject=`.
 */
const SUBJECT = new RegExp(`^(?!subject=)${PART}(?:[,+]${PART})*$`, 'u');

/** Maximum length of an identity that is mapped, in bytes. The limit of an index entry in PostgreSQL is 2,704. */
export const CERTIFICATE_IDENTITY_BYTES_MAX = 2000;

/** Which of the identities of a certificate a text has the form of; `undefined` for none. */
export function certificateIdentityKind(identity: string): 'subject' | 'uri' | undefined {
  if (SUBJECT.test(identity)) return 'subject';
  return URI.test(identity) ? 'uri' : undefined;
}

/** One name of a subjectAltName as Node.js writes it: plain, or as a JSON string if it contains a comma. */
const NAME = /([^:,"]+):("[^"\\]*(?:\\.[^"\\]*)*"|[^,"]*)(?:, |$)/gy;

/**
 * Returns the identities of a certificate: each URI of its subjectAltName, then its subject as in RFC 4514. None of them
 * contains a line break.
 */
export function identitiesOf(certificate: X509Certificate): readonly string[] {
  const subject = subjectOf(certificate);
  return subject === '' ? urisOf(certificate) : [...urisOf(certificate), subject];
}

/** Formats the subject with the most specific part first (RFC 4514 section 2.1). Node.js has one line per part, reversed. */
function subjectOf({ subject }: { readonly subject?: string }): string {
  const parts = subject?.split('\n').map((part) => part.split(' + ').toReversed().join('+')) ?? [];
  return parts.toReversed().join(',');
}

/** Returns the URIs, up to the first name that cannot be parsed. */
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
