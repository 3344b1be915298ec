import { once } from 'node:events';
import { connect } from 'node:net';
import { Client } from 'pg';
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
