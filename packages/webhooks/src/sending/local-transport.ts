import type { SecureContext } from 'node:tls';
import { addressPolicy } from '../targets/address-rules.ts';
import type { Target } from '../targets/webhook-targets.ts';
import { AttemptFailure } from './attempt-failure.ts';
import type { Connection } from './connection.ts';
import { Connections } from './connections.ts';
import { dnsLookup, type Lookup, sharedLookup } from './dns-lookup.ts';
import { tlsSettings } from './open-socket.ts';
import {
  INTERRUPTED,
  type Outcome,
  type Transport,
  type TransportOptions,
  type TransportRequest,
} from './transport.ts';

/** Creates a transport that works in this thread. */
export function localTransport(
  { rules, connectionsMax, notAllowedAfterMs }: TransportOptions,
  lookup: Lookup = dnsLookup(),
): Transport {
  let context: SecureContext | undefined;
  const secureContext = () => (context ??= tlsSettings());
  const settings = {
    policy: addressPolicy(rules),
    lookup: sharedLookup(lookup),
    secureContext,
    notAllowedAfterMs,
  };
  const connections = new Connections(settings, connectionsMax);
  const post = (request: TransportRequest, signal: AbortSignal) => exchange(connections, request, signal);
  return {
    open: () => Promise.resolve(post),
    close: () => connections.close(),
  };
}

/** Sends a request, and closes its connection when the signal is aborted. */
async function exchange(
  connections: Connections,
  { url, headers, body, ...target }: TransportRequest,
  signal: AbortSignal,
): Promise<Outcome> {
  if (signal.aborted) return INTERRUPTED;
  const to: Target = { ...target, url: new URL(url) };
  const { promise, resolve } = Promise.withResolvers<Outcome>();
  let connection: Connection | undefined;
  const interrupt = () => {
    connection?.destroy();
    resolve(INTERRUPTED);
  };
  const post = async (opened: Connection | undefined): Promise<Outcome> => {
    if (!opened) return INTERRUPTED;
    connection = opened;
    try {
      return await opened.post(`${to.url.pathname}${to.url.search}`, headers, body);
    } catch (cause) {
      const error = cause instanceof AttemptFailure ? cause.reason : 'connection_failed';
      const isStale = opened.isReused && error === 'connection_failed';
      return isStale && !signal.aborted ? await post(connections.open(to)) : { error };
    }
  };
  signal.addEventListener('abort', interrupt);
  void post(connections.take(to)).then(resolve);
  try {
    return await promise;
  } finally {
    signal.removeEventListener('abort', interrupt);
  }
}
