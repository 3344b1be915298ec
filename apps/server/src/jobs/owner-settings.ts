import type { Owner } from '@orders/domain';
import { type OrdersDatabase, type OwnerSettings, postgresOwnerSettings } from '@orders/persistence';
import type { FastifyBaseLogger } from 'fastify';
import { every, type Job } from './job.ts';

/** Maximum wait between two reads, in milliseconds: a change takes effect within this time on all servers. */
const INTERVAL_MS = 8000;
/** Owners per statement. */
const PAGE = 10_000;

/** What operators have set for owners, as this server knows it. */
export interface FollowedSettings {
  readonly byOwner: ReadonlyMap<Owner, OwnerSettings>;
  /** Reads it, and from then on again and again. */
  readonly read: () => Promise<void>;
  readonly follow: Job;
}

/** Returns what is set for owners, which no request has to look up. While it cannot be read, that of the last time holds. */
export function followOwnerSettings(database: OrdersDatabase, log: FastifyBaseLogger): FollowedSettings {
  const stored = postgresOwnerSettings(database);
  const byOwner = new Map<Owner, OwnerSettings>();
  const readAll = async () => {
    const all: OwnerSettings[] = [];
    for (let after: Owner | null | undefined = null; after !== undefined;) {
      const found = await stored.list(after, PAGE);
      if (found.isErr()) throw found.error.cause;
      all.push(...found.value);
      after = found.value.length < PAGE ? undefined : found.value.at(-1)?.owner;
    }
    return all;
  };
  const read = async () => {
    const all = await readAll();
    // At once, so that no request meets half of it.
    byOwner.clear();
    for (const settings of all) byOwner.set(settings.owner, settings);
  };
  const failure = 'the settings of owners could not be read; the next run does it';
  return {
    byOwner,
    read,
    follow: every({ name: 'owner_settings', intervalMs: INTERVAL_MS, step: read, failure }, log),
  };
}
