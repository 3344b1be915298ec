import type { OrderDefinition, Owner } from '@orders/domain';
import type { JobError } from '@orders/domain/operators';
import { TransactionFailed } from '../postgres/transaction-failed.ts';
import type { Transaction } from '../transaction/transaction.ts';
import type { ClaimedJob } from './jobs.ts';

/** The transaction of what a job does, with its place. */
export type JobTransaction = Pick<Transaction<unknown, OrderDefinition>, 'domain' | 'client'>;

/** What an act has done: how many it took, and how many of them in vain. */
export interface Acted {
  readonly taken: number;
  readonly failed: number;
  readonly error?: JobError;
}

/** What a job does in one transaction. */
export interface JobAct {
  readonly act: (transaction: JobTransaction) => Promise<Acted>;
  /** The place behind it. */
  readonly next: unknown;
  /** Called once it is stored. */
  readonly acted?: () => void;
}

/**
 * Looks at the next records of an owner. Returns how many match, what to do with them, of at most `limit` of them, and the place
 * behind all, `null` at the end of the owner.
 */
export type JobStep = (
  job: ClaimedJob,
  owner: Owner,
  at: unknown,
  limit: number,
) => Promise<{ readonly matched: number; readonly acts: readonly JobAct[]; readonly next: unknown }>;

/** Returns what is to be thrown for the error of a use case or a transaction. */
export function thrown(error: object): unknown {
  if (error instanceof TransactionFailed) return error;
  return 'cause' in error ? error.cause : new TypeError(`an unexpected error of a use case: ${JSON.stringify(error)}`);
}
