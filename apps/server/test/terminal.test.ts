import { expect, it } from 'vitest';
import { oneLine, printable } from '../src/terminal.ts';

const CONTROLS = Array.from({ length: 0xa0 }, (_, code) => String.fromCharCode(code)).filter((each) =>
  /\p{Cc}/u.test(each),
);

it('spells every control character but ends of lines and tabs, and keeps what JSON has', () => {
  const rest = printable(CONTROLS.join('')).replaceAll(/\\u00[0-9a-f]{2}/g, '');
  expect(rest).toBe('\t\n');
  expect(printable('a\r\nb\rc\u001B[31m\u009B0m é 🎁')).toBe('a\r\nb\\u000dc\\u001b[31m\\u009b0m é 🎁');
  // A joiner is part of a letter or a picture.
  expect(printable('a\u202Eb\u2066c\u200Fd\u061Ce\u2028f\u200D')).toBe(
    'a\\u202eb\\u2066c\\u200fd\\u061ce\\u2028f\u200D',
  );
  expect(oneLine('a\u2028b\u2029\nc')).toBe('a b c');
  expect(printable('\u001B[2J\u001B[32m green\u001B[39m', { colored: true })).toBe(
    '\\u001b[2J\u001B[32m green\u001B[39m',
  );
  const value = { [CONTROLS.join('')]: CONTROLS };
  expect(JSON.parse(printable(JSON.stringify(value, null, 2)))).toEqual(value);
});
