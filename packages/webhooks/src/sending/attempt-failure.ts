import type { AttemptError } from '@orders/domain/webhooks';

/** A failed attempt, with the reason that is recorded. */
export class AttemptFailure extends Error {
  override readonly name = 'AttemptFailure';
  readonly reason: AttemptError;

  constructor(reason: AttemptError, options?: ErrorOptions) {
    super(reason, options);
    this.reason = reason;
  }
}

/** Returns the failure of a connection that could not be made. */
export function connectFailure(cause: unknown, isHandshake: boolean): AttemptFailure {
  if (cause instanceof AttemptFailure) return cause;
  // A connection that breaks during the handshake has the code of a system call; faults of TLS have other codes.
  const isTls = isHandshake && !isBroken(cause);
  return new AttemptFailure(isTls ? 'tls_failed' : 'connection_failed', { cause });
}

function isBroken(cause: unknown): boolean {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  return code === 'ECONNRESET' || code === 'EPIPE' || code === 'ETIMEDOUT';
}
