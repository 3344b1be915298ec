import { isOwner } from '@orders/domain';
import { expect, it } from 'vitest';

it.each([
  ['a', true],
  [' ~', true],
  ['shop 7', true],
  ['o'.repeat(255), true],
  ['', false],
  ['o'.repeat(256), false],
  ['é', false],
  ['tab\t', false],
  ['\u007f', false],
])('an owner is 1 to 255 printable ASCII characters: %j is %s', (name, expected) => {
  expect(isOwner(name)).toBe(expected);
});
