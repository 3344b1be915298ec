import type { AttemptError } from '@orders/domain/webhooks';
import type { AddressRules } from '../targets/address-rules.ts';
import type { Target } from '../targets/webhook-targets.ts';
import type { ResponseHead } from './connection.ts';

/** Options of a transport, which a thread can get. */
export interface TransportOptions {
  readonly rules: AddressRules | undefined;
  readonly connectionsMax: number;
  /** For tests. See `AddressSource`. */
  readonly notAllowedAfterMs?: number | undefined;
}

/** A signed message for a target whose text is permitted. */
export interface TransportRequest extends Omit<Target, 'url'> {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** In bytes, which a thread receives without a copy, outside of the heap whose size is limited. */
  readonly body: Uint8Array<ArrayBuffer>;
}

/** What is known at the end of an attempt. */
export type Outcome = ResponseHead | { readonly error: AttemptError };

/** The outcome of an attempt that says nothing of the target. */
export const INTERRUPTED: Outcome = Object.freeze({ error: 'interrupted' });

/** Sends a request. Resolves at once with {@link INTERRUPTED} when `signal` is aborted. Never rejects. */
export type Post = (request: TransportRequest, signal: AbortSignal) => Promise<Outcome>;

/** What a thread receives: a request, or the id of one that is interrupted. */
export type ToThread = { readonly id: number; readonly request: TransportRequest } | { readonly interrupted: number };

/** What a thread returns: that it is ready, or the outcome of a request. */
export type FromThread = 'ready' | { readonly id: number; readonly outcome: Outcome };

/** Sends requests over connections that are kept. */
export interface Transport {
  /** Returns how to send one request, as soon as that is possible; `undefined` when `signal` is aborted. */
  open(signal: AbortSignal): Promise<Post | undefined>;
  /** Closes all connections at once. */
  close(): void;
}
