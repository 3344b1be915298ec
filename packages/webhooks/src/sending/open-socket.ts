import type { EventEmitter } from 'node:events';
import { constants } from 'node:crypto';
import { connect as connectTcp, isIP, type LookupFunction } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as connectTls, createSecureContext, DEFAULT_CIPHERS, type SecureContext } from 'node:tls';
import { AttemptFailure, connectFailure } from './attempt-failure.ts';
import { BoundedSocket } from './bounded-socket.ts';

/** Time after which the next address of a host is tried, in milliseconds. */
const ADDRESS_TIMEOUT_MS = 1000;
/** Maximum number of bytes that a receiver sends in the handshake of TLS. A chain of certificates has some thousand. */
const HANDSHAKE_BYTES_MAX = 32_768;
/** Maximum time of the handshake of TLS, in milliseconds. */
export const HANDSHAKE_TIMEOUT_MS = 5000;

/** An open connection, with the bound of what its peer sends. */
export interface OpenSocket {
  /** What a request is sent on. */
  readonly stream: Duplex;
  readonly bound: BoundedSocket;
}

/**
 * Returns the settings of TLS. Finite-field Diffie-Hellman is left out: the receiver chooses its prime, of up to 10,000 bits,
 * and so the cost of a handshake. Renegotiations would be further handshakes.
 */
export function tlsSettings(): SecureContext {
  return createSecureContext({
    ciphers: `${DEFAULT_CIPHERS}:!DHE`,
    secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
  });
}

/**
 * Opens a connection to the host of `url` at one of `addresses`, and nowhere else. It is destroyed when `signal` is aborted.
 *
 * @throws {AttemptFailure} it cannot connect
 */
export async function openSocket(
  url: URL,
  addresses: readonly string[],
  secureContext: () => SecureContext,
  signal: AbortSignal,
): Promise<OpenSocket> {
  const isHttps = url.protocol === 'https:';
  const host = url.hostname.replaceAll(/^\[|\]$/g, '');
  const tcp = connectTcp({
    host,
    port: Number(url.port) || (isHttps ? 443 : 80),
    // Not called when the host is an address itself.
    lookup: lookupOf(addresses),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ADDRESS_TIMEOUT_MS,
    noDelay: true,
  });
  signal.addEventListener('abort', () => tcp.destroy(), { once: true });
  await reached(tcp, 'connect', (cause) => connectFailure(cause, false));
  const bound = new BoundedSocket(tcp);
  if (!isHttps) return { stream: bound, bound };
  bound.allow(HANDSHAKE_BYTES_MAX);
  const tls = connectTls({
    socket: bound,
    host,
    servername: isIP(host) === 0 ? host.replace(/\.$/, '') : '',
    secureContext: secureContext(),
    ALPNProtocols: ['http/1.1'],
    // Also in a process that NODE_TLS_REJECT_UNAUTHORIZED lets accept every certificate.
    rejectUnauthorized: true,
  });
  const late = setTimeout(() => tls.destroy(new AttemptFailure('timed_out')), HANDSHAKE_TIMEOUT_MS);
  const failure = (cause?: unknown) =>
    bound.isExceeded ? new AttemptFailure('tls_failed') : connectFailure(cause, true);
  await reached(tls, 'secureConnect', failure).finally(() => clearTimeout(late));
  return { stream: tls, bound };
}

/** Waits for an event of a socket. Rejects when it fails or closes before. */
async function reached(
  socket: EventEmitter,
  event: string,
  failure: (cause?: unknown) => AttemptFailure,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<undefined>();
  socket
    .once(event, () => resolve(undefined))
    .once('error', (cause) => reject(failure(cause)))
    .once('close', () => reject(connectFailure(undefined, false)));
  await promise;
}

function lookupOf(addresses: readonly string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: isIP(address) }));
  // Node.js requests all addresses of a name, because it tries them one after the other.
  return (_, __, callback) => callback(null, found);
}
