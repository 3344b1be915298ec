/** What a hostile client does. It runs in a thread of its own, so it is plain data. */
export type Attack = UnreadResponses | Flood | ClosingResponses | TunnelAttempts | HeldConnections;

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
  /** How many requests of a connection wait for their responses at most. */
  readonly depth: number;
  /** The most requests that are sent. */
  readonly count: number;
}

/**
 * What a flood consists of: `networks` has no credentials and comes from another /64 network each time; `guesses` has
 * a random API key; `guesses-of-networks` both; `public` is requests that need no credentials; `paths` is the given ones.
 */
export type FloodRequests =
  | { readonly of: 'networks' | 'guesses' | 'guesses-of-networks' | 'public' }
  | { readonly of: 'paths'; readonly paths: readonly string[]; readonly headers: string };

/** Opens connections one after the other, sends the same bytes on each, and waits for its end. */
export interface ClosingResponses extends Attacker {
  readonly kind: 'closing';
  readonly payloads: readonly string[];
  /** The most connections that are opened. */
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

/** What came of an attack, by name: counts of connections, and of responses by status. */
export type Outcome = Readonly<Record<string, number>>;
