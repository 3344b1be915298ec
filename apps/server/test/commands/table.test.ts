import { expect, it } from 'vitest';
import { tableOf } from '../../src/commands/table.ts';

const COLUMNS = [{ header: 'ID' }, { header: 'N', isNumber: true }, { header: 'NAME' }];
const ROWS = [
  ['a', '10', 'one two'],
  ['bbb', '2', ''],
];

it('prints a row in one line, and on a narrow terminal the columns that do not fit below', () => {
  const wide = 'ID    N  NAME\na    10  one two\nbbb   2\n';
  expect(tableOf(COLUMNS, ROWS, Infinity)).toBe(wide);
  expect(tableOf(COLUMNS, ROWS, 16)).toBe(wide);
  expect(tableOf(COLUMNS, ROWS, 15)).toBe('ID    N\n  NAME\na    10\n  one two\nbbb   2\n\n');
  expect(tableOf(COLUMNS, ROWS, 4)).toBe('ID\n   N\n  NAME\na\n  10\n  one two\nbbb\n   2\n\n');
  const scopes = ['orders:read', 'orders:write', 'orders:import'].join(',');
  expect(tableOf(COLUMNS, [['a', '1', scopes]], 28)).toBe(
    'ID  N\n  NAME\na   1\n  orders:read,\n  orders:write,orders:import\n',
  );
});

it('aligns characters that a terminal shows in two columns', () => {
  const rows = [
    ['東京', '1', 'x'],
    ['e\u0301', '2', 'y'],
  ];
  expect(tableOf(COLUMNS, rows, Infinity)).toBe('ID    N  NAME\n東京  1  x\ne\u0301     2  y\n');
});
