import type * as files from 'node:fs/promises';
import { mkdtemp, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeFolder } from '@orders/child-processes';
import { expect, it, onTestFinished, vi } from 'vitest';
import { signingKeys } from '../src/webhook-settings.ts';

/** What reached the disk, in order: the files that were synced, and the renames. */
const steps = vi.hoisted((): string[] => []);

// The files are real. A crash of the machine cannot be: only the order of the calls shows what it would leave.
vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof files>();
  return {
    ...real,
    open: async (...parameters: Parameters<typeof files.open>): Promise<files.FileHandle> => {
      const file = await real.open(...parameters);
      const sync = file.sync.bind(file);
      file.sync = async () => {
        await sync();
        steps.push(`sync ${String(parameters[0])}`);
      };
      return file;
    },
    rename: async (...parameters: Parameters<typeof files.rename>): Promise<void> => {
      await real.rename(...parameters);
      steps.push(`rename ${String(parameters[1])}`);
    },
  };
});

it('a new signing key is on the disk before it is used, with its name', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'orders-key-'));
  onTestFinished(() => removeFolder(folder));
  const file = join(folder, 'webhook-signing-key');
  await signingKeys({ DATA_DIR: folder, WEBHOOK_SIGNING_KEYS: [] });
  expect(steps).toEqual([`sync ${file}.new`, `rename ${file}`, `sync ${folder}`]);
  expect(await readdir(folder)).toEqual(['webhook-signing-key']);
});
