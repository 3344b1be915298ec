// Writes a reference page for each door of the packages into docs/reference/exports, from the docstrings of its exports.
//   node scripts/write-exports.mjs            writes the pages
//   node scripts/write-exports.mjs --check    fails when a page is not what would be written
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseSync } from 'oxc-parser';

const root = resolve(import.meta.dirname, '..');
const folder = join(root, 'docs/reference/exports');
const DOORS = {
  domain: ['@orders/domain', 'packages/domain/src/index.ts'],
  'domain-events': ['@orders/domain/events', 'packages/domain/src/events.ts'],
  'domain-runtime': ['@orders/domain/runtime', 'packages/domain/src/runtime.ts'],
  'domain-testing': ['@orders/domain/testing', 'packages/domain/src/testing.ts'],
  'http-adapter': ['@orders/http-adapter', 'packages/http-adapter/src/index.ts'],
  persistence: ['@orders/persistence', 'packages/persistence/src/index.ts'],
  'persistence-embedded': ['@orders/persistence/embedded', 'packages/persistence/src/embedded.ts'],
};
const KINDS = ['Use cases', 'Functions', 'Classes', 'Constants', 'Types'];
/** A longer value is left out: its docstring says what it is. */
const VALUE_MAX = 400;

const modules = new Map();

mkdirSync(folder, { recursive: true });
const outdated = Object.entries(DOORS).filter(([name, [door, file]]) => {
  const page = join(folder, `${name}.md`);
  const text = pageOf(door, join(root, file));
  if (!process.argv.includes('--check')) writeFileSync(page, text);
  return readFileSync(page, 'utf8') !== text;
});
if (outdated.length > 0) {
  console.error(
    `docs/reference/exports is out of date (${outdated.map(([name]) => name).join(', ')}): pnpm docs:exports`,
  );
  process.exitCode = 1;
}

function pageOf(door, file) {
  const found = [...exportsOf(file), ...useCasesOf(file)];
  const sections = KINDS.flatMap((kind) => {
    const entries = found.filter((entry) => entry.kind === kind).toSorted((a, b) => (a.name < b.name ? -1 : 1));
    return entries.length === 0 ? [] : [`## ${kind}`, ...entries.map(sectionOf)];
  });
  const head = `# Exports of \`${door}\`\n\nGenerated from the docstrings by \`pnpm docs:exports\`; a check fails when it is out of date.`;
  return `${[head, ...sections].join('\n\n')}\n`;
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
  return [...text.matchAll(/^ {4}(\w+): bind\((\w+), ports\),$/gm)].map(([, name, local]) => {
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

/** The declaration of `name`, in `file` or where that imports it from. */
function declarationOf(file, name) {
  const { text, body, documentationOf } = moduleOf(file);
  for (const statement of body) {
    const specifier = statement.specifiers?.find((one) => (one.exported ?? one.local).name === name);
    if (specifier && statement.source) {
      return declarationOf(
        resolve(dirname(file), statement.source.value),
        (specifier.imported ?? specifier.local).name,
      );
    }
    const declaration = statement.declaration ?? statement;
    if (!declaration.type.endsWith('Declaration') || !(declaration.declarations ?? declaration.id)) continue;
    if (namesOf(declaration).includes(name)) {
      return { name, documentation: documentationOf(statement), ...codeOf(declaration, text, name) };
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
    .replaceAll(/^@throws \{(\w+)\} /gm, 'Throws `$1`: ')
    .replaceAll(/^@throws /gm, 'Throws ')
    .replaceAll(/^@param (\w+) /gm, '- `$1`: ');
}
