import { once } from 'node:events';
import { connect, type TLSSocket } from 'node:tls';

/** Shared by client and server, so that no certificate is needed. */
const psk = Buffer.alloc(16, 'k');
const TLS = { ciphers: 'PSK', maxVersion: 'TLSv1.2' } as const;

/** Options of a server for TLS with {@link connectByTls}. */
export const TLS_SERVER = { ...TLS, pskCallback: () => psk };

/** Opens a TLS connection to a local server. */
export async function connectByTls(port: number): Promise<TLSSocket> {
  const pskCallback = () => ({ psk, identity: 'client' });
  const socket = connect({ ...TLS, host: '127.0.0.1', port, pskCallback, checkServerIdentity: () => undefined });
  await once(socket, 'secureConnect');
  return socket;
}
