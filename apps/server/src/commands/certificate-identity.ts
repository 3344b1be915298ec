import type { Arguments } from './command.ts';

/** The identity that an option selects, and the error for an invalid option. */
export interface CertificateIdentity {
  readonly identity: string;
  readonly faults: readonly string[];
}

/** The limit of an index entry in PostgreSQL is 2,704 bytes. */
const MAX_BYTES = 2000;

/** A backslash precedes special characters, and control characters have the form `\0A`. */
const CHARACTER = String.raw`(?:[^\\,+"<>;\x00-\x1f\x7f]|\\[ #,+"\\<>;]|\\[01][0-9A-F]|\\7F)`;
const PART = String.raw`[A-Za-z][A-Za-z0-9-]*=(?![ #])${CHARACTER}*(?<![^\\] )`;

/**
 * Matches `CN=shop,O=Acme`, or `CN=shop+OU=Web` for a part with several attributes, without openssl's prefix
 * `subject=`.
 */
const SUBJECT = new RegExp(`^(?!subject=)${PART}(?:[,+]${PART})*$`);

/** Matches absolute URIs in the characters of RFC 3986. */
const URI = /^[A-Za-z][A-Za-z0-9+.-]*:[\x21-\x7e]+$/;

const OPENSSL = 'openssl x509 -in FILE -noout -subject -nameopt RFC2253,utf8,-esc_msb';
const SUBJECT_FAULT = `--subject: must be the text after subject= in the output of "${OPENSSL}"`;
const URI_FAULT = '--uri: must be an absolute URI such as spiffe://acme.example/shop';

/** Parses `--subject` or `--uri`, exactly one of which must be present. */
export function readCertificateIdentity({ subject, uri }: Arguments['values']): CertificateIdentity {
  const identity = subject ?? uri ?? '';
  const faults =
    subject === undefined ? validate(identity, URI, URI_FAULT) : validate(identity, SUBJECT, SUBJECT_FAULT);
  const one = (subject === undefined) !== (uri === undefined);
  return { identity, faults: one ? faults : ['--subject, --uri: exactly one of them is required'] };
}

function validate(identity: string, spelling: RegExp, fault: string): readonly string[] {
  if (!spelling.test(identity)) return [fault];
  return Buffer.byteLength(identity) > MAX_BYTES ? [`--subject, --uri: must have at most ${MAX_BYTES} bytes`] : [];
}
