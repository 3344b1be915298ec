import { expect, it } from 'vitest';
import { tableOf } from '../../src/commands/list-output.ts';

const COLUMNS = [
  { header: 'ID', cell: ([id]: readonly string[]) => id ?? '' },
  { header: 'N', cell: ([, count]: readonly string[]) => count ?? '', isNumber: true },
  { header: 'NAME', cell: ([, , name]: readonly string[]) => name ?? '' },
];
const ROWS = [
  ['a', '10', 'one\ntwo'],
  ['bbb', '2', ''],
];

it('prints a row in one line, and on a narrow terminal the columns that do not fit below', () => {
  const wide = 'ID    N  NAME\na    10  one two\nbbb   2\n';
  expect(tableOf(ROWS, COLUMNS, Infinity)).toBe(wide);
  expect(tableOf(ROWS, COLUMNS, 16)).toBe(wide);
  expect(tableOf(ROWS, COLUMNS, 15)).toBe('ID    N\n  NAME\na    10\n  one two\nbbb   2\n\n');
  expect(tableOf(ROWS, COLUMNS, 4)).toBe('ID\n   N\n  NAME\na\n  10\n  one two\nbbb\n   2\n\n');
  const scopes = ['orders:read', 'orders:write', 'orders:import'].join(',');
  expect(tableOf([['a', '1', scopes]], COLUMNS, 28)).toBe(
    'ID  N\n  NAME\na   1\n  orders:read,\n  orders:write,orders:import\n',
  );
});

it('aligns characters that a terminal shows in two columns', () => {
  const rows = [
    ['東京', '1', 'x'],
    ['e\u0301', '2', 'y'],
  ];
  expect(tableOf(rows, COLUMNS, Infinity)).toBe('ID    N  NAME\n東京  1  x\ne\u0301     2  y\n');
});
