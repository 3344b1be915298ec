// Fails if docs/mutation-testing.md does not explain a surviving mutant, explains a killed mutant, or has outdated
// figures. After a run of a part, it checks only for unexplained survivors: also those of earlier runs, which
// `--incremental` adds to the report.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';

const root = join(import.meta.dirname, '../..');
const note = await readFile(join(root, 'docs/mutation-testing.md'), 'utf8');
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
const explained = explanations(note);
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
  ...(isWhole(report) ? staleParts() : []),
];
for (const problem of new Set(problems)) console.error(problem);
process.exitCode = problems.length > 0 ? 1 : 0;

function staleParts() {
  const figure = figureOf(mutants.length, mutants.length - survivors.length);
  return [
    ...explained
      .filter((explanation) => !survivors.some((survivor) => isOf(explanation, survivor)))
      .map((explanation) => `is explained, but did not survive: ${describeMutant(explanation)}`),
    ...(note.includes(figure) ? [] : [`the note does not say: ${figure}`]),
  ];
}

function figureOf(all, detected) {
  const spelled = (count) => count.toLocaleString('en');
  return `${spelled(all)} mutants, ${spelled(detected)} of them noticed: ${((100 * detected) / all).toFixed(2)} %`;
}

/** Returns the explanations of the document: below a heading with the file, rows of code, replacements and reason. */
function explanations(markdown) {
  let file = '';
  return markdown.split('\n').flatMap((line) => {
    file = /^### `(.+)`$/.exec(line)?.[1] ?? file;
    const cells = line.split(/(?<!\\)\|/);
    return codesIn(cells[1]).flatMap((code) => codesIn(cells[2]).map((replacement) => ({ file, code, replacement })));
  });
}

function codesIn(cell = '') {
  return [...cell.matchAll(/(?<!`)(`+)(?!`) ?(.+?) ?(?<!`)\1(?!`)/g)].map(([, , code]) => code.replaceAll('\\|', '|'));
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
