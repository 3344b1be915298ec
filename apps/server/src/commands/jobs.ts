import type { OperatorJob } from '@orders/domain/operators';
import type { DeliveryOfOwner, OwnersPageOf, OwnersPlace } from '@orders/persistence';
import { Option } from 'commander';
import { OperatorError } from '../operator-error.ts';
import { report } from '../terminal.ts';
import { LIMIT, readLimit } from './api/limit.ts';
import type { Arguments, Command } from './command.ts';
import { databaseResult } from './database-result.ts';
import { type Column, JSON_OUTPUT, printList } from './list-output.ts';
import { byThisUser, REASON } from './audited.ts';
import { readId } from './operators.ts';
import { OWNER, readOwner } from './owner.ts';
import { print } from './print.ts';

/** The jobs that are listed. */
const JOBS_MAX = 100;

const COLUMNS: readonly Column<OperatorJob>[] = [
  { header: 'ID', cell: ({ id }) => id },
  { header: 'KIND', cell: ({ kind }) => kind },
  { header: 'STATUS', cell: ({ status }) => status },
  { header: 'DONE', cell: ({ taken, failed }) => `${taken - failed}`, isNumber: true },
  { header: 'OF', cell: ({ matched }) => `${matched}`, isNumber: true },
  { header: 'FAILED', cell: ({ failed }) => `${failed}`, isNumber: true },
  { header: 'CREATED', cell: ({ created_at }) => created_at },
  { header: 'BY', cell: ({ actor }) => actor },
  { header: 'FILTER', cell: ({ filter }) => JSON.stringify(filter) },
  { header: 'REASON', cell: ({ reason }) => reason ?? '-' },
];

/** Lists what operators let act on many records. */
export const listJobs: Command = {
  usage: 'jobs',
  records: 'nothing',
  about: 'lists the newest jobs, which act on all that matches a filter, and how far they are',
  options: [JSON_OUTPUT],
  examples: ['jobs', 'jobs --json'],
  prepare:
    (args) =>
    async ({ database }) => {
      const { postgresOperatorJobs } = await import('@orders/persistence');
      const jobs = await databaseResult(postgresOperatorJobs(database).list({ before: null, limit: JOBS_MAX }));
      await printList(jobs, COLUMNS, args, 'There are no jobs.');
    },
};

/** Lets a job act after a dry run, or ends one. */
function changeOf(verb: 'start' | 'cancel', about: string): Command {
  return {
    usage: `jobs ${verb} <id>`,
    records: 'itself',
    about,
    options: [REASON],
    examples: [`jobs ${verb} 019b2a4e-8f00-7000-8000-000000000001`],
    prepare: (args) => {
      const [id, by] = [readId(args), byThisUser(args)];
      return async ({ database }) => {
        const { postgresOperatorJobs } = await import('@orders/persistence');
        const jobs = postgresOperatorJobs(database);
        const change = verb === 'start' ? jobs.start(id, by) : jobs.cancel(id, new Date().toISOString(), by);
        const job = await databaseResult(change);
        if (!job) throw new OperatorError([`ID: no job has the id ${id}; jobs lists them`]);
        await print(`the job is ${job.status}\n`);
      };
    },
  };
}

export const startJob = changeOf('start', 'lets a job act that has counted; a server works on it');
export const cancelJob = changeOf('cancel', 'ends a job; what it has done stays');

const DELIVERY_COLUMNS: readonly Column<DeliveryOfOwner>[] = [
  { header: 'OWNER', cell: ({ owner }) => owner },
  { header: 'OCCURRED', cell: ({ occurred_at }) => occurred_at },
  { header: 'STATUS', cell: ({ status }) => status },
  { header: 'TRIES', cell: ({ attempts }) => `${attempts}`, isNumber: true },
  { header: 'LAST', cell: ({ last_status, last_error }) => String(last_status ?? last_error ?? '-') },
  { header: 'TYPE', cell: ({ type }) => type },
  { header: 'ENDPOINT', cell: ({ endpoint_id }) => endpoint_id },
  { header: 'EVENT', cell: ({ event_id }) => event_id },
];

const STATUSES = ['pending', 'delivered', 'failed'] as const;

/** Lists deliveries of webhooks of all owners. */
export const listAllDeliveries: Command = {
  usage: 'deliveries',
  records: 'nothing',
  about: 'lists the deliveries of webhooks of all owners, or of one, the newest event of an endpoint first',
  options: [
    OWNER,
    new Option('--endpoint <id>', 'of this webhook endpoint'),
    new Option('--status <status>', 'in this status').choices([...STATUSES]),
    new Option('--from <time>', 'of events at this time, such as 2026-01-31T09:00:00+01:00, or later'),
    new Option('--before <time>', 'of events before this time'),
    LIMIT,
    JSON_OUTPUT,
  ],
  examples: ['deliveries --status failed', 'deliveries --owner shop --from 2026-01-31T09:00:00Z --json'],
  prepare: async (args) => {
    const { values } = args;
    const limit = readLimit(args);
    const owner = values['owner'] === undefined ? null : await readOwner(args);
    const endpoint_id =
      values['endpoint'] === undefined ? null : readId({ ...args, positionals: [values['endpoint']] });
    const [from, before] = [timeOf(args, 'from'), timeOf(args, 'before')];
    const query = { owner, endpoint_id, status: values['status'] ?? null, from, before };
    return async ({ database }) => {
      const { postgresDeliveriesOfOwners } = await import('@orders/persistence');
      const list = postgresDeliveriesOfOwners(database);
      const found: DeliveryOfOwner[] = [];
      let after: OwnersPlace | null = null;
      for (;;) {
        const page: OwnersPageOf<DeliveryOfOwner> | null = await databaseResult(
          list({ ...query, after, limit: Math.min(limit - found.length, 100) }),
        );
        if (!page) throw new OperatorError(['a webhook endpoint was deleted meanwhile: repeat the command']);
        found.push(...page.data);
        after = page.next;
        if (after !== null && found.length < limit) continue;
        const { looked_at, all } = page.owners;
        if (after !== null) report(`looked at ${looked_at} of ${all ?? 'all'} owners; --limit lists more`);
        if (all === null) report('a node of Citus does not respond: its owners are left out');
        break;
      }
      await printList(found, DELIVERY_COLUMNS, args, 'No deliveries match.');
    };
  },
};

/**
 * @throws {OperatorError} it is no time
 */
function timeOf({ values }: Arguments, name: 'from' | 'before'): string | null {
  const text = values[name];
  if (text === undefined) return null;
  const at = /^\d{4}-\d\d-\d\dT.*(Z|[+-]\d\d:\d\d)$/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(at)) throw new OperatorError([`--${name}: must be a time such as 2026-01-31T04:00:00Z`]);
  return new Date(at).toISOString();
}
