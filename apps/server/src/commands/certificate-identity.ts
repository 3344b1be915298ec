import { CERTIFICATE_IDENTITY_BYTES_MAX, certificateIdentityKind } from '@orders/http-adapter/settings';
import type { Arguments } from './command.ts';

/** The identity that an option selects, and the error for an invalid option. */
export interface CertificateIdentity {
  readonly identity: string;
  readonly faults: readonly string[];
}

const OPENSSL = 'openssl x509 -in FILE -noout -subject -nameopt RFC2253,utf8,-esc_msb';
const FAULTS = {
  subject: `--subject: must be the text after subject= in the output of "${OPENSSL}"`,
  uri: '--uri: must be an absolute URI such as spiffe://acme.example/shop',
};

/** Parses `--subject` or `--uri`, exactly one of which must be present. */
export function readCertificateIdentity({ subject, uri }: Arguments['values']): CertificateIdentity {
  const identity = subject ?? uri ?? '';
  const one = (subject === undefined) !== (uri === undefined);
  if (!one) return { identity, faults: ['--subject, --uri: exactly one of them is required'] };
  const kind = subject === undefined ? 'uri' : 'subject';
  if (certificateIdentityKind(identity) !== kind) return { identity, faults: [FAULTS[kind]] };
  const isLong = Buffer.byteLength(identity) > CERTIFICATE_IDENTITY_BYTES_MAX;
  return {
    identity,
    faults: isLong ? [`--subject, --uri: must have at most ${CERTIFICATE_IDENTITY_BYTES_MAX} bytes`] : [],
  };
}
