import { once } from 'node:events';
import { createServer } from 'node:http';
import { generateKeyPairSync } from 'node:crypto';

/** Serves the key set of a token issuer, so that a server validates tokens. Returns the variables of the server. */
export async function serveKeySet(): Promise<{
  readonly environment: Readonly<Record<string, string>>;
  stop(): void;
}> {
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const keys = [{ ...publicKey.export({ format: 'jwk' }), kid: 'known', alg: 'ES256' }];
  const server = createServer((_request, response) => response.end(JSON.stringify({ keys }))).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('the key set has no port');
  const AUTH_JWT_JWKS_URL = `http://127.0.0.1:${address.port}`;
  return {
    environment: { AUTH_JWT_JWKS_URL, AUTH_JWT_ISSUER: 'https://issuer.example', AUTH_JWT_AUDIENCE: 'orders' },
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
