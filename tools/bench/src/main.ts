import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { WrongResponse } from './cases/wrong-response.ts';
import { compare } from './comparison/compare.ts';
import { PLANS } from './comparison/plan.ts';
import { progressOn } from './comparison/progress.ts';
import { DATABASES_PLANS, measureDatabases } from './databases/measure-databases.ts';
import { comparisonReport } from './report/comparison-report.ts';
import { FEED_PLANS, feedCases } from './feed/feed-plan.ts';
import { measureFeed } from './feed/measure-feed.ts';
import { HOSTILE_REQUESTS, type HostilePlan, measureHostile } from './hostile/measure-hostile.ts';
import { databasesReport } from './report/databases-report.ts';
import { feedReport } from './report/feed-report.ts';
import { hostileReport, hostileSummary } from './report/hostile-report.ts';
import { plotOf } from './report/plot.ts';
import { revisionsReport } from './report/revisions-report.ts';
import { scaleReport } from './report/scale-report.ts';
import { webhooksReport } from './report/webhooks-report.ts';
import { compareRevisions, revisionCases, REVISIONS_PLANS } from './revisions/compare-revisions.ts';
import { measureScale } from './scale/measure-scale.ts';
import { SCALE_PLANS } from './scale/scale-plan.ts';
import { measureWebhooks } from './webhooks/measure-webhooks.ts';
import { WEBHOOKS_PLANS, webhooksCases } from './webhooks/webhooks-plan.ts';

const USAGE = [
  'pnpm bench [--quick] [--write]         compares the server with comparison servers',
  'pnpm bench scale [--quick] [--write]   measures it with a million orders and with a hundred thousand owners',
  'pnpm bench feed [--quick] [--write]    measures the feed of events',
  'pnpm bench feed --case TITLE… [--quick] the same by some cases: polls; writes; long polls; waiters; snapshot',
  'pnpm bench webhooks [--quick] [--write] measures webhooks',
  'pnpm bench webhooks --case TITLE… [--quick] the same by some cases: throughput; latency; writes; fairness',
  'pnpm bench hostile [--seed SEED] [--requests COUNT] [--case REQUEST…] [--json FILE] [--quick]',
  '                                       measures hostile requests beside the largest valid ones; fails if one is dear',
  'pnpm bench against FOLDER [--case TITLE…] [--quick]',
  '                                       compares it with another checkout of this repository, by all cases or some',
  'pnpm bench --database-url URL [--database-url URL…] [--quick]',
  '                                       measures it on empty databases, which are empty again afterwards;',
  '                                       distributes the tables where the extension Citus is created',
  '  --quick   runs a short test whose figures are not meaningful',
  '  --write   writes the figures and the plot to docs/performance.md',
];

const DOCS = join(import.meta.dirname, '../../../docs');

/** Runs `pnpm bench`: prints the figures, or an error if a response was wrong. */
async function main(): Promise<void> {
  const options = {
    quick: { type: 'boolean' },
    write: { type: 'boolean' },
    help: { type: 'boolean' },
    'database-url': { type: 'string', multiple: true },
    case: { type: 'string', multiple: true },
    seed: { type: 'string' },
    requests: { type: 'string' },
    json: { type: 'string' },
  } as const;
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const [command = 'comparison', folder, ...more] = positionals;
  const urls = values['database-url'] ?? [];
  const valid =
    urls.length > 0
      ? positionals.length === 0 && values.write !== true && urls.every((url) => URL.canParse(url))
      : command === 'against'
        ? folder !== undefined
        : command === 'hostile'
          ? !folder && !values.write && areWhole(values.seed, values.requests)
          : ['comparison', 'scale', 'feed', 'webhooks'].includes(command) && !folder && !(values.write && values.case);
  if (values.help || more.length > 0 || !valid) {
    console.log(USAGE.join('\n'));
    process.exitCode = values.help ? 0 : 1;
    return;
  }
  const length = values.quick ? 'quick' : 'full';
  const write = values.write === true;
  const titles = values.case ?? [];
  if (urls.length > 0) await databases(urls, length);
  else if (folder !== undefined) await against(folder, length, titles);
  else if (command === 'hostile') {
    const { seed = '1', requests = `${HOSTILE_REQUESTS[length]}`, json } = values;
    await hostile({ seed: Number(seed), requests: Number(requests), only: titles }, json);
  } else if (command === 'feed') await feed(length, write, titles);
  else if (command === 'webhooks') await webhooks(length, write, titles);
  else await (command === 'scale' ? scale(length, write) : comparison(length, write));
}

