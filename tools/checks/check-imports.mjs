// Fails with the imports that tools/checks/import-rules.mjs does not allow, and with what it allows in vain. Fails with
// circles of imports, too: between the files and folders of each folder of src, and between files elsewhere.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';
import { parseSync, Visitor } from 'rolldown/utils';
import { COMPOSITION, MAY_IMPORT } from './import-rules.mjs';

const TABLE = 'tools/checks/import-rules.mjs';

process.chdir(join(import.meta.dirname, '../..'));
const list = [
  'ls-files',
  '--cached',
  '--others',
  '--exclude-standard',
  '--deduplicate',
  '--',
  '*.ts',
  '*.tsx',
  '*.mjs',
];
const files = execFileSync('git', list, { encoding: 'utf8' }).trim().split('\n').filter(existsSync);

const found = new Set();
const rules = Object.entries(MAY_IMPORT).flatMap(([src, rows]) =>
  Object.entries(rows).flatMap(([row, names]) => (names.match(/\S+/g) ?? []).map((allowed) => ({ src, row, allowed }))),
);
const unused = new Set(rules);
/** The files and folders of each src. */
const entries = new Set();
/** For each file and folder, what it imports, with a file that does. */
const graph = new Map();

for (const file of files) {
  const imported = importsOf(file);
  const src = /^(?:apps|packages|tools)\/[^/]+\/src(?=\/)/.exec(file)?.[0];
  if (src) entries.add(join(src, entryOf(file, src)));
  for (const name of imported) {
    if (name.startsWith('.')) addToGraph(file, join(dirname(file), name), src);
    if (src) checkRules(file, name, src);
  }
  if (src && file !== COMPOSITION.file && COMPOSITION.together.every((each) => imported.has(each))) {
    const together = COMPOSITION.together.join(', ');
    found.add(`${file} imports ${together}. Only ${COMPOSITION.file} may import these together: compose them there.`);
  }
}
for (const { src, row, allowed } of unused) found.add(`${TABLE}: ${allowed} is in vain in ${src}, ${row}. Remove it.`);
for (const [src, rows] of Object.entries(MAY_IMPORT)) {
  const gone = Object.keys(rows).filter((row) => !row.includes('*') && !entries.has(join(src, row)));
  for (const row of gone) found.add(`${TABLE}: there is no ${row} in ${src}. Remove its row.`);
}
findCircles();

for (const each of found) console.error(each);
if (found.size > 0) process.exitCode = 1;

/** Returns what a file imports: by declarations, `import('x')` and types such as `import('x').Y`. */
function importsOf(file) {
  const imported = new Set();
  const visit = ({ source, expression }) => {
    const name = source ?? expression;
    if (name) imported.add(typeof name.value === 'string' ? name.value : '(computed)');
  };
  const visitor = new Visitor({
    ImportDeclaration: visit,
    ExportAllDeclaration: visit,
    ExportNamedDeclaration: visit,
    ImportExpression: visit,
    TSImportType: visit,
    TSExternalModuleReference: visit,
  });
  visitor.visit(parseSync(file, readFileSync(file, 'utf8')).program);
  return imported;
}

function checkRules(file, name, src) {
  const entry = entryOf(file, src);
  const target = join(dirname(file), name);
  const isOwn = name.startsWith('.') && target.startsWith(`${src}/`);
  if (isOwn && entryOf(target, src) === entry) return;
  const wanted = isOwn ? `./${entryOf(target, src)}` : name;
  const rows = ['*', Object.hasOwn(MAY_IMPORT[src] ?? {}, entry) ? entry : '*.ts'].filter((row) => matches(row, entry));
  const allowing = rules.filter((rule) => rule.src === src && rows.includes(rule.row) && matches(rule.allowed, wanted));
  for (const rule of allowing) unused.delete(rule);
  if (allowing.length > 0) return;
  const advice = 'Pass in what it needs, or move the code to where it may.';
  found.add(`${file} imports ${name}, but by ${TABLE} ${src}/${entry} may not import ${wanted}. ${advice}`);
}

/** Returns the file or folder of src that a path is, or is in: a file in a folder is one of its own if it has a row. */
function entryOf(path, src) {
  const own = path.slice(src.length + 1);
  return Object.hasOwn(MAY_IMPORT[src] ?? {}, own) ? own : own.split('/')[0];
}

function matches(pattern, name) {
  const [before, after] = pattern.split('*');
  return after === undefined ? name === pattern : name.startsWith(before) && name.endsWith(after);
}

/** Adds an import, in src as one between two entries of the folder that both files are in. */
function addToGraph(file, target, src) {
  const [from, to] = [file.split('/'), target.split('/')];
  const depth = src ? from.findIndex((part, index) => part !== to[index]) + 1 : Infinity;
  const isBetween = src && target.startsWith(`${src}/`) && entryOf(file, src) !== entryOf(target, src);
  const [importer, imported] = isBetween
    ? [file, target].map((path) => join(src, entryOf(path, src)))
    : [from, to].map((parts) => parts.slice(0, depth).join('/'));
  if (!graph.has(importer)) graph.set(importer, new Map());
  graph.get(importer).set(imported, file);
}

/** Takes the imports of a circle out of the graph, so that one mistake is not found as many circles. */
function findCircles() {
  for (const start of graph.keys()) {
    const circle = shortestCircle(start) ?? [start];
    const steps = circle.slice(1).map((to, index) => `${graph.get(circle[index]).get(to)} imports ${to}`);
    if (steps.length > 0) found.add(`A circle: ${steps.join(', ')}. Move what they share to where both may import it.`);
    for (const [index, to] of circle.slice(1).entries()) graph.get(circle[index]).delete(to);
  }
}

function shortestCircle(start) {
  const paths = [[start]];
  const seen = new Set();
  for (const path of paths) {
    for (const next of graph.get(path.at(-1))?.keys() ?? []) {
      if (next === start) return [...path, start];
      if (!seen.has(next)) paths.push([...path, next]);
      seen.add(next);
    }
  }
  return undefined;
}
