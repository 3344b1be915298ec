import { describe, expect, it } from 'vitest';
import { readArguments } from '../../src/commands/arguments.ts';
import type { CommandHelp } from '../../src/commands/command.ts';

function commandWith(usage: string): CommandHelp {
  return { usage, about: 'is for tests', examples: [usage] };
}

const PLACE = commandWith('orders place FILE [--key KEY] [--status [--json]]');

describe('the arguments of a command', () => {
  it('are those that its usage declares', () => {
    const { values, flags, positionals } = readArguments(PLACE, ['--json', 'order.json', '--key', 'a', '--status']);
    expect({ ...values }).toEqual({ key: 'a' });
    expect(flags).toEqual(new Set(['json', 'status']));
    expect(positionals).toEqual(['order.json']);
  });

  it.each([
    [PLACE, [], 'required: FILE'],
    [PLACE, ['a', 'b'], 'required: FILE'],
    [PLACE, ['a', '--colour', 'red'], "Unknown option '--colour'"],
    [PLACE, ['a', '--key'], "Option '--key <value>' argument missing"],
    [commandWith('certs allow (--subject SUBJECT | --uri URI)'), ['urn:a'], 'unexpected argument: urn:a'],
  ])('have no others: %o with %j', (command, args, fault) => {
    expect(() => readArguments(command, args)).toThrow(fault);
  });
});
