import { once } from 'node:events';
import { connect } from 'node:net';
import { Client, Query } from 'pg';
import { describe, expect, it } from 'vitest';
import { aClient, aProxy } from './a-proxy.ts';

describe('the proxy records', () => {
  it('simple queries, which include those of transactions', async () => {
    const proxy = await aProxy();
    const client = await aClient(proxy.url);
    for (const text of ['begin', 'select 1 as one; select 2 as two', 'commit']) await client.query(text);
    expect(proxy.statements).toEqual([
      { connection: 1, name: '', text: 'begin', parameters: [], messages: [] },
      { connection: 1, name: '', text: 'select 1 as one; select 2 as two', parameters: [], messages: [] },
      { connection: 1, name: '', text: 'commit', parameters: [], messages: [] },
    ]);
  });

  it('values of unnamed statements', async () => {
    const proxy = await aProxy();
    const client = await aClient(proxy.url);
    const text = 'select $1::text as a, $2::int as b, $3::text as c, $4::bytea as d';
    const { rows } = await client.query(text, ['Grüße', 7, null, Buffer.from('00ff', 'hex')]);
    expect(rows).toEqual([{ a: 'Grüße', b: 7, c: null, d: Buffer.from('00ff', 'hex') }]);
    const parameters = ['Grüße', '7', null, '\\x00ff'];
    expect(proxy.statements).toEqual([{ connection: 1, name: '', text, parameters, messages: ['parse', 'describe'] }]);
  });

  it('names and texts of prepared statements, once per execution', async () => {
    const proxy = await aProxy();
    const [first, second] = [await aClient(proxy.url), await aClient(proxy.url)];
    const text = 'select $1::int + 1 as next';
    for (const client of [first, first, second]) {
      expect((await client.query({ name: 'next', text, values: [41] })).rows).toEqual([{ next: 42 }]);
    }
    const statement = { name: 'next', text, parameters: ['41'] };
    // The client requests a description each time.
    expect(proxy.statements).toEqual([
      { connection: 1, ...statement, messages: ['parse', 'describe'] },
      { connection: 1, ...statement, messages: ['describe'] },
      { connection: 2, ...statement, messages: ['parse', 'describe'] },
    ]);
  });

  it('failing statements, and the ones after them', async () => {
    const proxy = await aProxy();
    const client = await aClient(proxy.url);
    await expect(client.query('select 1 / $1::int', [0])).rejects.toThrow('division by zero');
    await expect(client.query('selec')).rejects.toThrow('syntax error');
    expect((await client.query('select $1::int as n', [2])).rows).toEqual([{ n: 2 }]);
    expect(proxy.statements.map(({ text }) => text)).toEqual(['select 1 / $1::int', 'selec', 'select $1::int as n']);
  });

  it('values that span several packets, in both directions', async () => {
    const proxy = await aProxy();
    const client = await aClient(proxy.url);
    const large = 'ä'.repeat(1_000_000);
    expect((await client.query('select $1::text as large', [large])).rows).toEqual([{ large }]);
    expect((await client.query(`select '${large}' as large`)).rows).toEqual([{ large }]);
    expect(proxy.statements[0]?.parameters).toEqual([large]);
    expect(proxy.statements[1]?.text).toBe(`select '${large}' as large`);
  });

  it('several statements that share one packet', async () => {
    const proxy = await aProxy();
    const client = await aClient(proxy.url, { pipeline: true });
    const texts = ['select 1 as n', 'select 2 as n', 'select 3 as n'];
    const results = await Promise.all(texts.map((text) => client.query(text)));
    expect(results).toMatchObject([1, 2, 3].map((n) => ({ rows: [{ n }] })));
    expect(proxy.statements.map(({ text }) => text)).toEqual(texts);
  });

  it('a statement that is fetched in portions, once for each portion', async () => {
    const proxy = await aProxy();
    const client = await aClient(proxy.url);
    const text = 'select n from generate_series(1, $1::int) as n';
    const rows = await new Promise<unknown[]>((resolve, reject) => {
      const fetched: unknown[] = [];
      const query = Object.assign(new Query<{ n: number }, unknown[]>({ text, values: [5] }), { rows: 2 });
      query.on('row', (row) => void fetched.push(row));
      query.on('end', () => resolve(fetched));
      query.on('error', reject);
      client.query(query);
    });
    expect(rows).toEqual([1, 2, 3, 4, 5].map((n) => ({ n })));
    expect(proxy.statements.map((statement) => statement.text)).toEqual([text, text, text]);
  });
});

describe('a client that requests encryption', () => {
  it('is refused encryption, and may continue without it', async () => {
    const proxy = await aProxy();
    const strict = new Client({ connectionString: proxy.url, ssl: true });
    await expect(strict.connect()).rejects.toThrow('does not support SSL');
    const { port, username, pathname } = new URL(proxy.url);
    const socket = connect(Number(port), '127.0.0.1');
    const sslRequest = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f]);
    const parameters = Buffer.from(`\0\x03\0\0user\0${username}\0database\0${pathname.slice(1)}\0\0`);
    const length = Buffer.alloc(4);
    length.writeInt32BE(4 + parameters.length);
    socket.write(sslRequest);
    expect(String(await once(socket, 'data'))).toBe('N');
    socket.write(Buffer.concat([length, parameters]));
    // PostgreSQL responds in its own protocol: it requests the password.
    expect(String(await once(socket, 'data'))).toMatch(/^R/);
    socket.destroy();
  });
});
