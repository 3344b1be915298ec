import type { Options } from './options.ts';

/** What certificates are to be known by, and what is wrong with it. */
export interface CertificateIdentity {
  readonly identity: string;
  readonly mistakes: readonly string[];
}

/** An entry of an index of PostgreSQL's has room for 2,704 bytes. */
const MAX_BYTES = 2000;

/** Special characters come after a backslash, control characters as `\0A`. */
const CHARACTER = String.raw`(?:[^\\,+"<>;\x00-\x1f\x7f]|\\[ #,+"\\<>;]|\\[01][0-9A-F]|\\7F)`;
const PART = String.raw`[A-Za-z][A-Za-z0-9-]*=(?![ #])${CHARACTER}*(?<![^\\] )`;

/** `CN=shop,O=Acme`, or `CN=shop+OU=Web` where a part has several attributes; without openssl's `subject=` before. */
const SUBJECT = new RegExp(`^(?!subject=)${PART}(?:[,+]${PART})*$`);

/** As the certificates are read: absolute, in the characters of RFC 3986. */
const URI = /^[A-Za-z][A-Za-z0-9+.-]*:[\x21-\x7e]+$/;

const OPENSSL = 'openssl x509 -in FILE -noout -subject -nameopt RFC2253,utf8,-esc_msb';
const SUBJECT_MISTAKE = `--subject: must be as "${OPENSSL}" prints it after subject=`;
const URI_MISTAKE = '--uri: must be an absolute URI such as spiffe://acme.example/shop';

/** Reads `--subject` or `--uri`, whichever there is. */
export function readCertificateIdentity({ subject, uri }: Options): CertificateIdentity {
  const identity = subject ?? uri ?? '';
  const judged = subject === undefined ? judge(identity, URI, URI_MISTAKE) : judge(identity, SUBJECT, SUBJECT_MISTAKE);
  const one = (subject === undefined) !== (uri === undefined);
  return { identity, mistakes: one ? judged : ['--subject, --uri: name the certificate by one of them'] };
}

function judge(identity: string, spelling: RegExp, mistake: string): readonly string[] {
  if (!spelling.test(identity)) return [mistake];
  return Buffer.byteLength(identity) > MAX_BYTES ? [`--subject, --uri: must have at most ${MAX_BYTES} bytes`] : [];
}
