import { existsSync, readdirSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { aFolder, run } from '../../programs/running-server.ts';
import { aDatabase } from '../../programs/server-on-database.ts';
import { moveShop } from './move-a-shop.ts';

const ITEMS = [{ sku: 'TEA', name: 'Tea', quantity: 1, unit_price: { amount: 450, currency: 'EUR' } }];

describe('pnpm orders export and import', () => {
  it('print no control character of a file, nor of what is stored', async () => {
    const [{ url }, folder] = [await aDatabase(), await aFolder()];
    const cli = (...args: readonly string[]) =>
      run('cli.ts', { DATABASE_URL: url }, [...args, '--owner', 'shop']).finished;
    const evil = '\u001B[2J\u009B2J';
    const files = {
      field: JSON.stringify({ kind: 'order', reference: 'A', [evil]: 1, items: ITEMS }),
      json: `{"a": ${evil}}`,
      column: `reference,${evil}\nA,1`,
      stored: JSON.stringify({ kind: 'order', reference: evil, items: ITEMS }),
    };
    for (const [name, text] of Object.entries(files)) {
      await writeFile(join(folder, name), text);
      const { stdout, stderr } = await cli(
        'import',
        join(folder, name),
        '--format',
        name === 'column' ? 'csv' : 'ndjson',
      );
      expect(stdout).toBe('');
      expect(stderr).toMatch(name === 'stored' ? /1 orders/ : /\\u001b\[2J\\u009b2J/);
      expect(stderr).not.toMatch(/(?!\n)\p{Cc}/u);
    }
    const { stdout } = await cli('export');
    expect(stdout).not.toMatch(/(?!\n)\p{Cc}/u);
    expect(JSON.parse(stdout)).toMatchObject({ reference: evil });
  });

  it('move a shop to another database, also when the import is killed and repeated', async () => {
    await expect(moveShop(300, 3)).resolves.toEqual({ same: true, imported: 330 });
  });

  it('report what failed, in a file too, and replace a file only as a whole', async () => {
    const [{ url }, folder] = [await aDatabase(), await aFolder()];
    const cli = (...args: readonly string[]) =>
      run('cli.ts', { DATABASE_URL: url }, [...args, '--owner', 'shop']).finished;
    const [input, errors, out] = ['in.ndjson', 'errors.ndjson', 'out.csv'].map((name) => join(folder, name));
    const lines = ['PO-1', '', 'PO-2'].map((reference) => JSON.stringify({ kind: 'order', reference, items: ITEMS }));
    await writeFile(String(input), lines.join('\n'));

    const stopped = await cli('import', String(input));
    expect(stopped).toMatchObject({ code: 1, stdout: '' });
    expect(stopped.stderr).toContain('line 2: validation_failed; reference must have at least 1 character\n');
    expect(stopped.stderr).toContain('stopped: everything up to line 1 is imported, and nothing after that\n');
    const skipped = await cli('import', String(input), '--on-error', 'skip', '--errors', String(errors));
    expect(skipped.code).toBe(1);
    expect(skipped.stderr).toContain('imported 0 customers and 1 orders; 1 existed, 1 failed, in');
    const [error = ''] = (await readFile(String(errors), 'utf8')).split('\n');
    expect(JSON.parse(error)).toMatchObject({ line: 2, problem: { code: 'validation_failed', errors: [{}] } });

    await writeFile(String(out), 'before');
    expect((await cli('export', '--format', 'csv', '--out', join(folder, 'no', 'out.csv'))).stderr).toContain(
      '--out: ',
    );
    expect((await cli('export', '--format', 'csv', '--ids', 'x', '--out', String(out))).stderr).toContain(
      'ids[0]: must',
    );
    expect(await readFile(String(out), 'utf8')).toBe('before');
    const filtered = await cli('export', '--format', 'csv', '--reference', 'PO-2', '--out', String(out));
    expect(filtered.code).toBe(0);
    expect((await readFile(String(out), 'utf8')).split('\r\n')).toHaveLength(3);
    expect(readdirSync(folder).filter((name) => name.endsWith('.part'))).toEqual([]);
    expect(existsSync(String(errors))).toBe(true);
  });
});
