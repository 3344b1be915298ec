import { once } from 'node:events';
import { connect, type TLSSocket } from 'node:tls';

/** Both sides know it, so that no certificate is needed. */
const psk = Buffer.alloc(16, 'k');
const TLS = { ciphers: 'PSK', maxVersion: 'TLSv1.2' } as const;

/** What a server needs to speak TLS with {@link connectByTls}. */
export const TLS_SERVER = { ...TLS, pskCallback: () => psk };

/** A connection with TLS to a server of this machine. */
export async function connectByTls(port: number): Promise<TLSSocket> {
  const pskCallback = () => ({ psk, identity: 'client' });
  const socket = connect({ ...TLS, host: '127.0.0.1', port, pskCallback, checkServerIdentity: () => undefined });
  await once(socket, 'secureConnect');
  return socket;
}
