import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endingWithParent, removeFolder } from '@orders/child-processes';
import { expect, it } from 'vitest';

/** Writes files into an existing folder, reports that, and continues for half a second. */
const WRITER = `
  const { mkdirSync, writeFileSync } = require('node:fs');
  const write = (n) => writeFileSync(process.argv[1] + '/inside/' + n, '');
  mkdirSync(process.argv[1] + '/inside');
  for (let n = 0; n < 1000; n += 1) write(n);
  console.log('written');
  const end = Date.now() + 500;
  for (let n = 1000; Date.now() < end; n += 1) write(n);
`;

it('removeFolder removes a folder to which an ending program still writes', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'orders-removed-'));
  const writer = spawn(...endingWithParent(process.execPath, ['-e', WRITER, folder]), {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  await once(writer.stdout, 'data');
  await removeFolder(folder);
  expect(existsSync(folder)).toBe(false);
});
