import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

const ROOT = resolve(import.meta.dirname, '../../../..');
const DOCUMENTS = globSync(['**/*.md', '.{changeset,github}/*.md'], {
  cwd: ROOT,
  exclude: ['**/node_modules', '**/dist'],
});

function read(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8');
}

/** The commands of pnpm itself that documents contain. */
const PNPM = ['add', 'exec', 'install', 'run'];

/** Returns the scripts that commands of a document use, in blocks or inline. */
function scriptsIn(document: string): readonly string[] {
  const commands = /(?:^|`)(?:npx --yes )?pnpm(?:@[\d.]+)? (?:(?:--silent|-C \S+) )*(?:run )?([\w:-]+)/gm;
  return [...read(document).matchAll(commands)].map(([, script = '']) => script);
}

describe('the documents', () => {
  it('use existing scripts', () => {
    const { scripts } = z.object({ scripts: z.record(z.string(), z.string()) }).parse(JSON.parse(read('package.json')));
    const isUnknown = (script: string) => !PNPM.includes(script) && !Object.hasOwn(scripts, script);
    expect(DOCUMENTS).toEqual(expect.arrayContaining(['README.md', 'packages/domain/README.md']));
    expect(DOCUMENTS.flatMap((document) => scriptsIn(document).filter(isUnknown))).toEqual([]);
  });

  it('have every package in the README', () => {
    const packages = globSync('*', { cwd: join(ROOT, 'packages') });
    expect(packages.length).toBeGreaterThan(4);
    const readme = read('README.md');
    expect(packages.filter((name) => !readme.includes(`[\`@orders/${name}\`](`))).toEqual([]);
  });
});
