import { constants, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import type { Config, Given } from './config.ts';
import { reasonOf } from './operator-error.ts';

/** What HTTPS needs. */
export interface TlsOptions {
  readonly cert: Buffer;
  readonly key: Buffer;
  /** Who may vouch for clients. */
  readonly ca?: Buffer | undefined;
  readonly requestCert: boolean;
  readonly rejectUnauthorized: boolean;
  readonly secureOptions: number;
}

/** Reads the files of HTTPS, which were judged with the environment; `null` when it is not configured. */
export function readTls({ TLS_CERT_FILE, TLS_KEY_FILE, TLS_CLIENT_CA_FILE }: Config): TlsOptions | null {
  if (TLS_CERT_FILE === undefined || TLS_KEY_FILE === undefined) return null;
  const ca = TLS_CLIENT_CA_FILE === undefined ? undefined : readFileSync(TLS_CLIENT_CA_FILE);
  return {
    cert: readFileSync(TLS_CERT_FILE),
    key: readFileSync(TLS_KEY_FILE),
    ca,
    requestCert: ca !== undefined,
    // Whoever has no certificate may have a key or a token: they are let in, and judged with each request.
    rejectUnauthorized: false,
    // Nobody becomes another one on a connection that was let in.
    secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
  };
}

/** What is wrong with the files of HTTPS that an environment names, by variable. */
export function judgeTlsFiles({ TLS_CERT_FILE, TLS_KEY_FILE, TLS_CLIENT_CA_FILE }: Given): readonly string[] {
  const mistakes = [
    ...judge('TLS_CERT_FILE', TLS_CERT_FILE, (cert) => createSecureContext({ cert })),
    ...judge('TLS_KEY_FILE', TLS_KEY_FILE, (key) => createSecureContext({ key })),
    ...judge('TLS_CLIENT_CA_FILE', TLS_CLIENT_CA_FILE, (ca) => new X509Certificate(ca)),
  ];
  if (mistakes.length > 0 || TLS_CERT_FILE === undefined) return mistakes;
  return judge('TLS_KEY_FILE', TLS_KEY_FILE, (key) => createSecureContext({ cert: readFileSync(TLS_CERT_FILE), key }));
}

function judge(name: string, path: string | undefined, use: (pem: Buffer) => unknown): readonly string[] {
  if (path === undefined) return [];
  try {
    use(readFileSync(path));
    return [];
  } catch (cause) {
    return [`${name}: ${path} cannot be used: ${reasonOf(cause)}`];
  }
}
