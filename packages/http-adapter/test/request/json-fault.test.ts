import { isUtf8 } from 'node:buffer';
import { propertyRuns } from '@orders/property-runs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Api, anApi } from '../fixtures/an-api.ts';
import { textAt } from '../fixtures/json.ts';

/** Sends `payload` as the body of a new order and returns the detail of the problem. */
async function detailOf({ acme }: Pick<Api, 'acme'>, payload: Buffer): Promise<string> {
  const headers = { 'content-type': 'application/json' };
  const { status, body } = await acme.send({ method: 'POST', url: '/v1/orders', headers, payload });
  expect([status, textAt(body, 'code')]).toEqual([400, 'malformed_json']);
  return textAt(body, 'detail');
}

const offsetIn = (detail: string): number => Number(/offset (\d+)/.exec(detail)?.[1]);

function isJson(bytes: Buffer): boolean {
  try {
    JSON.parse(bytes.toString());
    return isUtf8(bytes);
  } catch {
    return false;
  }
}

/** Suffixes that may complete a character, an escape, a literal or a number at the end of a prefix. */
const WITHIN = [
  ...['', '\x80', '\x80\x80', '\x80\x80\x80', '\xa0\x80', '\x90\x80\x80'].flatMap((bytes) => [bytes, `${bytes}"`]),
  ...'n" u0000" 0000" 000" 00" 0" rue ue e alse lse se ull ll l 0 "a" "a":0'.split(' '),
];

/** Returns the closing brackets for a prefix of JSON. */
function closings(prefix: Buffer): string {
  const outside = prefix.toString('latin1').replaceAll(/"(?:[^"\\]|\\.)*(?:"|\\?$)/gs, '');
  const open: string[] = [];
  for (const bracket of outside.replaceAll(/[^[\]{}]/g, '')) {
    if (bracket === '[') open.push(']');
    else if (bracket === '{') open.push('}');
    else open.pop();
  }
  return open.toReversed().join('');
}

/** Checks by trial whether `prefix` can be continued to JSON, without the code under test. */
function canBecomeJson(prefix: Buffer): boolean {
  const rest = closings(prefix);
  return WITHIN.some((within) =>
    ['', ':0'].some((after) => isJson(Buffer.concat([prefix, Buffer.from(`${within}${after}${rest}`, 'latin1')]))),
  );
}

/** Generates JSON with a replaced, removed or added part, which makes it invalid. */
const corrupted = fc
  .record({
    json: fc.json({ stringUnit: 'binary', maxDepth: 3 }).map((json) => Buffer.from(json)),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
    removed: fc.nat({ max: 3 }),
    added: fc.oneof(
      fc.uint8Array({ maxLength: 3 }),
      fc.constantFrom('"', '\\', '\\u12', ',', ':', '{', ']', '0', '1e', '-', '.', 'tru', 'nul', '\0', '\ud83d', 'é'),
    ),
  })
  .map(({ json, share, removed, added }) => {
    const at = Math.floor(share * json.length);
    return Buffer.concat([json.subarray(0, at), Buffer.from(added), json.subarray(at + removed)]);
  })
  .filter((bytes) => bytes.length > 0 && !isJson(bytes));

describe('the detail of malformed_json', () => {
  const FAULTS: readonly (readonly [string, number])[] = [
    ['{"items":', 9],
    ['{} {}', 3],
    ['\ufeff{}', 0],
    ['[1,]', 3],
    ['{"a" 1}', 5],
    ['tru}', 3],
    ['01', 1],
    ['1.e5', 2],
    ['1e+', 3],
    ['"\\x"', 2],
    ['"\\u12G4"', 5],
    ['"a\nb"', 2],
    ['["é", ü]', 7],
    ['{"secret":"4111 1111 1111 1111"]', 31],
    ['[}', 1],
  ];

  it('contains the byte offset of the fault', async () => {
    const api = await anApi();
    for (const [text, offset] of FAULTS)
      expect([text, offsetIn(await detailOf(api, Buffer.from(text)))]).toEqual([text, offset]);
  });

  it.each([
    ['a byte that starts no character', [0x22, 0xff, 0x22], 1],
    ['a surrogate', [0x22, 0xed, 0xa0, 0x80, 0x22], 2],
    ['an overlong character', [0x22, 0xe0, 0x80, 0x80, 0x22], 2],
    ['a character above the Unicode range', [0x22, 0xf4, 0x90, 0x80, 0x80, 0x22], 2],
    ['an incomplete character', [0x22, 0xf0, 0x9f, 0x98, 0x22], 4],
    ['an earlier fault of the JSON', [0x5b, 0x2c, 0xff], 1],
  ])('has the offset of invalid UTF-8: %s', async (_, bytes, offset) => {
    expect(offsetIn(await detailOf(await anApi(), Buffer.from(bytes)))).toBe(offset);
  });

  it('has the offset of the first byte that cannot continue any JSON', async () => {
    const api = await anApi();
    await fc.assert(
      fc.asyncProperty(corrupted, async (payload) => {
        const detail = await detailOf(api, payload);
        const offset = offsetIn(detail);
        expect(detail).toBe(
          offset === payload.length
            ? `The body is not valid JSON in UTF-8: it ends too early, at byte offset ${offset}.`
            : `The body is not valid JSON in UTF-8: the byte at offset ${offset} is unexpected.`,
        );
        expect(canBecomeJson(payload.subarray(0, offset))).toBe(true);
        expect(offset < payload.length && canBecomeJson(payload.subarray(0, offset + 1))).toBe(false);
      }),
      propertyRuns(100),
    );
  });
});
