import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseAst } from 'vitest/node';

const ROOT = resolve(import.meta.dirname, '../../..');

/** The only file that may import domain, HTTP and PostgreSQL together. */
const COMPOSITION_ROOT = 'apps/server/src/compose.ts';
/** The doors of the domain for its adapters. */
const DOMAIN = ['@orders/domain', '@orders/domain/events', '@orders/domain/runtime', '@orders/domain/webhooks'];
const RINGS = ['@orders/domain', '@orders/http-adapter', '@orders/persistence'];
const EMBEDDED = '@orders/persistence/embedded';

/** The allowed imports of programs that start servers, use them and fill their databases. */
const FROM_OUTSIDE = [
  '@orders/http-adapter',
  '@orders/persistence',
  EMBEDDED,
  '@orders/child-processes',
  '@orders/postgres-proxy',
];

/**
 * The allowed imports of each source folder within this repository. A relative import out of a folder does not compile.
 */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  'packages/domain/src': [],
  'packages/client/src': [],
  'packages/http-adapter/src': DOMAIN,
  'packages/persistence/src': DOMAIN,
  'packages/webhooks/src': DOMAIN,
  'apps/server/src': [
    ...RINGS,
    '@orders/http-adapter/settings',
    '@orders/client',
    '@orders/domain/events',
    '@orders/domain/webhooks',
    '@orders/webhooks',
    EMBEDDED,
  ],
  'tools/bundled-programs/src': [],
  'tools/child-processes/src': [],
  'tools/postgres-proxy/src': [],
  'tools/property-runs/src': [],
  'tools/prose/src': [],
  'bench/src': FROM_OUTSIDE,
  'chaos/src': [...FROM_OUTSIDE, '@orders/bundled-programs'],
};

const FOLDERS = Object.keys(MAY_IMPORT);

function sourcesIn(folder: string): readonly string[] {
  return globSync(`${folder}/**/*.{ts,mjs}`, { cwd: ROOT });
}

/** Returns the module names that a file imports: by declarations, `import('x')` and types such as `import('x').Y`. */
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

/** Returns the imports of a file that are not allowed. */
function breaches(path: string, source: string): readonly string[] {
  const folder = FOLDERS.find((each) => path.startsWith(`${each}/`)) ?? '';
  const imported = importsOf(source).filter((name) => name.startsWith('@orders/'));
  const foreign = imported.filter((name) => MAY_IMPORT[folder]?.includes(name) !== true);
  const composes = RINGS.every((ring) => imported.includes(ring)) && path !== COMPOSITION_ROOT;
  return [...foreign.map((name) => `imports ${name}`), ...(composes ? ['composes the application'] : [])];
}

describe('the sources', () => {
  it('are all checked', () => {
    const folders = globSync(['{packages,apps,tools}/*/src', '{bench,chaos}/src'], { cwd: ROOT });
    expect(folders.toSorted()).toEqual(FOLDERS.toSorted());
    for (const folder of FOLDERS) expect(sourcesIn(folder).length).toBeGreaterThan(0);
    const composed = importsOf(readFileSync(join(ROOT, COMPOSITION_ROOT), 'utf8'));
    expect(composed).toEqual(expect.arrayContaining(RINGS));
  });

  it.each(FOLDERS)('import only what they may of this repository, in %s', (folder) => {
    const found = sourcesIn(folder).map((path) => [path, breaches(path, readFileSync(join(ROOT, path), 'utf8'))]);
    expect(found.filter(([, breached]) => breached?.length !== 0)).toEqual([]);
  });
});

describe('the import check', () => {
  const [domain, http, persistence] = RINGS.map((ring) => `import type { X } from '${ring}';`);

  it.each([
    ['packages/domain/src/orders/injected.ts', http, 'imports @orders/http-adapter'],
    ['packages/domain/src/orders/injected.ts', persistence, 'imports @orders/persistence'],
    ['packages/domain/src/injected.ts', domain, 'imports @orders/domain'],
    ['packages/http-adapter/src/injected.ts', persistence, 'imports @orders/persistence'],
    ['packages/http-adapter/src/injected.ts', `export * from '@orders/server';`, 'imports @orders/server'],
    ['packages/http-adapter/src/injected.ts', `import '@orders/domain/testing';`, 'imports @orders/domain/testing'],
    ['packages/persistence/src/orders/injected.ts', http, 'imports @orders/http-adapter'],
    ['packages/client/src/injected.ts', domain, 'imports @orders/domain'],
    ['packages/client/src/injected.ts', http, 'imports @orders/http-adapter'],
    ['packages/webhooks/src/injected.ts', http, 'imports @orders/http-adapter'],
    ['packages/webhooks/src/injected.ts', persistence, 'imports @orders/persistence'],
    ['packages/persistence/src/injected.ts', `import '@orders/webhooks';`, 'imports @orders/webhooks'],
    ['packages/persistence/src/injected.ts', `type X = import('@orders/server').X;`, 'imports @orders/server'],
    ['packages/persistence/src/injected.ts', `import '@orders/postgres-proxy';`, 'imports @orders/postgres-proxy'],
    ['apps/server/src/injected.ts', `await import('@orders/postgres-proxy');`, 'imports @orders/postgres-proxy'],
    ['tools/postgres-proxy/src/injected.ts', persistence, 'imports @orders/persistence'],
    [
      'bench/src/cases/injected.mjs',
      `import '@orders/server/src/compose.ts';`,
      'imports @orders/server/src/compose.ts',
    ],
    ['chaos/src/injected.ts', `export { compose } from '@orders/server';`, 'imports @orders/server'],
    ['elsewhere/src/injected.ts', domain, 'imports @orders/domain'],
  ])('rejects in %s: %s', (path, injected = '', breach) => {
    expect(breaches(path, injected)).toEqual([breach]);
  });

  it('rejects a second file that composes domain, HTTP and persistence', () => {
    const injected = [domain, http, persistence].join('\n');
    expect(breaches('apps/server/src/instrumentation/injected.ts', injected)).toEqual(['composes the application']);
    expect(breaches(COMPOSITION_ROOT, injected)).toEqual([]);
  });

  it.each([
    ['packages/http-adapter/src/fine.ts', `import { type Order } from '@orders/domain'; import 'fastify';`],
    ['apps/server/src/fine.ts', `const { x } = await import('@orders/persistence/embedded');`],
    ['packages/domain/src/fine.ts', `// import '@orders/persistence'\nconst text = "from '@orders/persistence'";`],
  ])('accepts in %s: %s', (path, fine) => {
    expect(breaches(path, fine)).toEqual([]);
  });
});
