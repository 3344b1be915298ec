import { constants, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import type { Config, Given } from './config.ts';
import { reasonOf } from '../operator-error.ts';

/** Returns the TLS options of the server from files that were validated with the environment; `null` without HTTPS. */
export function readTls({ TLS_CERT_FILE, TLS_KEY_FILE, TLS_CLIENT_CA_FILE }: Config) {
  if (TLS_CERT_FILE === undefined || TLS_KEY_FILE === undefined) return null;
  // Of client certificates.
  const ca = TLS_CLIENT_CA_FILE === undefined ? undefined : readFileSync(TLS_CLIENT_CA_FILE);
  return {
    cert: readFileSync(TLS_CERT_FILE),
    key: readFileSync(TLS_KEY_FILE),
    ca,
    requestCert: ca !== undefined,
    // Clients without a certificate may use a key or a token, so the certificate is checked per request.
    rejectUnauthorized: false,
    // Renegotiation could change the identity of an accepted connection.
    secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
  };
}

/** Returns errors in the HTTPS files of an environment, by variable. */
export function validateTlsFiles({ TLS_CERT_FILE, TLS_KEY_FILE, TLS_CLIENT_CA_FILE }: Given): readonly string[] {
  const faults = [
    ...validate('TLS_CERT_FILE', TLS_CERT_FILE, (cert) => createSecureContext({ cert })),
    ...validate('TLS_KEY_FILE', TLS_KEY_FILE, (key) => createSecureContext({ key })),
    ...validate('TLS_CLIENT_CA_FILE', TLS_CLIENT_CA_FILE, (ca) => new X509Certificate(ca)),
  ];
  if (faults.length > 0 || TLS_CERT_FILE === undefined) return faults;
  return validate('TLS_KEY_FILE', TLS_KEY_FILE, (key) =>
    createSecureContext({ cert: readFileSync(TLS_CERT_FILE), key }),
  );
}

function validate(name: string, path: string | undefined, use: (pem: Buffer) => unknown): readonly string[] {
  if (path === undefined) return [];
  try {
    use(readFileSync(path));
    return [];
  } catch (cause) {
    return [`${name}: ${path} cannot be used: ${reasonOf(cause)}`];
  }
}
