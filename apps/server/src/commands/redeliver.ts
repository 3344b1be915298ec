import { createInterface } from 'node:readline/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { OrderDefinition } from '@orders/domain';
import type { OperatorJob } from '@orders/domain/operators';
import type { Database } from '@orders/persistence';
import { Option } from 'commander';
import { OperatorError } from '../operator-error.ts';
import { report } from '../terminal.ts';
import type { Arguments, Command } from './command.ts';
import { databaseFailure, databaseResult } from './database-result.ts';
import { byThisUser, REASON } from './audited.ts';
import { OWNER } from './owner.ts';
import { print } from './print.ts';
import { Progress } from './progress.ts';

/** The pause before the next look at a job that a server works on, in milliseconds. */
const POLL_MS = 250;

const YES = new Option('--yes', 'confirms it');

/** Sends events again that match a filter, by a job that a server goes on with if the command is stopped. */
export const redeliverAll: Command = {
  usage: 'redeliver',
  records: 'itself',
  about:
    'counts the deliveries that match, and sends them again once that is confirmed: those that failed, or were accepted and lost',
  options: [
    OWNER,
    new Option('--endpoint <id>', 'of this webhook endpoint'),
    new Option('--status <status>', 'failed, or delivered: what was accepted in the time').choices([
      'failed',
      'delivered',
    ]),
    new Option('--from <time>', 'of events at this time, such as 2026-01-31T09:00:00+01:00, or later'),
    new Option('--before <time>', 'of events before this time'),
    new Option('--dry-run', 'only counts'),
    YES,
    REASON,
  ],
  examples: [
    'redeliver --owner shop --from 2026-01-31T09:00:00Z --before 2026-01-31T12:00:00Z',
    'redeliver --status delivered --from 2026-01-31T09:00:00Z --before 2026-01-31T12:00:00Z --yes',
  ],
  endsBySignal: true,
  prepare: async (args, definition) => {
    const by = byThisUser(args);
    const work = await readFilter(args, definition);
    const isDryRun = args.flags.has('dry-run');
    if (!isDryRun && !args.flags.has('yes') && !process.stdin.isTTY)
      throw new OperatorError(['--yes: is required without a terminal; --dry-run only counts']);
    return async ({ database }, signal) => {
      const { postgresOperatorJobs } = await import('@orders/persistence');
      const jobs = postgresOperatorJobs(database);
      const { id } = await databaseResult(jobs.create(work, new Date().toISOString(), by));
      const counted = await untilEnded(database, id, 'counting', signal);
      const deliveries = `${counted.matched} ${counted.matched === 1 ? 'delivery' : 'deliveries'}`;
      reportLeftOut(counted);
      if (isDryRun || counted.matched === 0) return await print(`${deliveries} match.\n`);
      if (!args.flags.has('yes') && !(await isConfirmed(`Send ${deliveries} again?`, signal))) {
        await databaseResult(jobs.cancel(id, new Date().toISOString(), by));
        return;
      }
      await databaseResult(jobs.start(id, by));
      const progress = new Progress('requested', 'deliveries');
      const done = await untilEnded(database, id, 'running', signal, progress).finally(() => progress.stop());
      reportLeftOut(done);
      const sent = `${done.taken - done.failed} of ${deliveries} are sent again by the job ${id}`;
      await print(`${sent}${done.status === 'done' ? '' : ', which was cancelled'}\n`);
    };
  },
};

async function readFilter({ values }: Arguments, definition: OrderDefinition) {
  const { parseJob } = await import('@orders/domain/operators');
  const { owner, endpoint: endpoint_id, status, from, before } = values;
  const given = Object.entries({ owner, endpoint_id, status, from, before }).filter(([, value]) => value !== undefined);
  const parsed = parseJob({ kind: 'redeliver', filter: Object.fromEntries(given), dry_run: true }, definition);
  if (parsed.isOk()) return parsed.value;
  const optionOf = (field: string) => field.replace(/^filter\./, '--').replace('endpoint_id', 'endpoint');
  throw new OperatorError(parsed.error.errors.map(({ field, message }) => `${optionOf(field)}: ${message}`));
}

/** Works on a job, unless a server does, until it has another status. */
async function untilEnded(
  database: Database<unknown, OrderDefinition>,
  id: string,
  status: OperatorJob['status'],
  signal: AbortSignal,
  progress?: Progress,
): Promise<OperatorJob> {
  const { postgresOperatorJobs, runJobs } = await import('@orders/persistence');
  for (let taken = 0; ;) {
    signal.throwIfAborted();
    await runJobs(database, {
      id,
      signal,
      onFailure: (_, cause) => {
        throw databaseFailure(cause, '; the job goes on by a server: orders jobs');
      },
    });
    const job = await databaseResult(postgresOperatorJobs(database).get(id));
    if (!job) throw new OperatorError([`the job ${id} is gone`]);
    progress?.add(job.taken - taken, job.taken / Math.max(job.matched, 1));
    ({ taken } = job);
    if (job.status !== status) return job;
    await sleep(POLL_MS, undefined, { signal }).catch(() => undefined);
  }
}

function reportLeftOut({ left_out, left_out_owners, node_down }: OperatorJob): void {
  if (left_out > 0) report(`left out ${left_out} owners that could not be looked at: ${left_out_owners.join(', ')}`);
  if (node_down) report('left out the owners of a node of Citus that does not respond');
}

/** Returns what is typed in response to a question. */
async function isConfirmed(question: string, signal: AbortSignal): Promise<boolean> {
  report(`${question} [y/N]`);
  const terminal = createInterface({ input: process.stdin });
  try {
    return /^y(es)?$/i.test((await terminal.question('', { signal })).trim());
  } finally {
    terminal.close();
  }
}
