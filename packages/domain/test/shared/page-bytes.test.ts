import { freeTextBytes, type Metadata } from '@orders/domain';
import { describe, expect, it } from 'vitest';

describe('free text', () => {
  it.each([
    [{ metadata: {} }, 2],
    [{ note: null, metadata: {} }, 2],
    [{ note: 'abc', metadata: {} }, 5],
    [{ note: '\n', metadata: {} }, 3],
    [{ metadata: { a: '\n' } }, 10],
    [{ note: '\u007F\u0080\u07FF\u0800\uFFFF😀', metadata: {} }, 1 + 2 + 2 + 3 + 3 + 4 + 2],
    [{ note: '\uD7FF\uE000\u{10000}\u{10FFFF}', metadata: {} }, 3 + 3 + 4 + 4 + 2],
  ] as const)('counts in bytes: %j has %i', (element: { note?: string | null; metadata: Metadata }, count) => {
    expect(freeTextBytes(element)).toBe(count);
    const encoded = (text: string) => new TextEncoder().encode(text).length;
    expect(encoded(element.note ?? '') + encoded(JSON.stringify(element.metadata))).toBe(count);
  });
});
