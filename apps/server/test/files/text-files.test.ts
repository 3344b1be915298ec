import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readTextFile } from '../../src/files/read-text-file.ts';
import { JSON_DEPTH_MAX, JSON_VALUES_MAX, parseStrictJson } from '../../src/files/strict-json.ts';
import { aFolder } from '../programs/running-server.ts';

const CASES = join(import.meta.dirname, '../commands/bulk/files');

/** Writes a file, and reads it. */
async function read(bytes: string | Buffer, bytesMax?: number) {
  const file = join(await aFolder(), 'file');
  await writeFile(file, bytes);
  return (await readTextFile(file, bytesMax)).match(
    (text) => text,
    (fault) => ({ fault }),
  );
}

describe('a text file', () => {
  it.each([
    ['UTF-8', Buffer.from('é 🎁')],
    ['UTF-8 with a byte order mark', Buffer.from('\uFEFFé 🎁')],
    ['UTF-16', Buffer.from('\uFEFFé 🎁', 'utf16le')],
    ['big-endian UTF-16', Buffer.from('\uFEFFé 🎁', 'utf16le').swap16()],
  ])('is read in %s', async (_, bytes) => {
    expect(await read(bytes)).toBe('é 🎁');
  });

  it.each([
    ['Latin-1', Buffer.from('a\nb\né\n', 'latin1'), 'line 3 is not UTF-8'],
    ['half a surrogate pair', Buffer.from('\uFEFFa\nb\uD83Dc\n', 'utf16le'), 'line 2 is not UTF-8'],
    ['half a character', Buffer.from('\uFEFFab', 'utf16le').subarray(0, 5), 'line 1 is not UTF-8'],
  ])('with %s is rejected with its line, and nothing in it is replaced', async (_, bytes, fault) => {
    expect(await read(bytes)).toEqual({ fault });
  });

  it('has at most as many bytes as it may', async () => {
    expect([await read('12345', 5), await read('123456', 5)]).toEqual([
      '12345',
      { fault: 'must have at most 5 bytes' },
    ]);
    expect(await read('')).toBe('');
  });
});

/** Returns what is wrong with a JSON text, or its value. */
const parsed = (text: string) =>
  parseStrictJson(Buffer.from(text)).unwrapOr(null) ?? parseStrictJson(Buffer.from(text))._unsafeUnwrapErr();

describe('JSON of a file', () => {
  it('is read behind a byte order mark', async () => {
    const text = (await readTextFile(join(CASES, 'place-bom.json')))._unsafeUnwrap();
    expect(parsed(text)).toMatchObject({ items: [{ sku: 'A', unit_price: { amount: 100 } }] });
  });

  it('is rejected if an object has a member twice, with the lines', () => {
    expect(parsed(readFileSync(join(CASES, 'dup.ndjson'), 'utf8'))).toBe(
      'has a member twice: items.0.quantity must occur once, got it on line 1 and line 1',
    );
    expect(parsed('{"a":1,\n"b":{"a":1},\n"\\u0061":2}')).toBe(
      'has a member twice: a must occur once, got it on line 1 and line 3',
    );
  });

  it('is rejected before it is parsed if it becomes too much', () => {
    // The text after the excess is no JSON, which a parser would find.
    const many = `[${'{},'.repeat(JSON_VALUES_MAX / 2)}{}x`;
    expect(parsed(many)).toBe(`has more than ${JSON_VALUES_MAX} members and elements`);
    expect(parsed(`${'['.repeat(JSON_DEPTH_MAX + 1)}x`)).toBe(`is nested more than ${JSON_DEPTH_MAX} times`);
    const most = `${'['.repeat(JSON_DEPTH_MAX)}${']'.repeat(JSON_DEPTH_MAX)}`;
    expect(JSON.stringify(parsed(most))).toBe(most);
  });

  it('is rejected unless it is UTF-8', () => {
    expect(parseStrictJson(Buffer.from('"\xe9"', 'latin1'))._unsafeUnwrapErr()).toBe('is not UTF-8');
    expect(parsed('{')).toMatch(/^is not valid JSON: /);
  });
});
