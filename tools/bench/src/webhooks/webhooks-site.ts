import { randomBytes } from 'node:crypto';
import { startSubject, type Subject } from '../comparison/start-subject.ts';
import { SUBJECTS } from '../comparison/subjects.ts';
import type { BenchDatabase } from '../database/bench-database.ts';
import type { Load } from '../load/load.ts';
import type { Receiver } from './receiver.ts';
import { type StartedWorker, startWorker } from './start-worker.ts';

/** Whether a server sends webhooks itself, or leaves that to others. */
type Sending = 'on' | 'api';

/** The parts that all measurements of webhooks share. */
export interface WebhooksSite {
  readonly postgres: BenchDatabase;
  readonly load: Load;
  readonly receiver: Receiver;
  /** Starts a server. */
  readonly serve: (sending: Sending) => Promise<Subject>;
  /** Starts a worker in a process of its own. */
  readonly work: () => Promise<StartedWorker>;
  /** Creates API keys of owners that did not exist before. */
  readonly newOwners: (count: number) => Promise<readonly Tenant[]>;
}

/** An owner and its API key. */
export interface Tenant {
  readonly owner: string;
  readonly apiKey: string;
}

/** Reports the start of a step. */
export type OnStep = (title: string) => void;

/** The limits for a worker whose tables are locked while only writes are measured, in milliseconds. */
const PATIENT = { LOCK_TIMEOUT_MS: '60000', STATEMENT_TIMEOUT_MS: '60000' };

/** Returns a site, on which nothing runs but the given parts. */
export async function webhooksSite(postgres: BenchDatabase, load: Load, receiver: Receiver): Promise<WebhooksSite> {
  const environment = {
    WEBHOOK_SIGNING_KEYS: randomBytes(32).toString('base64'),
    WEBHOOK_ALLOW_CIDRS: '127.0.0.1/32',
  };
  const probe = { path: '/v1/orders', apiKey: await postgres.issueKey('probe') };
  let owners = 0;
  const newOwner = async (): Promise<Tenant> => {
    owners += 1;
    const owner = `owner-${owners}`;
    return { owner, apiKey: await postgres.issueKey(owner) };
  };
  return {
    postgres,
    load,
    receiver,
    serve: (sending) => {
      const { orders } = SUBJECTS;
      const subject = {
        ...orders,
        environment: { ...orders.environment, ...environment, ...PATIENT, WEBHOOKS: sending },
      };
      return startSubject(subject, postgres.url, probe);
    },
    work: () => startWorker(postgres.url, environment),
    newOwners: (count) => Promise.all(Array.from({ length: count }, newOwner)),
  };
}

/** Runs `work` with something that is stopped afterwards. */
export async function during<T extends { stop(): Promise<void> }, R>(
  starting: Promise<T>,
  work: (started: T) => Promise<R>,
): Promise<R> {
  const started = await starting;
  try {
    return await work(started);
  } finally {
    await started.stop();
  }
}
