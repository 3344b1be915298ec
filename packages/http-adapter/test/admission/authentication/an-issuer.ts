import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { Clock } from '@orders/domain';
import { type FixedClock, fixedClock } from '@orders/domain/testing';
import { apiKeys, authenticateBy, bearerTokens, type BearerTokenOptions, SCOPES } from '@orders/http-adapter';
import { onTestFinished } from 'vitest';
import type { Client, Headers } from '../../fixtures/a-client.ts';
import { aDomain } from '../../fixtures/a-domain.ts';
import { type Json, type SigningKey, tokenOf } from './a-token.ts';
import { anApi, type Wanted } from '../../fixtures/an-api.ts';
import { type InMemoryApiKeys, inMemoryApiKeys } from '../../fixtures/in-memory-api-keys.ts';

export const ISSUER = 'https://issuer.example.test/';
export const AUDIENCE = 'https://api.example.test';

/** Sends the response of a key server. */
export type Responder = (response: ServerResponse) => void;

/** Closes the connection without a response. */
export const HANGING_UP: Responder = ({ socket }) => socket?.destroy();
/** Never sends a response. */
export const SILENCE: Responder = () => undefined;

/** The key server of a token issuer. */
export interface Issuer {
  readonly jwksUrl: string;
  /** Returns the number of received requests. */
  requestCount(): number;
  /** Replaces the published keys. */
  publish(...keys: readonly unknown[]): void;
  /** Replaces the response to later requests. */
  respondWith(responding: Responder): void;
  /** Stops listening until `start` is called. */
  stop(): Promise<void>;
  start(): Promise<void>;
}

/** Returns a responder that sends `text`. Default: JSON with status 200. */
export function responding(
  text: string | Buffer,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): Responder {
  return (response) => response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text);
}

/** Starts a key server that publishes `keys`, for the running test. */
export async function anIssuer(...keys: readonly unknown[]): Promise<Issuer> {
  const set = (members: readonly unknown[]): Responder => responding(JSON.stringify({ keys: members }));
  let requestCount = 0;
  let current = set(keys);
  let port = 0;
  const server = createServer((_, response) => {
    requestCount += 1;
    current(response);
  });
  const start = async (): Promise<void> => {
    await once(server.listen({ host: '127.0.0.1', port }), 'listening');
    const address = server.address();
    if (typeof address === 'object' && address) port = address.port;
  };
  const stop = async (): Promise<void> => {
    const closed = once(server.close(), 'close');
    server.closeAllConnections();
    await closed;
  };
  await start();
  onTestFinished(async () => (server.listening ? stop() : undefined));
  return {
    jwksUrl: `http://127.0.0.1:${port}/keys`,
    requestCount: () => requestCount,
    publish: (...members) => (current = set(members)),
    respondWith: (other) => (current = other),
    stop,
    start,
  };
}

/** An API that accepts tokens of an issuer and API keys. */
export interface ApiOfIssuer {
  readonly clock: FixedClock;
  readonly keys: InMemoryApiKeys;
  /** A client without credentials. */
  readonly client: Client;
}

export async function anApiOf(
  { jwksUrl }: Issuer,
  options: Partial<BearerTokenOptions> = {},
  wanted: Wanted = {},
): Promise<ApiOfIssuer> {
  const clock = fixedClock();
  const keys = inMemoryApiKeys();
  const now = () => clock.now();
  const tokens = bearerTokens({ jwksUrl, issuer: ISSUER, audience: AUDIENCE, now, ...options });
  const authentication = authenticateBy(tokens, apiKeys(keys, now));
  const { client } = await anApi({ domain: aDomain(clock), authentication, now, ...wanted });
  return { clock, keys, client: client() };
}

/** Returns valid claims with all scopes, which expire in five minutes and which `claims` overrides. */
export function claimsAt(clock: Clock, claims: Json = {}): Json {
  const exp = secondsOf(clock) + 300;
  return { iss: ISSUER, aud: AUDIENCE, sub: 'acme', exp, scope: SCOPES.join(' '), ...claims };
}

export function secondsOf(clock: Clock): number {
  return Math.floor(clock.now().getTime() / 1000);
}

/** Creates a valid token, whose claims and header the arguments override. */
export function aToken(key: SigningKey, clock: Clock, claims: Json = {}, header: Json = {}): string {
  return tokenOf({ alg: key.alg, kid: key.kid, ...header }, claimsAt(clock, claims), key);
}

export function bearer(token: string): Headers {
  return { authorization: `Bearer ${token}` };
}