async function comparison(length: 'quick' | 'full', write: boolean): Promise<void> {
  const progress = progressOn(process);
  const results = await compare(PLANS[length], progress).finally(() => progress.end());
  const report = comparisonReport(results);
  console.log(report);
  if (!write) return;
  await writeSection('comparison', report);
  await writePlot(plotOf(results));
}

async function scale(length: 'quick' | 'full', write: boolean): Promise<void> {
  const progress = progressOn(process);
  const report = scaleReport(await measureScale(SCALE_PLANS[length], progress).finally(() => progress.end()));
  console.log(report);
  if (write) await writeSection('scale', report);
}

async function feed(length: 'quick' | 'full', write: boolean, titles: readonly string[]): Promise<void> {
  const cases = feedCases(titles);
  if (typeof cases === 'string') {
    fail(cases);
    return;
  }
  const progress = progressOn(process);
  const report = feedReport(await measureFeed(FEED_PLANS[length], cases, progress).finally(() => progress.end()));
  console.log(report);
  if (write) await writeSection('feed', report);
}

async function webhooks(length: 'quick' | 'full', write: boolean, titles: readonly string[]): Promise<void> {
  const cases = webhooksCases(titles);
  if (typeof cases === 'string') {
    fail(cases);
    return;
  }
  const progress = progressOn(process);
  const measured = measureWebhooks(WEBHOOKS_PLANS[length], cases, progress);
  const report = webhooksReport(await measured.finally(() => progress.end()));
  console.log(report);
  if (write) await writeSection('webhooks', report);
}

async function hostile(plan: HostilePlan, json: string | undefined): Promise<void> {
  const progress = progressOn(process);
  const summary = hostileSummary(await measureHostile(plan, progress).finally(() => progress.end()));
  console.log(hostileReport(summary));
  if (json !== undefined) await writeFile(json, `${JSON.stringify(summary, null, 2)}\n`);
  if (summary.failures.length > 0) process.exitCode = 1;
}

function areWhole(...numbers: readonly (string | undefined)[]): boolean {
  return numbers.every((number) => number === undefined || /^[1-9]\d{0,8}$/.test(number));
}

async function against(folder: string, length: 'quick' | 'full', titles: readonly string[]): Promise<void> {
  const cases = revisionCases(titles);
  if (typeof cases === 'string') {
    fail(cases);
    return;
  }
  const progress = progressOn(process);
  const own = join(import.meta.dirname, '../../..');
  const compared = compareRevisions(resolve(folder), own, REVISIONS_PLANS[length], cases, progress);
  console.log(revisionsReport(await compared.finally(() => progress.end())));
}

function fail(message: string): void {
  console.error(message);
  process.exitCode = 1;
}

async function databases(urls: readonly string[], length: 'quick' | 'full'): Promise<void> {
  const progress = progressOn(process);
  const measured = measureDatabases(urls, DATABASES_PLANS[length], progress);
  console.log(databasesReport(await measured.finally(() => progress.end())));
}

/** Replaces a generated section of `docs/performance.md`, between two marks. The text around it is written by hand. */
async function writeSection(name: 'comparison' | 'scale' | 'feed' | 'webhooks', text: string): Promise<void> {
  const path = join(DOCS, 'performance.md');
  const [begin, end] = [`<!-- ${name}: begin -->`, `<!-- ${name}: end -->`];
  const document = await readFile(path, 'utf8');
  const [before, rest] = document.split(begin);
  const after = rest?.split(end)[1];
  if (before === undefined || after === undefined) throw new Error(`${path} has no marks for ${name}`);
  await writeFile(path, `${before}${begin}\n\n${text}\n\n${end}${after}`);
}

async function writePlot(svg: string): Promise<void> {
  await writeFile(join(DOCS, 'performance.svg'), svg);
}

// The child processes end with this process, also after a signal.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

main().catch((cause: unknown) => {
  process.exitCode = 1;
  if (!(cause instanceof WrongResponse)) throw cause;
  console.error(`No figures, because a response was wrong: ${cause.message}`);
});
