import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../../../..');
const DOCUMENTS = globSync(['**/*.md', '.{changeset,github}/*.md'], {
  cwd: ROOT,
  exclude: ['**/node_modules', '**/dist'],
});

/** Returns the anchors of the headings of a document. */
function anchorsOf(text: string): readonly string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** Returns the broken links of a document to targets in the repository. */
function deadLinks(document: string): readonly string[] {
  const text = readFileSync(join(ROOT, document), 'utf8').replaceAll(/^```.*?^```/gms, '');
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, target = '']) => {
    if (/^(https?|mailto):/.test(target)) return [];
    const [path = '', anchor] = target.split('#');
    const file = path === '' ? document : relative(ROOT, resolve(ROOT, dirname(document), path));
    if (!existsSync(join(ROOT, file))) return [`${document}: ${target} does not exist`];
    if (anchor === undefined) return [];
    const known = anchorsOf(readFileSync(join(ROOT, file), 'utf8'));
    return known.includes(anchor) ? [] : [`${document}: ${target} is not a heading`];
  });
}

/** Maximum number of characters in a table cell; longer text belongs in a list or a section. */
const CELL_MAX = 200;

/** Returns the longer table cells of a document, with their lines. */
function longCells(text: string): readonly string[] {
  return text.split('\n').flatMap((line, index) => {
    if (!line.startsWith('|')) return [];
    const cells = line.split(/(?<!\\)\|/).map((cell) => cell.trim());
    return cells.filter(({ length }) => length > CELL_MAX).map((cell) => `${index + 1}: ${cell.slice(0, 40)}…`);
  });
}

/** The commands of pnpm itself that documents contain. */
const PNPM = new Set(['add', 'exec', 'install', 'run']);

/** Returns the scripts that commands of a document use, in blocks or inline, and that the workspace lacks. */
function unknownScripts(document: string, known: ReadonlySet<string>): readonly string[] {
  const text = readFileSync(join(ROOT, document), 'utf8');
  const commands = text.matchAll(/(?:^|`)(?:npx --yes )?pnpm(?:@[\d.]+)? (?:--silent )?(?:run )?([\w:-]+)/gm);
  return [...commands].map(([, script = '']) => script).filter((script) => !PNPM.has(script) && !known.has(script));
}

/** The scripts of the workspace. */
function scripts(): ReadonlySet<string> {
  const manifest: unknown = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  if (typeof manifest !== 'object' || manifest === null || !('scripts' in manifest)) throw new Error('no scripts');
  return new Set(Object.keys(manifest.scripts ?? {}));
}

describe('the documents', () => {
  it.each(DOCUMENTS)('use existing scripts: %s', (document) => {
    expect(unknownScripts(document, scripts())).toEqual([]);
  });

  it.each(DOCUMENTS)('link to existing targets: %s', (document) => {
    expect(deadLinks(document)).toEqual([]);
  });

  it.each(DOCUMENTS)('have no long text in a cell of a table: %s', (document) => {
    expect(longCells(readFileSync(join(ROOT, document), 'utf8'))).toEqual([]);
  });

  it('have cells of up to 200 characters', () => {
    expect(longCells(`| a |\n| - |\n| ${'b'.repeat(200)} |`)).toEqual([]);
    expect(longCells(`| a |\n| - |\n| ${'b'.repeat(201)} |`)).toEqual([`3: ${'b'.repeat(40)}…`]);
  });

  it('have every package in the README', () => {
    const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
    const folders = globSync('packages/*', { cwd: ROOT });
    expect(folders.length).toBeGreaterThan(4);
    const named = folders.map((folder) => folder.replace('packages/', '@orders/'));
    expect(named.filter((name) => !readme.includes(`| [\`${name}\`](`))).toEqual([]);
  });

  it('are found', () => {
    expect(DOCUMENTS).toEqual(
      expect.arrayContaining(['README.md', 'docs/owasp-api-top-10.md', 'packages/domain/README.md']),
    );
  });
});
