import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { CHECKOUT_CASES, compareCheckouts } from './against/compare-checkouts.ts';
import { onBench } from './bench.ts';
import { type CaseName, CASES, COMPARED_CASES } from './cases/cases.ts';
import { compare } from './comparison/compare.ts';
import { FEED_CASES, measureFeed } from './feed/measure-feed.ts';
import { measureCapacity } from './measure-capacity.ts';
import { measureDatabases } from './measure-databases.ts';
import { measureProfile } from './profile/measure-profile.ts';
import { formatReport } from './report.ts';
import { measureScale } from './scale/measure-scale.ts';
import { measureWebhooks, WEBHOOKS_CASES } from './webhooks/measure-webhooks.ts';
import { WrongResponse } from './wrong-response.ts';

const USAGE = [
  'pnpm bench [--quick] [--write] [--case TITLE…]',
  '                                         compares the server with comparison servers, by all cases or some',
  'pnpm bench scale [--quick] [--write]     measures it with a million orders and with a hundred thousand owners',
  'pnpm bench feed [--quick] [--write] [--case TITLE…]',
  `                                         measures the feed of events: ${FEED_CASES.join('; ')}`,
  'pnpm bench webhooks [--quick] [--write] [--case TITLE…]',
  `                                         measures webhooks: ${WEBHOOKS_CASES.join('; ')}`,
  'pnpm bench capacity [--quick] [--write]  measures orders alone and in batches, and their room in the database',
  'pnpm bench against FOLDER [--quick] [--case TITLE…]',
  '                                         compares it with another checkout of this repository, by all cases or some',
  'pnpm bench profile [--quick] [--write] [--case TITLE…]',
  '                                         measures where the time of a request goes, by the same cases; of one alone, also by function',
  'pnpm bench --database-url URL [--database-url URL…] [--quick]',
  '                                         measures it on empty databases, which are empty again afterwards;',
  '                                         distributes the tables where the extension Citus is created',
  '  --quick   runs a short test whose figures are not meaningful',
  '  --write   writes the figures to docs/performance.md, those of capacity to docs/guides/grow.md',
].join('\n');

const REPOSITORY = join(import.meta.dirname, '../../..');

/** An error of the command line. */
class UsageError extends Error {}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
    'database-url': { type: 'string', multiple: true, default: [] },
    case: { type: 'string', multiple: true, default: [] },
  },
});

/** Runs `pnpm bench`: prints the figures, or an error if a response was wrong. */
async function main(): Promise<void> {
  if (values.help) {
    console.log(USAGE);
    return;
  }
  const report = await run();
  console.log(report);
  if (values.write) await writeSection(positionals[0] ?? 'comparison', report);
}

async function run(): Promise<string> {
  const [command = values['database-url'].length > 0 ? 'databases' : 'comparison', folder, ...more] = positionals;
  if (more.length > 0 || (folder === undefined) === (command === 'against')) throw new UsageError(USAGE);
  const length = values.quick ? 'quick' : 'full';
  const titleOf = (name: CaseName) => CASES[name].title;
  const cases = () => chosen(CHECKOUT_CASES, titleOf);
  switch (command) {
    case 'comparison':
      return await onBench(length, (bench) => compare(bench, chosen(COMPARED_CASES, titleOf)));
    case 'scale':
      return await onBench(length, measureScale);
    case 'databases':
      return await onBench(length, (bench) => measureDatabases(bench, values['database-url']));
    case 'feed':
      return await onBench(length, (bench) => measureFeed(bench, chosen(FEED_CASES)));
    case 'capacity':
      return await onBench(length, measureCapacity);
    case 'webhooks':
      return await onBench(length, (bench) => measureWebhooks(bench, chosen(WEBHOOKS_CASES)));
    case 'against': {
      const other = resolve(folder ?? '');
      const section = await onBench(length, (bench) => compareCheckouts(bench, other, REPOSITORY, cases()));
      return formatReport(`${REPOSITORY} beside ${other}`, [section]);
    }
    case 'profile':
      return await onBench(length, (bench) => measureProfile(bench, REPOSITORY, cases()));
    default:
      throw new UsageError(USAGE);
  }
}

/** Returns the measurements that `--case` names, or all. */
function chosen<T extends string>(known: readonly T[], titleOf: (name: T) => string = (name) => name): readonly T[] {
  const unknown = values.case.find((title) => !known.some((name) => titleOf(name) === title));
  if (unknown !== undefined) {
    throw new UsageError(`no case "${unknown}". The cases are: ${known.map(titleOf).join('; ')}`);
  }
  return values.case.length === 0 ? known : known.filter((name) => values.case.includes(titleOf(name)));
}

/** Replaces a generated section of a page, between two marks. The text around it is written by hand. */
async function writeSection(name: string, text: string): Promise<void> {
  const path = join(REPOSITORY, name === 'capacity' ? 'docs/guides/grow.md' : 'docs/performance.md');
  const [begin, end] = [`<!-- ${name}: begin -->`, `<!-- ${name}: end -->`];
  const document = await readFile(path, 'utf8');
  const [before, rest] = document.split(begin);
  const after = rest?.split(end)[1];
  if (before === undefined || after === undefined) throw new UsageError(`${path} has no marks for ${name}`);
  await writeFile(path, `${before}${begin}\n\n${text}\n\n${end}${after}`);
}

// The child processes end with this process, also after a signal.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

main().catch((cause: unknown) => {
  process.exitCode = 1;
  if (cause instanceof UsageError) console.error(cause.message);
  else if (cause instanceof WrongResponse) console.error(`No figures, because a response was wrong: ${cause.message}`);
  else throw cause;
});
