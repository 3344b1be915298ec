// Writes a reference page for each door of the packages into docs/reference/exports, from the docstrings of its exports,
// and one page with the values of all constants. Fails when an export has no docstring.
//   node --conditions=source tools/site/write-exports.mjs            writes the pages
//   node tools/site/write-exports.mjs --check                        writes nothing
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseSync } from 'rolldown/utils';
import { DOORS, root } from './doors.mjs';

const folder = join(root, 'docs/reference/exports');
const KINDS = ['Use cases', 'Functions', 'Classes', 'Constants', 'Types'];
/** A longer value is left out: its docstring says what it is. */
const VALUE_MAX = 400;
/** A longer value is left out of the table of constants, whose cells have up to 200 characters. */
const TABLE_VALUE_MAX = 190;

const modules = new Map();

const pages = Object.entries(DOORS).map(([name, [door, file]]) => [name, pageOf(door, join(root, file))]);
if (!process.argv.includes('--check')) {
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of [...pages, ['constants', await constantsPage()]]) {
    writeFileSync(join(folder, `${name}.md`), text);
  }
  console.log(`${pages.length} pages of exports`);
}

function pageOf(door, file) {
  const found = [...exportsOf(file), ...useCasesOf(file)];
  const sections = KINDS.flatMap((kind) => {
    const entries = found.filter((entry) => entry.kind === kind).toSorted((a, b) => (a.name < b.name ? -1 : 1));
    return entries.length === 0 ? [] : [`## ${kind}`, ...entries.map(sectionOf)];
  });
  const head = `# Exports of \`${door}\`\n\nGenerated from the docstrings.`;
  return `${[head, ...sections].join('\n\n')}\n`;
}

/** The constants of all doors in tables, with the values that a program gets. */
async function constantsPage() {
  const sections = await Promise.all(
    Object.entries(DOORS).map(async ([page, [door, file]]) => {
      const constants = exportsOf(join(root, file)).filter(({ kind }) => kind === 'Constants');
      if (constants.length === 0) return [];
      const values = await import(pathToFileURL(join(root, file)).href);
      const rows = constants
        // A function, or an implementation of a port, is no value.
        .filter(
          ({ name }) => ![values[name], ...Object.values(values[name])].some((part) => typeof part === 'function'),
        )
        .toSorted((a, b) => (a.name < b.name ? -1 : 1))
        .map(({ name, documentation }) => {
          const cells = [
            `[\`${name}\`](${page}.md#${name.toLowerCase()})`,
            shown(values[name]),
            firstSentence(documentation),
          ];
          return `| ${cells.join(' | ')} |`;
        });
      return rows.length === 0
        ? []
        : [`## \`${door}\``, ['| constant | value | meaning |', '| --- | --- | --- |', ...rows].join('\n')];
    }),
  );
  const head = '# Constants\n\nEvery constant that a package exports, generated from the sources.';
  return `${[head, ...sections.flat()].join('\n\n')}\n`;
}

/** A value as a cell of a table. */
function shown(value) {
  if (typeof value === 'number') return value.toLocaleString('en');
  const values = value instanceof Set ? [...value] : value;
  const text = Array.isArray(values) ? values.join(' ') : typeof values === 'string' ? values : JSON.stringify(values);
  return text.length > TABLE_VALUE_MAX ? `${Object.keys(values).length} values` : `\`${text}\``;
}

function firstSentence(documentation) {
  return documentation.replaceAll('\n', ' ').replace(/(?<=\.)\s.*$/, '');
}

function sectionOf({ name, documentation, code }) {
  if (documentation === '') throw new Error(`${name} has no docstring`);
  return `### \`${name}\`\n\n${documentation}\n\n\`\`\`ts\n${code}\n\`\`\``;
}

/** The module in `file`: its text, its statements, and the docstring that ends where a statement begins. */
function moduleOf(file) {
  const known = modules.get(file);
  if (known) return known;
  const text = readFileSync(file, 'utf8');
  const { program, comments } = parseSync(file, text);
  const documentationOf = ({ start }) => {
    const before = comments.findLast(({ end }) => end <= start && text.slice(end, start).trim() === '');
    return before?.value.startsWith('*') ? markdownOf(before.value) : '';
  };
  const found = { text, body: program.body, documentationOf };
  modules.set(file, found);
  return found;
}

