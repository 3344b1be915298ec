import type { X509Certificate } from 'node:crypto';
import { TLSSocket } from 'node:tls';
import type { Unavailable } from '@orders/domain';
import { err, ok, type ResultAsync } from 'neverthrow';
import { type Authenticator, badCredentials } from './authenticator.ts';
import { identitiesOf } from './certificate-identities.ts';
import type { Principal } from '../../principal.ts';
import { cachedLookup } from './credential-cache.ts';

/** Stores the owners and scopes of client certificates. */
export interface ClientCertificateStore {
  /** Returns the principal of the first identity that is mapped; `null` if none is. Default actor: that of the certificate. */
  find(identities: readonly string[]): ResultAsync<Principal | null, Unavailable>;
}

/** Security schemes of {@link clientCertificates} for the OpenAPI document. */
export const CLIENT_CERTIFICATE_SCHEMES = {
  ClientCertificate: {
    type: 'mutualTLS',
    description: `Certificate of a trusted authority. \`pnpm orders certs allow\` maps its subject, or a URI of its
subjectAltName, to an owner and scopes. A credential header takes precedence`,
  },
} as const;

/**
 * Authenticates by the client certificate of a TLS connection. The server needs `requestCert: true` and
 * `rejectUnauthorized: false`. A certificate is identified by the URIs of its subjectAltName in their order, then by its
 * subject in the form of RFC 4514. Changes of the store take effect within 30 seconds. `now` is the clock for the validity
 * of certificates; default: the system clock.
 */
export function clientCertificates(store: ClientCertificateStore, now: () => Date = () => new Date()): Authenticator {
  const find = cachedLookup((names) => store.find(names.split('\n')), now);
  return {
    header: undefined,
    credentials: 'a client certificate',
    securitySchemes: CLIENT_CERTIFICATE_SCHEMES,
    challenge: () => 'ClientCertificate realm="orders"',
    authenticate: async (request, lookups) => {
      const { socket } = request.raw;
      if (!(socket instanceof TLSSocket)) return null;
      const certificate = socket.getPeerX509Certificate();
      if (!certificate) return null;
      if (!isTrusted(socket) || !isValid(certificate, now())) {
        return err(badCredentials('unauthenticated', 'The client certificate is untrusted, expired or not yet valid.'));
      }
      const identities = identitiesOf(certificate);
      const found = identities.length === 0 ? ok(null) : await find(identities.join('\n'), request, lookups);
      if (found.isErr()) return err(found.error);
      if (!found.value)
        return err(badCredentials('unauthenticated', 'The client certificate is not mapped to an owner.'));
      return ok({ ...found.value, actor: found.value.actor ?? actorOf(certificate) });
    },
  };
}

/** Returns the actor of a certificate: the first 16 hexadecimal digits of its SHA-256. */
function actorOf({ fingerprint256 }: X509Certificate): string {
  return `certificate:${fingerprint256.replaceAll(':', '').slice(0, 16).toLowerCase()}`;
}

/**
 * Whether TLS accepted every certificate of the connection. A client may renegotiate with another certificate, and
 * `authorized` stays true if that one is rejected.
 */
function isTrusted({ authorized, authorizationError }: TLSSocket): boolean {
  return authorized && !authorizationError;
}

/** Checked for each request, because a connection or a resumed session may outlive the certificate. */
function isValid({ validFromDate, validToDate }: X509Certificate, at: Date): boolean {
  return validFromDate <= at && at <= validToDate;
}
