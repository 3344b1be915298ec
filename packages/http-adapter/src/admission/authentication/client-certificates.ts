import type { X509Certificate } from 'node:crypto';
import { TLSSocket } from 'node:tls';
import type { Unavailable } from '@orders/domain';
import { err, ok, type ResultAsync } from 'neverthrow';
import { type Authenticator, badCredentials } from './authenticator.ts';
import { identitiesOf } from './certificate-identities.ts';
import type { Principal } from '../../principal.ts';
import { cachedLookup } from './credential-cache.ts';

/** Where it is kept whose certificates are good, and for what. */
export interface ClientCertificateStore {
  /** Whose certificate it is that goes by `identities`, `null` for nobody's: the first that is allowed decides. */
  find(identities: readonly string[]): ResultAsync<Principal | null, Unavailable>;
}

/** Client certificates as the OpenAPI document has them. */
export const CLIENT_CERTIFICATE_SCHEMES = {
  ClientCertificate: {
    type: 'mutualTLS',
    description: `Certificate of a trusted authority. \`pnpm orders certs allow\` maps its subject, or a URI of its
subjectAltName, to an owner and scopes. A credential header takes precedence`,
  },
} as const;

/**
 * Authenticates by the client certificate of a TLS connection, for servers with `requestCert: true` and
 * `rejectUnauthorized: false`. A certificate is known by the URIs of its subjectAltName, in their order, then by its
 * subject as RFC 4514 spells it. What changes in the store takes effect within thirty seconds. `now` tells which
 * certificates are valid; default: the system's clock.
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
      return ok(found.value);
    },
  };
}

/**
 * Whether TLS found nothing wrong with any certificate of the connection. A client may renegotiate with another one,
 * and `authorized` stays true when that one is refused.
 */
function isTrusted({ authorized, authorizationError }: TLSSocket): boolean {
  return authorized && !authorizationError;
}

/** Judged at each request: a connection, and a session that is resumed, may last longer than the certificate. */
function isValid({ validFromDate, validToDate }: X509Certificate, at: Date): boolean {
  return validFromDate <= at && at <= validToDate;
}
