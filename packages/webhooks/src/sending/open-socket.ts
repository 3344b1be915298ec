import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { connectFailure } from './attempt-failure.ts';

/** Time after which the next address of a host is tried, in milliseconds. */
const ADDRESS_TIMEOUT_MS = 1000;

/** Opens a connection to the host of `url` at one of `addresses`, and nowhere else. */
export function openSocket(url: URL, addresses: readonly string[]): Socket {
  const isHttps = url.protocol === 'https:';
  const host = url.hostname.replaceAll(/^\[|\]$/g, '');
  const options = {
    host,
    port: Number(url.port) || (isHttps ? 443 : 80),
    // Not called when the host is an address itself.
    lookup: lookupOf(addresses),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ADDRESS_TIMEOUT_MS,
    noDelay: true,
  };
  if (!isHttps) return connectTcp(options);
  return connectTls({
    ...options,
    servername: isIP(host) === 0 ? host.replace(/\.$/, '') : '',
    ALPNProtocols: ['http/1.1'],
    // Also in a process that NODE_TLS_REJECT_UNAUTHORIZED lets accept every certificate.
    rejectUnauthorized: true,
  });
}

/**
 * Waits until a socket of {@link openSocket} can send.
 *
 * @throws {AttemptFailure} it cannot connect
 */
export async function connected(socket: Socket, isHttps: boolean): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<undefined>();
  let isHandshake = false;
  socket.once('connect', () => {
    isHandshake = isHttps;
    if (!isHttps) resolve(undefined);
  });
  socket.once('secureConnect', () => resolve(undefined));
  socket.once('error', (cause) => reject(connectFailure(cause, isHandshake)));
  socket.once('close', () => reject(connectFailure(undefined, false)));
  await promise;
}

function lookupOf(addresses: readonly string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: isIP(address) }));
  // Node.js requests all addresses of a name, because it tries them one after the other.
  return (_, __, callback) => callback(null, found);
}
