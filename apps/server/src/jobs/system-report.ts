import { hostname } from 'node:os';
import type { Readiness, SystemReport } from '@orders/http-adapter';
import type { OrdersDatabase } from '@orders/persistence';
import type { FastifyBaseLogger } from 'fastify';
import { type Config, ENVIRONMENT, SECRETS } from '../config/config.ts';
import { findingsOf } from '../database/findings.ts';
import type { JobObserver } from './job.ts';
import { readManifest } from '../require-node.ts';

/** Maximum time of an examination, and how long requests share one, in milliseconds. */
const EXAMINATION_MS = 5000;
const SHARED_MS = 10_000;

/** What a server says of itself to operators. */
export interface System {
  readonly report: () => Promise<SystemReport>;
  /** Returns the observer of jobs that also notes what they have done. */
  readonly observing: (observer?: JobObserver) => JobObserver;
}

interface Parts {
  readonly database: OrdersDatabase;
  readonly log: FastifyBaseLogger;
  readonly whyNotReady: Readiness | undefined;
  /** The names of the variables that are set. */
  readonly given: ReadonlySet<string>;
}

/** Returns what a server says of itself, without secrets or data of owners. */
export function systemOf(config: Config, { database, log, whyNotReady, given }: Parts): System {
  const { pool } = database.primary;
  let feed: SystemReport['feed'] = null;
  let purge: SystemReport['purge'] = null;
  let latest: { readonly at: number; readonly findings: Promise<SystemReport['findings']> } | undefined;

  const examine = async (): Promise<SystemReport['findings']> => {
    const at = new Date().toISOString();
    const limit = AbortSignal.timeout(EXAMINATION_MS);
    const late = new Promise<never>((_, reject) => {
      limit.addEventListener('abort', () => reject(new Error('the examination took too long')));
    });
    try {
      return { at, data: await Promise.race([findingsOf(database, config, limit), late]) };
    } catch (err) {
      log.warn({ err }, 'the database could not be examined');
      const text = 'it could not be examined; the log of the server says why';
      return { at, data: [{ state: 'fail', subject: 'database', text }] };
    }
  };
  const findings = () => {
    const at = performance.now();
    if (!latest || at - latest.at > SHARED_MS) latest = { at, findings: examine() };
    return latest.findings;
  };
  return {
    report: async () => ({
      version: readManifest().version,
      node: process.version,
      host: hostname(),
      started_at: new Date(performance.timeOrigin).toISOString(),
      not_ready: (await whyNotReady?.()) ?? null,
      schema: database.schema,
      pool: {
        max: pool.options.max,
        active: pool.totalCount - pool.idleCount,
        idle: pool.idleCount,
        waiting: database.primary.waiting,
      },
      feed,
      purge,
      settings: settingsOf(config, given),
      findings: await findings(),
    }),
    observing: (observer = {}) => ({
      ...observer,
      purged: (rows) => {
        observer.purged?.(rows);
        purge = {
          at: new Date().toISOString(),
          rows: Object.values<number>({ ...rows }).reduce((sum, count) => sum + count, 0),
        };
      },
      unnumbered: (unnumbered, oldestAgeMs) => {
        observer.unnumbered?.(unnumbered, oldestAgeMs);
        feed = { at: new Date().toISOString(), unnumbered, oldest_age_ms: Math.round(oldestAgeMs) };
      },
    }),
  };
}

function settingsOf(config: Config, given: ReadonlySet<string>): SystemReport['settings'] {
  const values = new Map<string, unknown>(Object.entries(config));
  return Object.keys(ENVIRONMENT.shape).map((name) => {
    const is_secret = SECRETS.has(name);
    const value = is_secret ? null : textOf(values.get(name));
    return { name, source: given.has(name) ? 'environment' : 'default', is_secret, value };
  });
}

/** Returns a value without the credentials that a URL may have. */
function textOf(value: unknown): string | null {
  if (value === undefined) return null;
  const text = Array.isArray(value) ? value.join(',') : typeof value === 'string' ? value : JSON.stringify(value);
  return text.replaceAll(/\/\/[^/?#\s]*@/g, '//').replaceAll(/(:\/\/[^?\s]*)\?\S*/g, '$1');
}
