/** The attack of a hostile client. It runs in a thread of its own, so it is plain data. */
export type Attack =
  | UnreadResponses
  | Flood
  | ClosingResponses
  | TunnelAttempts
  | HeldConnections
  | AbandonedRequests
  | SlowBodies;

interface Attacker {
  readonly port: number;
  /** The address of this machine that connections come from, such as `127.0.0.2`. */
  readonly localAddress?: string;
  readonly connections: number;
}

/** Sends pipelined requests on every connection and reads no response. */
export interface UnreadResponses extends Attacker {
  readonly kind: 'unread';
  /** What each connection sends, in parts with a pause between them. */
  readonly parts: readonly string[];
  /** Reads one byte a second instead of nothing. */
  readonly trickles: boolean;
}

/** Sends requests as quickly as their responses arrive. */
export interface Flood extends Attacker {
  readonly kind: 'flood';
  readonly requests: FloodRequests;
  /** Maximum number of requests of a connection that wait for their responses. */
  readonly depth: number;
  /** Maximum number of requests. */
  readonly count: number;
}

/**
 * The requests of a flood.
 *
 * - `networks`: without credentials, each from another /64 network;
 * - `guesses`: with a random API key;
 * - `guesses-of-networks`: both;
 * - `public`: requests that need no credentials;
 * - `given`: the given ones, in turn.
 */
export type FloodRequests =
  | { readonly of: 'networks' | 'guesses' | 'guesses-of-networks' | 'public' }
  | { readonly of: 'given'; readonly texts: readonly string[] };

/** Opens connections one after the other, sends the same bytes on each, and waits for its end. */
export interface ClosingResponses extends Attacker {
  readonly kind: 'closing';
  readonly payloads: readonly string[];
  /** Maximum number of opened connections. */
  readonly count: number;
}

/** Sends a malformed request and, after its response, others on the same connection. */
export interface TunnelAttempts extends Attacker {
  readonly kind: 'tunnel';
  readonly openings: readonly string[];
  readonly behind: string;
  readonly count: number;
}

/** Holds connections open that begin a request and never end it. */
export interface HeldConnections extends Attacker {
  readonly kind: 'held';
}

/** Sends one body on each connection, in parts with a pause between them, until the connection ends. */
export interface SlowBodies extends Attacker {
  readonly kind: 'slow';
  /** The requests, of which each connection sends one, and the part that its body repeats. */
  readonly bodies: readonly { readonly head: string; readonly part: string }[];
}

/** Opens connections one after the other, sends a request on each, and closes it without reading. */
export interface AbandonedRequests extends Attacker {
  readonly kind: 'abandoned';
  readonly payload: string;
  /** The time from the request to the end of its connection, in milliseconds. */
  readonly afterMs: number;
  /** Maximum number of requests. */
  readonly count: number;
}

/** The outcome of an attack, by name: counts of connections, and of responses by status. */
export type Outcome = Readonly<Record<string, number>>;
