import { setTimeout as sleep } from 'node:timers/promises';
import type { OrderDefinition, Owner } from '@orders/domain';
import type { JobStatus } from '@orders/domain/operators';
import { ok } from 'neverthrow';
import type { Database } from '../database/database.ts';
import { postgresCheckpoints } from '../events/postgres-checkpoints.ts';
import { isOwnersFault } from '../postgres/postgres-errors.ts';
import { TransactionFailed } from '../postgres/transaction-failed.ts';
import { cancelStep } from './cancel-step.ts';
import { type JobAct, type JobStep, thrown } from './job-step.ts';
import { type ClaimedJob, JOB_BEGIN, type JobLeases, jobLeases, LeaseLost, type StoredProgress } from './jobs.ts';
import { redeliverStep } from './redeliver-step.ts';

/** The time after which another job has its turn, in milliseconds. */
const TURN_MS = 5000;

/** Attempts of a step whose failure is about its owner alone, and the pause before the second one, in milliseconds. */
const [ATTEMPTS, PAUSE_MS] = [3, 250];

/** Failures and owners that are listed. */
const LISTED_MAX = 100;

/** Options of {@link runJobs}. */
export interface RunJobsOptions {
  /** Ends it after the current step. Default: never. */
  readonly signal?: AbortSignal | undefined;
  /** Runs this job alone. Default: all. */
  readonly id?: string | undefined;
  /** Receives what ended the work on a job for now, for logs. Default: no-op. */
  readonly onFailure?: ((id: string, cause: unknown) => void) | undefined;
}

/**
 * Works on the jobs of operators until none is left that no other server works on. A job that a crash has interrupted goes on
 * where it was, once its lease has ended: what it does is stored with its place, so that it happens once.
 *
 * @throws {Error} the database query for jobs failed
 */
export async function runJobs(
  database: Database<unknown, OrderDefinition>,
  { signal, id, onFailure }: RunJobsOptions = {},
): Promise<void> {
  const leases = jobLeases(database);
  const steps = { redeliver: redeliverStep(database), cancel: cancelStep(database) };
  while (!signal?.aborted) {
    const job = await leases.claim(id);
    if (!job) return;
    const run = new JobRun(database, leases, job, steps[job.kind], signal);
    try {
      await run.work();
      await leases.release(job);
    } catch (cause) {
      if (cause instanceof LeaseLost) continue;
      onFailure?.(job.id, cause);
      // If it does not succeed either, the lease ends by itself. A job of one's own goes on at once.
      await leases.release(job).catch(() => undefined);
      return;
    }
  }
}

/** The work on a job while its lease holds. */
class JobRun {
  readonly #database: Database<unknown, OrderDefinition>;
  readonly #leases: JobLeases;
  readonly #job: ClaimedJob;
  readonly #step: JobStep;
  readonly #signal: AbortSignal | undefined;
  #progress: StoredProgress;
  #status: JobStatus;

  constructor(
    database: Database<unknown, OrderDefinition>,
    leases: JobLeases,
    job: ClaimedJob,
    step: JobStep,
    signal: AbortSignal | undefined,
  ) {
    this.#database = database;
    this.#leases = leases;
    this.#job = job;
    this.#step = step;
    this.#signal = signal;
    this.#progress = job.progress;
    this.#status = job.status;
  }

  /** Works for a turn, or until the job has ended. */
  async work(): Promise<void> {
    const began = performance.now();
    const isTurn = () => performance.now() - began < TURN_MS && this.#signal?.aborted !== true;
    while (isTurn() && (this.#status === 'counting' || this.#status === 'running')) {
      const { owners, next } = this.#isEnough ? { owners: [], next: null } : await this.#ownersAfter();
      for (const owner of owners) {
        while (isTurn() && !this.#isEnough && this.#progress.after !== owner) await this.#stepOf(owner);
        if (!isTurn()) return;
      }
      if (next !== null) await this.#save({ after: next });
      else await this.#passOn();
    }
  }

  /** Whether it has acted on as many as were counted. */
  get #isEnough(): boolean {
    return this.#status === 'running' && this.#progress.taken >= this.#progress.matched;
  }

  async #ownersAfter(): Promise<{ readonly owners: readonly Owner[]; readonly next: Owner | null }> {
    const { after } = this.#progress;
    const { owner } = this.#job.filter;
    if (owner !== undefined) return { owners: after === owner ? [] : [owner], next: null };
    const failures: unknown[] = [];
    const onNodeDown = (cause: unknown) => void failures.push(cause);
    const found = await postgresCheckpoints(this.#database, { onNodeDown }).listOwners(after === '' ? null : after);
    if (found.isErr()) throw found.error.cause;
    if (failures.length > 0) await this.#save({ node_down: true });
    return found.value;
  }

  /** Ends the count or the work at its end. */
  async #passOn(): Promise<void> {
    const { matched } = this.#progress;
    if (this.#status === 'running' || (matched === 0 && !this.#job.dry_run)) return await this.#save({}, 'done');
    if (this.#job.dry_run) return await this.#save({}, 'counted');
    await this.#save({ ...JOB_BEGIN, matched }, 'running');
  }

  /** Does a step of an owner, again if it fails because of this owner. At last the owner is left out. */
  async #stepOf(owner: Owner): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#tryStepOf(owner);
      } catch (cause) {
        if (!isOwnersFault(cause instanceof TransactionFailed ? cause.cause : cause)) throw cause;
        if (attempt === ATTEMPTS) break;
        await sleep(PAUSE_MS * attempt);
      }
    }
    const { left_out, left_out_owners } = this.#progress;
    await this.#save({
      left_out: left_out + 1,
      left_out_owners: [...left_out_owners, owner].slice(0, LISTED_MAX),
      after: owner,
      within: null,
    });
  }

  async #tryStepOf(owner: Owner): Promise<void> {
    const { within, matched, taken } = this.#progress;
    const at = within?.owner === owner ? within.at : null;
    const isCount = this.#status === 'counting';
    const step = await this.#step(this.#job, owner, at, isCount ? Infinity : matched - taken);
    for (const each of isCount ? [] : step.acts) {
      if (this.#signal?.aborted) return;
      await this.#act(owner, each);
    }
    const counted = isCount ? { matched: matched + step.matched } : {};
    const { owners } = this.#progress;
    const place =
      step.next === null ? { owners: owners + 1, after: owner, within: null } : { within: { owner, at: step.next } };
    if (this.#isEnough) return;
    await this.#save({ ...counted, ...place });
  }

  /** Acts, and stores the place behind it, both or neither. */
  async #act(owner: Owner, { act, next, acted }: JobAct): Promise<void> {
    const done = await this.#database.transaction(
      async (transaction) => {
        const { taken, failed, error } = await act(transaction);
        const { errors, ...before } = this.#progress;
        const progress = {
          ...before,
          taken: before.taken + taken,
          failed: before.failed + failed,
          errors: error && errors.length < LISTED_MAX ? [...errors, error] : errors,
          within: { owner, at: next },
        };
        await this.#leases.save(this.#job, progress, this.#status, transaction.client);
        return ok(progress);
      },
      { owner },
    );
    if (done.isErr()) throw thrown(done.error);
    this.#progress = done.value;
    acted?.();
  }

  async #save(changes: Partial<StoredProgress>, status = this.#status): Promise<void> {
    const progress = { ...this.#progress, ...changes };
    await this.#leases.save(this.#job, progress, status);
    this.#progress = progress;
    this.#status = status;
  }
}
