// Fails with the source files and helpers of tests that are too small for a file of their own: fewer than LINES_MIN
// lines, and one importer. Public doors stay: entry points of packages, which `exports` names, and what they re-export.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { parseSync } from 'rolldown/utils';

const LINES_MIN = 30;
/** Files that stay, and why. One that matches no file fails the check, too. */
const EXCEPTIONS = [
  // The table of a class, found by its name.
  /^packages\/persistence\/src\/.+-entity\.ts$/,
  // A page is loaded when its route is entered.
  /^apps\/console\/src\/pages\/[a-z]+\/route\.ts$/,
];

const root = join(import.meta.dirname, '../..');
const files = filesOf('*.ts', '*.tsx', '*.mjs');
const doors = new Set(
  filesOf('**/package.json').flatMap((manifest) => {
    const paths = pathsIn(JSON.parse(readFileSync(join(root, manifest), 'utf8')).exports);
    return paths.map((path) => join(dirname(manifest), path));
  }),
);

/** The importers of each file. A test does not count as an importer of a source file. */
const importers = new Map();
const exported = new Set();
for (const file of files) {
  const text = readFileSync(join(root, file), 'utf8');
  const { module } = parseSync(file, text);
  const imported = [
    ...module.staticImports.map(({ moduleRequest }) => moduleRequest.value),
    ...module.dynamicImports.map(({ moduleRequest: { start, end } }) => text.slice(start + 1, end - 1)),
  ];
  const reexported = module.staticExports.flatMap(({ entries }) =>
    entries.flatMap(({ moduleRequest }) => (moduleRequest ? [moduleRequest.value] : [])),
  );
  const resolve = (path) => normalize(join(dirname(file), path));
  if (doors.has(file)) for (const path of reexported) exported.add(resolve(path));
  for (const path of new Set([...imported, ...reexported].filter((each) => each.startsWith('.')))) {
    const target = resolve(path);
    if (isIn('test', file) && isIn('src', target)) continue;
    importers.set(target, [...(importers.get(target) ?? []), file]);
  }
}

const small = files.filter((file) => {
  if (!isIn('src', file) && !isIn('test', file)) return false;
  if (importers.get(file)?.length !== 1 || doors.has(file) || exported.has(file)) return false;
  return readFileSync(join(root, file), 'utf8').split('\n').length - 1 < LINES_MIN;
});
const found = [
  ...small
    .filter((file) => !EXCEPTIONS.some((exception) => exception.test(file)))
    .map((file) => `${file}: fewer than ${LINES_MIN} lines, imported by ${importers.get(file)[0]} only. Merge them.`),
  ...EXCEPTIONS.filter((exception) => !files.some((file) => exception.test(file))).map(
    (exception) => `${exception} matches no file. Remove it from tools/checks/check-small-files.mjs.`,
  ),
];
for (const each of found) console.error(each);
if (found.length > 0) process.exitCode = 1;

function filesOf(...patterns) {
  const list = ['ls-files', '--cached', '--others', '--exclude-standard', '--deduplicate', '--', ...patterns];
  const listed = execFileSync('git', list, { cwd: root, encoding: 'utf8' }).trim().split('\n');
  return listed.filter((file) => existsSync(join(root, file)));
}

function pathsIn(exports) {
  if (typeof exports === 'string') return [exports];
  return Object.values(exports ?? {}).flatMap(pathsIn);
}

function isIn(folder, file) {
  return file.split('/').includes(folder);
}
