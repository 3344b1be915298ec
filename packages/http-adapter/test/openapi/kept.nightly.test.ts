import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { faultsSinceRelease, releasedFile } from '../../scripts/released-file.ts';
import { currentDocument } from '../../scripts/current-document.ts';
import { changed, type Edit, GONE, plus } from './changes.ts';

const folder = join(import.meta.dirname, '../..');

/** Creates a package of version 0.1.0 with the document of that release and, optionally, a draft of the next one. */
function aPackage(released: string, draft?: string): string {
  const temporary = mkdtempSync(join(tmpdir(), 'openapi-'));
  onTestFinished(() => rmSync(temporary, { recursive: true }));
  mkdirSync(join(temporary, 'released'));
  writeFileSync(join(temporary, 'package.json'), JSON.stringify({ version: '0.1.0' }));
  writeFileSync(join(temporary, 'released/openapi-0.1.0.json'), released);
  if (draft !== undefined) writeFileSync(join(temporary, 'openapi.json'), draft);
  return temporary;
}

function run(script: string, of: string) {
  const args = ['--conditions=source', join(folder, 'scripts', script), of];
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  return { status, stderr };
}

/** Writes the document in a package. `written` is the resulting openapi.json. */
function writeOver(released: string, draft?: string, accepted?: unknown) {
  const temporary = aPackage(released, draft);
  if (accepted !== undefined)
    writeFileSync(join(temporary, 'released/accepted-changes.json'), JSON.stringify(accepted));
  const result = run('write-openapi.ts', temporary);
  return { ...result, written: readFileSync(join(temporary, 'openapi.json'), 'utf8') };
}

const PUT: Edit = ['/orders put', { operationId: 'put_orders' }];

/** Returns the document, changed to that of an older release. */
const older = (...edits: readonly Edit[]): string =>
  JSON.stringify(changed(JSON.parse(JSON.stringify(currentDocument())), ...edits));

const current = older();

describe('the program that writes openapi.json', () => {
  it('accepts a document that breaks no client of the release', () => {
    const { status, written } = writeOver(older(['/orders/{id}/items', GONE]), '{}');
    expect(status).toBe(0);
    expect(JSON.parse(written)).toEqual(JSON.parse(current));
  });

  it('leaves openapi.json unchanged and reports all changes that break clients of the release', () => {
    const { status, stderr, written } = writeOver(older(PUT, ['Page required', plus('offset')]), '{}');
    expect(status).toBe(1);
    expect(stderr).toContain('PUT /orders is gone');
    expect(stderr).toContain('offset: may be absent');
    expect(written).toBe('{}');
  });

  it('accepts the breaking changes that are listed, and reports all others', () => {
    const put = older(PUT);
    const accept = (...changes: readonly string[]) => [{ changes, reason: 'It never worked' }];
    expect(writeOver(put, '{}', accept('PUT /orders is gone')).status).toBe(0);
    expect(writeOver(put, '{}', accept('PUT * is gone')).status).toBe(0);
    for (const other of ['PUT /orders', 'PATCH * is gone', 'PUT /order. is gone', 'is gone']) {
      const { status, stderr, written } = writeOver(put, '{}', accept(other));
      expect({ status, written }).toEqual({ status: 1, written: '{}' });
      expect(stderr).toContain('PUT /orders is gone');
    }
  });

  it('reports accepted changes that did not happen', () => {
    const accepted = [{ changes: ['HEAD * is gone'], reason: 'A reason' }];
    const { status, stderr, written } = writeOver(current, '{}', accepted);
    expect({ status, written }).toEqual({ status: 1, written: '{}' });
    expect(stderr).toContain('HEAD * is gone is accepted and did not happen');
  });

  it('accepts breaking changes in a new major version', () => {
    expect(writeOver(older(PUT, ['info version', '0.9.0'])).status).toBe(0);
  });
});

describe('the program that stores the document of a release', () => {
  it('creates the folder of the first release', () => {
    const temporary = aPackage('{}', current);
    rmSync(join(temporary, 'released'), { recursive: true });
    expect(run('release-openapi.ts', temporary).status).toBe(0);
    expect(run('write-openapi.ts', temporary).status).toBe(0);
    expect(readFileSync(releasedFile(temporary), 'utf8')).toBe(`${current}\n`);
  });

  it('replaces the document of the previous release and its accepted changes by openapi.json', () => {
    const temporary = aPackage('{}', current);
    writeFileSync(join(temporary, 'package.json'), JSON.stringify({ version: '0.2.0' }));
    writeFileSync(join(temporary, 'released/accepted-changes.json'), '[]');
    expect(run('release-openapi.ts', temporary).status).toBe(0);
    expect(readdirSync(join(temporary, 'released'))).toEqual(['openapi-0.2.0.json']);
    expect(readFileSync(releasedFile(temporary), 'utf8')).toBe(`${current}\n`);
  });
});

describe('openapi.json', () => {
  it('can replace the document of the last release', () => {
    const kept: unknown = JSON.parse(readFileSync(join(folder, 'openapi.json'), 'utf8'));
    expect(faultsSinceRelease(folder, kept)).toEqual([]);
  });
});
