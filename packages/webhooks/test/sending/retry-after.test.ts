import { RETRY_AFTER_MAX_MS } from '@orders/domain/webhooks';
import { describe, expect, it } from 'vitest';
import { retryAfterOf } from '../../src/sending/retry-after.ts';

const NOW = new Date('2026-11-06T08:49:37.000Z');

describe('a Retry-After', () => {
  it.each([
    ['0', 0],
    ['120', 120_000],
    ['3600', RETRY_AFTER_MAX_MS],
    ['3601', RETRY_AFTER_MAX_MS],
    ['9'.repeat(400), RETRY_AFTER_MAX_MS],
    ['Fri, 06 Nov 2026 08:50:37 GMT', 60_000],
    ['Friday, 06-Nov-26 08:50:37 GMT', 60_000],
    ['Fri Nov  6 08:50:37 2026', 60_000],
    ['Fri, 06 Nov 2026 08:48:37 GMT', 0],
    ['Sat, 06 Nov 2027 08:48:37 GMT', RETRY_AFTER_MAX_MS],
    ['-1', null],
    ['1.5', null],
    ['1e3', null],
    ['0x10', null],
    [' 5', null],
    ['', null],
    ['soon', null],
    ['2026-11-06T08:50:37Z', null],
    ['Fri, 06 Nov 2026 08:50:37 CET', null],
    ['Fri, 36 Nov 2026 08:50:37 GMT', null],
  ])('%s requires a wait of %s ms', (value, wait) => {
    expect(retryAfterOf({ 'retry-after': value }, NOW)).toBe(wait);
  });

  it('is compared with the clock of its response', () => {
    const headers = { 'retry-after': 'Fri, 06 Nov 2020 08:50:37 GMT', date: 'Fri, 06 Nov 2020 08:49:37 GMT' };
    expect(retryAfterOf(headers, NOW)).toBe(60_000);
    expect(retryAfterOf({ ...headers, date: 'yesterday' }, NOW)).toBe(0);
  });

  it('counts once', () => {
    expect(retryAfterOf({}, NOW)).toBe(null);
    expect(retryAfterOf({ 'retry-after': ['1', '2'] }, NOW)).toBe(null);
  });
});