/** Everything that a module exports, from wherever it is declared. */
function exportsOf(file) {
  const { body } = moduleOf(file);
  return body.flatMap((statement) => {
    if (statement.type === 'ExportAllDeclaration') return exportsOf(resolve(dirname(file), statement.source.value));
    if (statement.type !== 'ExportNamedDeclaration') return [];
    if (statement.declaration) return namesOf(statement.declaration).map((name) => declarationOf(file, name));
    const from = statement.source ? resolve(dirname(file), statement.source.value) : file;
    return statement.specifiers.map(({ local, exported }) => ({
      ...declarationOf(from, local.name),
      name: exported.name,
    }));
  });
}

/** The use cases that `createDomain` binds to their ports, without the ports. */
function useCasesOf(index) {
  const file = join(dirname(index), 'create-domain.ts');
  if (index !== join(root, DOORS.domain[1])) return [];
  const { text } = moduleOf(file);
  return [...text.matchAll(/^ {4}(\w+): bind\((\w+), bound\),$/gm)].map(([, name, local]) => {
    const { documentation } = declarationOf(file, local);
    return { documentation, name, kind: 'Use cases', code: signatureOf(name) };
  });
}

/** The signature of a use case, with its typed input. */
function signatureOf(name) {
  const { text } = moduleOf(join(root, 'packages/domain/src/domain.ts'));
  const [, signature] = new RegExp(`^  readonly (${name}: (?:.|\\n)*?;)$`, 'm').exec(text) ?? [];
  return signature.replaceAll(/^ {2}/gm, '');
}

function namesOf(declaration) {
  return declaration.declarations?.map(({ id }) => id.name) ?? [declaration.id.name];
}

/** The declaration of `name`, in `file` or where that imports it from. A function with overloads has them all. */
function declarationOf(file, name) {
  const { text, body, documentationOf } = moduleOf(file);
  const overloadsOf = () =>
    body
      .map((statement) => statement.declaration ?? statement)
      .filter(({ type, id }) => type === 'TSDeclareFunction' && id.name === name)
      .slice(1)
      .map(({ start, end }) => text.slice(start, end));
  for (const statement of body) {
    const specifier = statement.specifiers?.find((one) => (one.exported ?? one.local).name === name);
    if (specifier && statement.source) {
      return declarationOf(
        resolve(dirname(file), statement.source.value),
        (specifier.imported ?? specifier.local).name,
      );
    }
    const declaration = statement.declaration ?? statement;
    const isDeclaration = declaration.type.endsWith('Declaration') || declaration.type === 'TSDeclareFunction';
    if (!isDeclaration || !(declaration.declarations ?? declaration.id)) continue;
    if (namesOf(declaration).includes(name)) {
      const { kind, code } = codeOf(declaration, text, name);
      return { name, documentation: documentationOf(statement), kind, code: [code, ...overloadsOf()].join('\n') };
    }
  }
  throw new Error(`${file} does not declare ${name}`);
}

/** What a reader needs of a declaration: all of a type, and the head of a function, a class or a long value. */
function codeOf(declaration, text, name) {
  const { type, start, end, body, kind } = declaration;
  if (type === 'FunctionDeclaration' || type === 'TSDeclareFunction') {
    return { kind: 'Functions', code: text.slice(start, body?.start ?? end).trim() };
  }
  if (type === 'ClassDeclaration') return { kind: 'Classes', code: text.slice(start, body.start).trim() };
  if (type !== 'VariableDeclaration') return { kind: 'Types', code: text.slice(start, end) };
  const { id, init } = declaration.declarations.find((one) => one.id.name === name);
  const head = `${kind} ${text.slice(id.start, id.end)}`;
  if (init.type === 'ArrowFunctionExpression') {
    return { kind: 'Functions', code: `${head} = ${text.slice(init.start, init.body.start).trim()}` };
  }
  const value = text.slice(init.start, init.end);
  return { kind: 'Constants', code: value.length > VALUE_MAX ? `${head};` : `${head} = ${value};` };
}

/** A docstring as Markdown. */
function markdownOf(comment) {
  return comment
    .slice(1)
    .split('\n')
    .map((line) => line.replace(/^\s*\* ?/, '').trimEnd())
    .join('\n')
    .trim()
    .replaceAll(/\{@link (\w+)\}/g, '`$1`')
    .replaceAll(/^@example\n((?:(?!@).+\n)*(?!@).+)/gm, '```ts\n$1\n```')
    .replaceAll(/^@throws \{(\w+)\} /gm, 'Throws `$1`: ')
    .replaceAll(/^@throws /gm, 'Throws ')
    .replaceAll(/^@returns /gm, 'Returns ')
    .replaceAll(/^@(?:param|typeParam) (\w+) (?:- )?/gm, '- `$1`: ');
}
