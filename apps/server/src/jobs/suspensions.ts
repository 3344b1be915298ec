import type { Owner } from '@orders/domain';
import { type OrdersDatabase, postgresSuspendedOwners } from '@orders/persistence';
import type { FastifyBaseLogger } from 'fastify';
import { every, type Job } from './job.ts';

/** Maximum wait between two reads, in milliseconds: a change takes effect within this time on all servers. */
const INTERVAL_MS = 8000;

/** The suspended owners, as this server knows them. */
export interface Suspensions {
  readonly owners: ReadonlySet<Owner>;
  /** Reads them, and from then on again and again. */
  readonly read: () => Promise<void>;
  readonly follow: Job;
}

/** Returns the suspended owners, which no request has to look up. While they cannot be read, those of the last time hold. */
export function suspensions(database: OrdersDatabase, log: FastifyBaseLogger): Suspensions {
  const stored = postgresSuspendedOwners(database);
  const owners = new Set<Owner>();
  const read = async () => {
    const found = await stored.list();
    if (found.isErr()) throw found.error.cause;
    owners.clear();
    for (const { owner } of found.value) owners.add(owner);
  };
  const failure = 'the suspended owners could not be read; the next run does it';
  return {
    owners,
    read,
    follow: every({ name: 'suspensions', intervalMs: INTERVAL_MS, step: read, failure }, log),
  };
}
