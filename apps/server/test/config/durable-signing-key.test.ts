import files, { mkdtemp, readdir } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeFolder } from '@orders/child-processes';
import { expect, it, onTestFinished, vi } from 'vitest';
import { signingKeys } from '../../src/config/webhook-settings.ts';

/**
 * Returns what reaches the disk, in order: the files that are synced, and the renames. The files are real. A crash of the
 * machine cannot be: only the order of the calls shows what it would leave.
 */
function recordedSteps(): readonly string[] {
  const steps: string[] = [];
  const { open, rename } = files;
  vi.spyOn(files, 'open').mockImplementation(async (...parameters) => {
    const file = await open(...parameters);
    const sync = file.sync.bind(file);
    file.sync = async () => {
      await sync();
      steps.push(`sync ${String(parameters[0])}`);
    };
    return file;
  });
  vi.spyOn(files, 'rename').mockImplementation(async (...parameters) => {
    await rename(...parameters);
    steps.push(`rename ${String(parameters[1])}`);
  });
  // Imports of single functions follow those of the object.
  syncBuiltinESMExports();
  onTestFinished(() => {
    vi.restoreAllMocks();
    syncBuiltinESMExports();
  });
  return steps;
}

it('a new signing key is on the disk before it is used, with its name', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'orders-key-'));
  onTestFinished(() => removeFolder(folder));
  const file = join(folder, 'webhook-signing-key');
  const steps = recordedSteps();
  await signingKeys({ DATA_DIR: folder, WEBHOOK_SIGNING_KEYS: [] });
  expect(steps).toEqual([`sync ${file}.new`, `rename ${file}`, `sync ${folder}`]);
  expect(await readdir(folder)).toEqual(['webhook-signing-key']);
});
