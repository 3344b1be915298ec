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
import { type ApiResponse, toApiResponse } from './a-client.ts';
import { aDomain } from './a-domain.ts';
import { BASE_URL } from './an-api.ts';
import { anAuthority, type Authority, type Identity } from './certificates.ts';
import { type InMemoryApiKeys, inMemoryApiKeys } from './in-memory-api-keys.ts';
import { expectAsDocumented, checkOf } from './openapi-conformance.ts';

/** Whose certificates are good, in memory. */
interface InMemoryClientCertificates extends ClientCertificateStore {
  /** By default for acme, who may do everything. */
  allow(identity: string, principal?: Partial<Principal>): void;
  revoke(identity: string): void;
  /** What the store was asked for, each time. */
  readonly lookedUp: readonly (readonly string[])[];
}

/** How a client connects. */
interface Connecting {
  /** One connection for all of its requests, instead of one each. */
  readonly keepAlive?: boolean;
  readonly maxVersion?: SecureVersion;
}

interface TlsResponse extends ApiResponse {
  readonly socket: TLSSocket;
  /** Whether the connection had carried a request before. */
  readonly reusedSocket: boolean;
  /** Whether the connection went on with the session of one before it. */
  readonly resumedSession: boolean;
}

/** Somebody with a certificate, or with none. */
interface TlsClient {
  /** Sends a request as it is: without a body unless there is one. */
  send(
    method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
    url: string,
    headers: Readonly<Record<string, string>>,
    body?: string,
  ): Promise<TlsResponse>;
  get(url: string, headers?: Readonly<Record<string, string>>): Promise<TlsResponse>;
  post(url: string, json: unknown): Promise<TlsResponse>;
}

/** The API behind TLS, at the time of now, where clients may show certificates of `authority`. */
interface TlsApi {
  readonly authority: Authority;
  readonly clock: FixedClock;
  readonly keys: InMemoryApiKeys;
  readonly certificates: InMemoryClientCertificates;
  readonly client: (identity?: Identity, connecting?: Connecting) => TlsClient;
}

/** For the running test. Certificates are looked up in `store` instead when there is one. */
export async function aTlsApi(store?: ClientCertificateStore, corsOrigins?: readonly string[]): Promise<TlsApi> {
  const authority = await anAuthority();
  const clock = fixedClock(new Date().toISOString());
  const [keys, certificates, now] = [inMemoryApiKeys(), inMemoryClientCertificates(), () => clock.now()];
  const authentication = authenticateBy(apiKeys(keys, now), clientCertificates(store ?? certificates, now));
  const server = await authority.issue({ extensions: 'subjectAltName = IP:127.0.0.1' });
  const https = { ...server, ca: authority.cert, requestCert: true, rejectUnauthorized: false };
  const app = fastify({ ...ordersServerOptions(() => BASE_URL), https });
  onTestFinished(() => app.close());
  const rateLimits = { read: 0, write: 0, anonymous: 0 };
  const options = { domain: aDomain(clock), authentication, publicBaseUrl: BASE_URL, rateLimits, now, corsOrigins };
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
      if (!(socket instanceof TLSSocket)) throw new Error('the answer came without TLS');
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
