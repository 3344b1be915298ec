import { execFile, execFileSync } from 'node:child_process';
import { mkdir, open, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Stage } from '../stage.ts';

const run = promisify(execFile);

/** A small disk that can be filled. */
export interface SmallDisk {
  readonly folder: string;
  /** Fills the remaining space. */
  fill(): Promise<void>;
  /** Releases that space. */
  free(): Promise<void>;
}

const CHUNK = Buffer.alloc(64 * 1024);

/** Mounts a disk in memory; `undefined` without the permission. */
export async function smallDisk(stage: Stage, mebibytes: number): Promise<SmallDisk | undefined> {
  const folder = join(stage.folder, 'disk');
  await mkdir(folder);
  try {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m`, 'tmpfs', folder]);
  } catch {
    return undefined;
  }
  const unmount = () => void execFileSync('umount', ['--lazy', folder]);
  process.once('exit', unmount);
  stage.atEnd(() => {
    process.off('exit', unmount);
    unmount();
  });
  const ballast = join(folder, 'ballast');
  return {
    folder,
    fill: async () => {
      const file = await open(ballast, 'a');
      try {
        while ((await statfs(folder)).bavail > 0) await file.write(CHUNK);
      } catch (cause) {
        if (!(cause instanceof Error && 'code' in cause && cause.code === 'ENOSPC')) throw cause;
      } finally {
        await file.close();
      }
    },
    free: () => rm(ballast, { force: true }),
  };
}
