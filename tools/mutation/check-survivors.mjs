// Fails if survivors.json does not explain a surviving mutant and, after a run of the whole, explains one that was
// detected. After a run of a part it checks survivors alone: also those of earlier runs, which `--incremental` adds to the
// report.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';

const root = join(import.meta.dirname, '../..');
const explained = Object.entries(
  JSON.parse(await readFile(join(import.meta.dirname, 'survivors.json'), 'utf8')),
).flatMap(([file, rows]) =>
  rows.flatMap(({ code, replacedBy }) => replacedBy.map((replacement) => ({ file, code, replacement }))),
);
const report = JSON.parse(await readFile(join(root, 'reports/mutation/domain.json'), 'utf8'));
const whole = JSON.parse(await readFile(join(root, 'tools/mutation/stryker.config.json'), 'utf8'));

const mutants = Object.entries(report.files).flatMap(([path, { source, mutants }]) =>
  mutants.map((mutant) => ({
    status: mutant.status,
    file: path.replace('packages/domain/src/', ''),
    code: oneLine(textAt(source, mutant.location)),
    replacement: oneLine(mutant.replacement),
  })),
);
// An explained mutant that times out on a busy machine counts as a survivor.
const survivors = mutants.filter(
  (mutant) =>
    mutant.status === 'Survived' ||
    mutant.status === 'NoCoverage' ||
    (mutant.status === 'Timeout' && explained.some((explanation) => isOf(explanation, mutant))),
);

const problems = [
  ...survivors
    .filter((survivor) => !explained.some((explanation) => isOf(explanation, survivor)))
    .map((survivor) => `survived without an explanation: ${describeMutant(survivor)}`),
  ...(isWhole(report) ? staleRows() : []),
];
for (const problem of new Set(problems)) console.error(problem);
process.exitCode = problems.length > 0 ? 1 : 0;

function staleRows() {
  return explained
    .filter((explanation) => !survivors.some((survivor) => isOf(explanation, survivor)))
    .map((explanation) => `is explained, but did not survive: ${describeMutant(explanation)}`);
}

/** Checks whether a row explains this mutant; `…` in the row stands for omitted code. */
function isOf(explanation, mutant) {
  return (
    explanation.file === mutant.file &&
    isShort(explanation.code, mutant.code) &&
    isShort(explanation.replacement, mutant.replacement)
  );
}

function isShort(short, full) {
  const [start, end] = short.split('…');
  return end === undefined ? start === full : full.startsWith(start) && full.endsWith(end);
}

function textAt(source, { start, end }) {
  const lines = source.split('\n').slice(start.line - 1, end.line);
  lines[lines.length - 1] = lines.at(-1).slice(0, end.column - 1);
  return [lines[0].slice(start.column - 1), ...lines.slice(1)].join('\n');
}

function oneLine(code) {
  return code.replaceAll(/\s+/g, ' ').trim();
}

function isWhole({ config }) {
  return isDeepStrictEqual(config.mutate, whole.mutate) && mutants.every(({ status }) => status !== 'Ignored');
}

function describeMutant({ file, code, replacement }) {
  return `${file}: ${code} -> ${replacement}`;
}
