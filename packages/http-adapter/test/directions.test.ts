import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { at, listAt, textAt } from './json.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const SOURCES = 'packages/http-adapter/src';

/** The folders from which a folder may import, as in docs/architecture.md. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  admission: ['connection', 'logging', 'problems'],
  api: ['problems', 'request', 'response'],
  connection: ['problems'],
  endpoints: ['problems', 'request'],
  logging: [],
  openapi: ['admission', 'api', 'problems', 'request'],
  problems: ['logging'],
  request: ['connection', 'problems'],
  response: ['connection', 'problems', 'request'],
};
const FOLDERS = Object.keys(MAY_IMPORT);
/** Files that every folder may import. They import no folder. */
const SHARED = ['awaitable.ts', 'observer.ts', 'principal.ts', 'request-state.ts'];
/** A folder with subfolders is also tested with a file in one of them. */
const NESTED: Readonly<Record<string, string>> = { admission: 'authentication', api: 'orders' };

const folder = await mkdtemp(join(tmpdir(), 'orders-directions-'));
afterAll(() => rm(folder, { recursive: true }));

describe('lint', () => {
  it('lists every folder of the adapter', async () => {
    const entries = await readdir(join(ROOT, SOURCES), { withFileTypes: true });
    expect(entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)).toEqual(FOLDERS);
  });

  it('rejects exactly the imports against the directions, including imports of types', async () => {
    const stages = FOLDERS.flatMap((from) => seedsOf(from, from, '..'));
    const nested = Object.entries(NESTED).flatMap(([from, inner]) => seedsOf(from, `${from}/${inner}`, '../..'));
    const shared = SHARED.map((name) => ({ file: `${SOURCES}/${name}`, specifier: './request/a.ts', forbidden: true }));
    const seeds = [...stages, ...nested, ...shared];
    for (const { file, specifier } of seeds) await write(file, `export type * from '${specifier}';\n`);
    const forbidden = seeds.filter((seed) => seed.forbidden).map(({ file }) => file);
    expect(await rejectedFiles()).toEqual(forbidden.toSorted());
  });

  it('rejects a cycle of type imports', async () => {
    await write('circle/one.ts', "import type { Two } from './two.ts';\nexport type One = Two | 1;\n");
    await write('circle/two.ts', "import type { One } from './one.ts';\nexport type Two = One | 2;\n");
    expect(await rejectedFiles('import(no-cycle)')).toEqual(['circle/one.ts', 'circle/two.ts']);
  });
});

interface Seed {
  readonly file: string;
  readonly specifier: string;
  readonly forbidden: boolean;
}

/** Returns a file in `place`, in or below `from`, for every folder, for the shared files and for the plugin. */
function seedsOf(from: string, place: string, up: string): readonly Seed[] {
  const seed = (name: string, specifier: string, forbidden: boolean): Seed => ({
    file: `${SOURCES}/${place}/imports-${name}.ts`,
    specifier: `${up}/${specifier}`,
    forbidden,
  });
  const others = FOLDERS.filter((to) => to !== from);
  return [
    ...others.map((to) => seed(to, `${to}/a.ts`, MAY_IMPORT[from]?.includes(to) !== true)),
    ...SHARED.map((name) => seed(`shared-${name.replace('.ts', '')}`, name, false)),
    seed('plugin', 'plugin.ts', true),
  ];
}

async function write(file: string, text: string): Promise<void> {
  await mkdir(dirname(join(folder, file)), { recursive: true });
  await writeFile(join(folder, file), text);
}

/** Lints seeded files by the rules of the repository, and returns the files that `rule` rejects. */
async function rejectedFiles(rule = 'eslint(no-restricted-imports)'): Promise<readonly string[]> {
  const config = await readFile(join(ROOT, '.oxlintrc.json'), 'utf8');
  // Type-aware rules would need the projects of the compiler.
  await writeFile(join(folder, '.oxlintrc.json'), config.replace('"typeAware": true', '"typeAware": false'));
  const oxlint = join(ROOT, 'node_modules/oxlint/bin/oxlint');
  const run = promisify(execFile)(process.execPath, [oxlint, '--format', 'json', '.'], { cwd: folder });
  // The linter exits with 1 if it has findings.
  const { stdout } = await run.catch((error: unknown) => ({ stdout: textAt(error, 'stdout') }));
  const diagnostics = listAt(JSON.parse(stdout), 'diagnostics');
  const files = diagnostics.filter((each) => at(each, 'code') === rule).map((each) => textAt(each, 'filename'));
  return [...new Set(files)].toSorted();
}
