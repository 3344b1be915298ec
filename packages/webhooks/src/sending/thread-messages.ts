import type { Outcome, TransportRequest } from './transport.ts';

/** What a thread receives: a request, or the id of one that is interrupted. */
export type ToThread = { readonly id: number; readonly request: TransportRequest } | { readonly interrupted: number };

/** What a thread returns: that it is ready, or the outcome of a request. */
export type FromThread = 'ready' | { readonly id: number; readonly outcome: Outcome };
