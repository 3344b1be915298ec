import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { refusal } from '../scripts/refusal.ts';
import { theDocument } from '../scripts/the-document.ts';
import { drop, list, members, schema, set } from './openapi-changes.ts';

const folder = join(import.meta.dirname, '..');
const kept: unknown = JSON.parse(readFileSync(join(folder, 'openapi.json'), 'utf8'));

/** What `pnpm openapi` does to a copy that says `text`, or to none. */
function writeOver(text: string | undefined) {
  const temporary = mkdtempSync(join(tmpdir(), 'openapi-'));
  onTestFinished(() => rmSync(temporary, { recursive: true }));
  const file = join(temporary, 'openapi.json');
  if (text !== undefined) writeFileSync(file, text);
  const program = join(folder, 'scripts/write-openapi.ts');
  const { status, stderr } = spawnSync(process.execPath, ['--conditions=source', program, file], { encoding: 'utf8' });
  return { status, stderr, written: readFileSync(file, 'utf8') };
}

/** The document as an older release might have published it. */
function older(change: (document: object) => void): string {
  const document = members(JSON.parse(JSON.stringify(theDocument())));
  change(document);
  return JSON.stringify(document);
}

describe('the program that writes the kept copy', () => {
  it('writes what the server publishes, where there was none', () => {
    const { status, written } = writeOver(undefined);
    expect(status).toBe(0);
    expect(JSON.parse(written)).toEqual(JSON.parse(JSON.stringify(theDocument())));
  });

  it('writes over a copy that nobody who relies on it would miss', () => {
    const { status, written } = writeOver(older((document) => drop(members(document, 'paths'), '/orders/{id}/items')));
    expect(status).toBe(0);
    expect(JSON.parse(written)).toEqual(JSON.parse(JSON.stringify(theDocument())));
  });

  it('leaves a copy that clients rely on, and names all that would break them', () => {
    const before = older((document) => {
      set(members(document, 'paths', '/orders'), 'put', { operationId: 'put_orders' });
      list(schema(document, 'Page'), 'required').push('offset');
    });
    const { status, stderr, written } = writeOver(before);
    expect(status).toBe(1);
    expect(stderr).toContain('PUT /orders is gone');
    expect(stderr).toContain('offset: may be absent');
    expect(written).toBe(before);
  });

  it('writes over it in a new major version', () => {
    const before = older((document) => {
      set(members(document, 'paths', '/orders'), 'put', { operationId: 'put_orders' });
      set(members(document, 'info'), 'version', '0.9.0');
    });
    expect(writeOver(before).status).toBe(0);
  });
});

describe('the kept copy', () => {
  it('breaks no client of the server of these sources', () => {
    expect(refusal(kept, theDocument())).toEqual([]);
  });

  it('breaks no client of the copy that was committed before it, by whatever hand it was changed', () => {
    for (const committed of committedCopies()) expect(refusal(committed, kept)).toEqual([]);
  });
});

/** The last two that are in the history: the one before the kept copy is among them, be that committed yet or not. */
function committedCopies(): readonly unknown[] {
  const git = (...args: readonly string[]) =>
    execFileSync('git', args, { cwd: folder, encoding: 'utf8', maxBuffer: 2 ** 26 });
  const commits = git('log', '-n', '2', '--format=%H', '--', 'openapi.json').trim().split('\n');
  return commits
    .filter((commit) => commit !== '')
    .map((commit): unknown => JSON.parse(git('show', `${commit}:./openapi.json`)));
}
