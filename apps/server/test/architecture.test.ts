import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseAst } from 'vitest/node';

const ROOT = resolve(import.meta.dirname, '../../..');

/** The only file that may know domain, HTTP and PostgreSQL at once. */
const COMPOSITION_ROOT = 'apps/server/src/compose.ts';
const RINGS = ['@orders/domain', '@orders/http-adapter', '@orders/persistence'];
const EMBEDDED = '@orders/persistence/embedded';

/** What the programs may import that start servers, use them and fill their databases. */
const FROM_OUTSIDE = [
  '@orders/http-adapter',
  '@orders/persistence',
  EMBEDDED,
  '@orders/child-processes',
  '@orders/postgres-proxy',
];

/** What the sources in each folder may import of this repository. A relative import out of a folder does not compile. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  'packages/domain/src': [],
  'packages/http-adapter/src': ['@orders/domain'],
  'packages/persistence/src': ['@orders/domain'],
  'apps/server/src': [...RINGS, EMBEDDED],
  'tools/child-processes/src': [],
  'tools/postgres-proxy/src': [],
  'tools/property-runs/src': [],
  'tools/prose/src': [],
  'bench/src': FROM_OUTSIDE,
  'chaos/src': FROM_OUTSIDE,
};

const FOLDERS = Object.keys(MAY_IMPORT);

function sourcesIn(folder: string): readonly string[] {
  return globSync(`${folder}/**/*.{ts,mjs}`, { cwd: ROOT });
}

/** What a file imports by name, in whatever way: declarations, `import('x')` and types as in `import('x').Y`. */
function importsOf(source: string): readonly string[] {
  const found = new Set<string>();
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    if ('source' in value && isText(value.source)) found.add(value.source.value);
    for (const child of Object.values(value)) visit(child);
  };
  visit(parseAst(source, { lang: 'ts' }));
  return [...found];
}

function isText(node: unknown): node is { readonly value: string } {
  return typeof node === 'object' && node !== null && 'value' in node && typeof node.value === 'string';
}

/** What a file imports and may not. */
function breaches(path: string, source: string): readonly string[] {
  const folder = FOLDERS.find((each) => path.startsWith(`${each}/`)) ?? '';
  const imported = importsOf(source).filter((name) => name.startsWith('@orders/'));
  const foreign = imported.filter((name) => MAY_IMPORT[folder]?.includes(name) !== true);
  const composes = RINGS.every((ring) => imported.includes(ring)) && path !== COMPOSITION_ROOT;
  return [...foreign.map((name) => `imports ${name}`), ...(composes ? ['puts everything together'] : [])];
}

describe('the sources', () => {
  it('are all looked at', () => {
    const folders = globSync(['{packages,apps,tools}/*/src', '{bench,chaos}/src'], { cwd: ROOT });
    expect(folders.toSorted()).toEqual(FOLDERS.toSorted());
    for (const folder of FOLDERS) expect(sourcesIn(folder).length).toBeGreaterThan(0);
    const composed = importsOf(readFileSync(join(ROOT, COMPOSITION_ROOT), 'utf8'));
    expect(composed).toEqual(expect.arrayContaining(RINGS));
  });

  it.each(FOLDERS)('import of this repository only what they may, in %s', (folder) => {
    const found = sourcesIn(folder).map((path) => [path, breaches(path, readFileSync(join(ROOT, path), 'utf8'))]);
    expect(found.filter(([, breached]) => breached?.length !== 0)).toEqual([]);
  });
});

describe('the look at them', () => {
  const [domain, http, persistence] = RINGS.map((ring) => `import type { X } from '${ring}';`);

  it.each([
    ['packages/domain/src/orders/planted.ts', http, 'imports @orders/http-adapter'],
    ['packages/domain/src/orders/planted.ts', persistence, 'imports @orders/persistence'],
    ['packages/domain/src/planted.ts', domain, 'imports @orders/domain'],
    ['packages/http-adapter/src/planted.ts', persistence, 'imports @orders/persistence'],
    ['packages/http-adapter/src/planted.ts', `export * from '@orders/server';`, 'imports @orders/server'],
    ['packages/http-adapter/src/planted.ts', `import '@orders/domain/testing';`, 'imports @orders/domain/testing'],
    ['packages/persistence/src/orders/planted.ts', http, 'imports @orders/http-adapter'],
    ['packages/persistence/src/planted.ts', `type X = import('@orders/server').X;`, 'imports @orders/server'],
    ['packages/persistence/src/planted.ts', `import '@orders/postgres-proxy';`, 'imports @orders/postgres-proxy'],
    ['apps/server/src/planted.ts', `await import('@orders/postgres-proxy');`, 'imports @orders/postgres-proxy'],
    ['tools/postgres-proxy/src/planted.ts', persistence, 'imports @orders/persistence'],
    ['bench/src/cases/planted.mjs', `import '@orders/server/src/compose.ts';`, 'imports @orders/server/src/compose.ts'],
    ['chaos/src/planted.ts', `export { compose } from '@orders/server';`, 'imports @orders/server'],
    ['elsewhere/src/planted.ts', domain, 'imports @orders/domain'],
  ])('finds what may not be in %s: %s', (path, planted = '', breach) => {
    expect(breaches(path, planted)).toEqual([breach]);
  });

  it('finds a second place that puts domain, HTTP and persistence together', () => {
    const planted = [domain, http, persistence].join('\n');
    expect(breaches('apps/server/src/instrumentation/planted.ts', planted)).toEqual(['puts everything together']);
    expect(breaches(COMPOSITION_ROOT, planted)).toEqual([]);
  });

  it.each([
    ['packages/http-adapter/src/fine.ts', `import { type Order } from '@orders/domain'; import 'fastify';`],
    ['apps/server/src/fine.ts', `const { x } = await import('@orders/persistence/embedded');`],
    ['packages/domain/src/fine.ts', `// import '@orders/persistence'\nconst text = "from '@orders/persistence'";`],
  ])('finds nothing wrong in %s: %s', (path, fine) => {
    expect(breaches(path, fine)).toEqual([]);
  });
});
