import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { SEEDED_BUGS, SIMULATIONS } from './seeded-bugs.ts';

const PROGRAM = join(import.meta.dirname, 'seeded-bug.mjs');

/** Two programs at a time. */
const lanes = [Promise.resolve(), Promise.resolve()];

/** Returns the outcomes that the program prints. */
async function outcomesOf(at: number, mode: string, name: string): Promise<unknown> {
  const lane = at % lanes.length;
  const running = (lanes[lane] ?? Promise.resolve()).then(() =>
    promisify(execFile)(process.execPath, ['--conditions=source', PROGRAM, mode, name], { timeout: 60_000 }),
  );
  lanes[lane] = running.then(
    () => undefined,
    () => undefined,
  );
  return JSON.parse((await running).stdout);
}

describe.concurrent('a seeded bug', () => {
  it.each(SEEDED_BUGS.map((bug, at) => ({ ...bug, at })))(
    'is found by the same steps each time: $name',
    async ({ name, condition, at }) => {
      const digest: unknown = expect.any(String);
      expect(await outcomesOf(at, 'replay', name)).toEqual([{ condition, digest }]);
    },
  );

  it.each(Object.keys(SIMULATIONS).map((name, at) => ({ name, at })))(
    'is the reason: without any, its replays pass: $name',
    async ({ name, at }) => {
      const outcomes = await outcomesOf(at, 'without', name);
      expect(new Set(JSON.stringify(outcomes).match(/"condition":[^,]*/g))).toEqual(new Set(['"condition":null']));
    },
  );
});
