import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { type SecureVersion, TLSSocket } from 'node:tls';
import { type FixedClock, fixedClock } from '@orders/domain/testing';
import {
  apiKeys,
  authenticateBy,
  clientCertificates,
  type ClientCertificateStore,
  ordersHttp,
  ordersServerOptions,
  type Principal,
  SCOPES,
} from '@orders/http-adapter';
import { fastify } from 'fastify';
import { okAsync } from 'neverthrow';
import { onTestFinished } from 'vitest';
import { type ApiResponse, toApiResponse } from '../../fixtures/a-client.ts';
import { aDomain } from '../../fixtures/a-domain.ts';
import { BASE_URL } from '../../fixtures/an-api.ts';
import { anAuthority, type Authority, type Identity } from '../../fixtures/certificates.ts';
import { type InMemoryApiKeys, inMemoryApiKeys } from '../../fixtures/in-memory-api-keys.ts';
import { expectAsDocumented, checkOf } from '../../openapi/conformance.ts';

/** Accepted client certificates, in memory. */
interface InMemoryClientCertificates extends ClientCertificateStore {
  /** Maps an identity to a principal. Default: `acme` with all scopes. */
  allow(identity: string, principal?: Partial<Principal>): void;
  revoke(identity: string): void;
  /** Arguments of all lookups. */
  readonly lookedUp: readonly (readonly string[])[];
}

/** Connection options of a client. */
interface Connecting {
  /** Uses one connection for all requests. Default: one connection per request. */
  readonly keepAlive?: boolean;
  readonly maxVersion?: SecureVersion;
}

interface TlsResponse extends ApiResponse {
  readonly socket: TLSSocket;
  /** Whether the connection was used by an earlier request. */
  readonly reusedSocket: boolean;
  /** Whether TLS resumed the session of an earlier connection. */
  readonly resumedSession: boolean;
}

/** A client with a certificate, or without one. */
interface TlsClient {
  /** Sends a request, without a body unless `body` is given. */
  send(
    method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
    url: string,
    headers: Readonly<Record<string, string>>,
    body?: string,
  ): Promise<TlsResponse>;
  get(url: string, headers?: Readonly<Record<string, string>>): Promise<TlsResponse>;
  post(url: string, json: unknown): Promise<TlsResponse>;
}

/** The API on a TLS server that accepts client certificates of `authority`. Its clock starts at the current time. */
interface TlsApi {
  readonly authority: Authority;
  readonly clock: FixedClock;
  readonly keys: InMemoryApiKeys;
  readonly certificates: InMemoryClientCertificates;
  readonly client: (identity?: Identity, connecting?: Connecting) => TlsClient;
}

/** Starts the API for the running test. */
export async function aTlsApi(): Promise<TlsApi> {
  const authority = await anAuthority();
  const clock = fixedClock(new Date().toISOString());
  const [keys, certificates, now] = [inMemoryApiKeys(), inMemoryClientCertificates(), () => clock.now()];
  const authentication = authenticateBy(apiKeys(keys, now), clientCertificates(certificates, now));
  const server = await authority.issue({ extensions: 'subjectAltName = IP:127.0.0.1' });
  const https = { ...server, ca: authority.cert, requestCert: true, rejectUnauthorized: false };
  const app = fastify({ ...ordersServerOptions(() => BASE_URL), https });
  onTestFinished(() => app.close());
  const rateLimits = { read: 0, write: 0, anonymous: 0 };
  const options = { domain: aDomain(clock), authentication, publicBaseUrl: BASE_URL, rateLimits, now };
  await app.register(ordersHttp, options);
  const origin = await app.listen({ host: '127.0.0.1', port: 0 });
  const check = checkOf({ authentication });

  const client = (identity?: Identity, { keepAlive = false, ...connecting }: Connecting = {}): TlsClient => {
    const agent = new Agent({ ...identity, ...connecting, keepAlive, maxSockets: 1, ca: authority.cert });
    onTestFinished(() => agent.destroy());
    const send: TlsClient['send'] = async (method, url, headers, body = '') => {
      const sent = request(origin + url, { agent, method, headers });
      const message = await new Promise<IncomingMessage>((resolve, reject) => {
        sent.once('response', resolve).once('error', reject).end(body);
      });
      const { socket } = message;
      if (!(socket instanceof TLSSocket)) throw new Error('the response was sent without TLS');
      const resumedSession = socket.isSessionReused();
      const response = await readResponse(message);
      expectAsDocumented(check, { method, url, ...(body !== '' && { payload: body }) }, response);
      return { ...response, socket, reusedSocket: sent.reusedSocket, resumedSession };
    };
    return {
      send,
      get: (url, headers = {}) => send('GET', url, headers),
      post: (url, json) => send('POST', url, { 'content-type': 'application/json' }, JSON.stringify(json)),
    };
  };
  return { authority, clock, keys, certificates, client };
}

async function readResponse(message: IncomingMessage): Promise<ApiResponse> {
  const text = (await message.setEncoding('utf8').toArray()).join('');
  const pairs = Object.entries(message.headers).map(([name, value]): [string, string] => [name, String(value)]);
  return toApiResponse(message.statusCode ?? 0, Object.fromEntries(pairs), text);
}

function inMemoryClientCertificates(): InMemoryClientCertificates {
  const allowed = new Map<string, Principal>();
  const lookedUp: (readonly string[])[] = [];
  return {
    lookedUp,
    allow: (identity, principal = {}) => allowed.set(identity, { owner: 'acme', scopes: SCOPES, ...principal }),
    revoke: (identity) => allowed.delete(identity),
    find: (identities) => {
      lookedUp.push(identities);
      return okAsync(identities.flatMap((identity) => allowed.get(identity) ?? [])[0] ?? null);
    },
  };
}
