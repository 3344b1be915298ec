import { CUSTOM_BYTES_MAX } from '@orders/domain';
import { describe, expect, it } from 'vitest';
import { FORMATS } from '../../src/definition/schema-compiler.ts';
import { parserOf } from './definition-files.ts';

const text = { type: 'string' };

/**
 * Maximum CPU time of one validation in the tests, in microseconds: far more than it takes, and far less than an
 * exponential one.
 */
const CPU_MAX = 2_000_000;

/** Returns the CPU time of this thread during `validate`, in microseconds. Other programs do not count. */
function cpuTimeOf(validate: () => void): number {
  const before = process.threadCpuUsage().user;
  validate();
  return process.threadCpuUsage().user - before;
}

/** Texts of almost the maximum size that a backtracking expression needs long for, or exponential time. */
const HOSTILE = [
  'a',
  'a.',
  'a-',
  'a@a.',
  'http://a:',
  '/',
  '~0',
  '%20',
  '{a,',
  '1',
  '1Y',
  '0000:',
  '::',
  'ab:',
  '25',
  '(',
].flatMap((part) =>
  ['', 'P', 'a@', 'http://'].map((begin) => `${begin}${part.repeat((CUSTOM_BYTES_MAX - 20) / part.length)}!`),
);

describe('the time of a validation', () => {
  it.each(['^(a+)+$', '^(a|aa)*$', '^(.*)*,(.*)*$', '(.*a){20}z', '^([a-z]+)*[0-9]$', '^(a?){300}a{300}$'])(
    'is bounded for the pattern %s',
    async (pattern) => {
      const parse = await parserOf({ ...text, pattern });
      const validate = () => {
        for (const value of HOSTILE.slice(0, 8)) parse(value);
      };
      expect(cpuTimeOf(validate)).toBeLessThan(8 * CPU_MAX);
    },
  );

  it.each(FORMATS)('is bounded for the format %s', async (format) => {
    const parse = await parserOf({ type: ['string', 'number'], format });
    const validate = () => {
      for (const value of HOSTILE) parse(value);
    };
    expect(cpuTimeOf(validate)).toBeLessThan(CPU_MAX);
  });

  it('is bounded for items that must differ', async () => {
    const parse = await parserOf({ type: 'array', uniqueItems: true });
    const items = Array.from({ length: 2300 }, (_, at) => [at]);
    const validate = () => {
      for (let run = 0; run < 90; run += 1) expect(parse(items).isOk()).toBe(true);
    };
    expect(cpuTimeOf(validate)).toBeLessThan(CPU_MAX);
  });
});
