import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { WrongAnswer } from './cases/wrong-response.ts';
import { compare } from './comparison/compare.ts';
import { PLANS } from './comparison/plan.ts';
import { progressOn } from './comparison/progress.ts';
import { comparisonReport } from './report/comparison-report.ts';
import { writePlot, writeSection } from './report/performance-doc.ts';
import { plotOf } from './report/plot.ts';
import { revisionsReport } from './report/revisions-report.ts';
import { scaleReport } from './report/scale-report.ts';
import { compareRevisions, REVISIONS_PLANS } from './revisions/compare-revisions.ts';
import { measureScale } from './scale/measure-scale.ts';
import { SCALE_PLANS } from './scale/scale-plan.ts';

const USAGE = `pnpm bench [--quick] [--write]         measures the server beside comparison servers
pnpm bench scale [--quick] [--write]   measures it with a million orders, and with a hundred thousand owners
pnpm bench against FOLDER [--quick]    measures it beside another checkout of this repository, such as the last release
  --quick   shorter, to see that it works
  --write   puts what was measured into docs/performance.md, and the plot beside it
`;

/** `pnpm bench`: prints what it measured; nothing, when answers were wrong. */
async function main(): Promise<void> {
  const options = { quick: { type: 'boolean' }, write: { type: 'boolean' }, help: { type: 'boolean' } } as const;
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const [what = 'comparison', folder, ...more] = positionals;
  const known = what === 'against' ? folder !== undefined : ['comparison', 'scale'].includes(what) && !folder;
  if (values.help || more.length > 0 || !known) {
    process.stdout.write(USAGE);
    process.exitCode = values.help ? 0 : 1;
    return;
  }
  const length = values.quick ? 'quick' : 'full';
  const write = values.write === true;
  if (folder !== undefined) await against(folder, length);
  else await (what === 'scale' ? scale(length, write) : comparison(length, write));
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

async function against(folder: string, length: 'quick' | 'full'): Promise<void> {
  const progress = progressOn(process);
  const own = join(import.meta.dirname, '../..');
  const compared = compareRevisions(resolve(folder), own, REVISIONS_PLANS[length], progress);
  console.log(revisionsReport(await compared.finally(() => progress.end())));
}

// Those that were started end with this process, also when it is told to.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

main().catch((cause: unknown) => {
  process.exitCode = 1;
  if (!(cause instanceof WrongAnswer)) throw cause;
  console.error(`There are no figures: ${cause.message}`);
});
