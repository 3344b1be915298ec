import type { System } from '../../api/types.ts';
import { count } from '../../texts.ts';

/** The texts of the overview. */
export const V = {
  look: 'Needs a look',
  nothing: 'Nothing: every endpoint accepts what it gets, and no owner is refused.',
  lookedAt: (some: number, all: number | null) =>
    `Of the endpoints of ${some}${all === null ? '' : ` of ${all}`} owners, and of those that use most of this server. Webhooks and Owners have all.`,
  fails: (host: string, owner: string, since: string) => `${host} of ${owner} has accepted nothing for ${since}.`,
  disabled: (host: string, owner: string) => `${host} of ${owner} is disabled.`,
  refused: (owner: string, requests: number) =>
    `${count(requests, 'request')} of ${owner} got 429 or 503 in the last minute.`,
  system: {
    title: 'This server',
    ready: 'Ready',
    notReady: (why: string) => `Not ready: ${why}`,
    schema: (schema: string) => `Schema ${schema}`,
    findings: (number: number) => (number === 0 ? 'Nothing found' : count(number, 'finding')),
    release: 'Release',
    releases: (version: string, node: string) => `${version}, Node.js ${node}`,
    host: 'Machine',
    started: 'Started',
    pool: 'Connections',
    connections: ({ active, max, waiting }: System['pool']) =>
      `${active} of ${max} in use, ${count(waiting, 'statement')} waiting`,
    purge: 'Last purge',
    purged: (rows: number, ago: string) => `${count(rows, 'row')}, ${ago}`,
    notYet: 'not yet',
    examined: 'The database, as examined',
    states: { fail: 'Needs action', warn: 'Needs a look', ok: 'Good' },
  },
  placed: { hour: 'Orders placed per hour', day: 'Orders placed per day' },
  of: (owners: number) =>
    owners === 1
      ? 'Of the one owner that uses this server now. Others are not in these figures.'
      : `Of the ${owners} owners that used most of this server when you came here. Others are not in these figures.`,
  instead: { hour: 'Per day, for two weeks', day: 'Per hour, for a day' },
  times: { hour: 'Hour', day: 'Day' },
  orders: 'Orders',
  asTable: 'As a table',
  none: 'No owner has sent a request in the last minute, so that there is no one to show. Owners has all of them.',
  entered: 'What became of orders',
  enteredAbout: 'Orders that entered a status in this time, and their totals. Currencies are never added up.',
  status: 'Status',
  currency: 'Currency',
  total: 'Total',
  peak: (by: 'hour' | 'day', number: number) => `Bars of orders placed per ${by}, at most ${number}`,
} as const;
