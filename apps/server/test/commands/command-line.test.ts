import { Option } from 'commander';
import { describe, expect, it } from 'vitest';
import { runCommandLine } from '../../src/commands/command-line.ts';

const PLACE = {
  usage: 'place <file>',
  about: 'is for tests',
  options: [new Option('--key <key>'), new Option('--dry-run'), new Option('--format <format>').choices(['a', 'b'])],
  examples: ['place order.json'],
} as const;
const KEYS = { usage: 'keys', about: 'is for tests', examples: ['keys'] } as const;
const LIST = { usage: 'keys list', about: 'is for tests', examples: ['keys list'] } as const;
const [CREATE, PRUNE] = [
  { ...LIST, usage: 'certs create' },
  { ...LIST, usage: 'certs prune' },
];

async function runWith(...args: readonly string[]): Promise<unknown> {
  let given: unknown;
  await runCommandLine([PLACE, KEYS, LIST, CREATE, PRUNE], args, (command, { values, flags, positionals }) => {
    given = [command, values, [...flags], positionals];
    return Promise.resolve();
  });
  return given;
}

describe('the command line', () => {
  it('gives a command the arguments that it declares', async () => {
    const args = ['place', '--dry-run', 'order.json', '--key', 'a'];
    expect(await runWith(...args)).toEqual([PLACE, { key: 'a' }, ['dry-run'], ['order.json']]);
    expect(await runWith('keys', 'list')).toEqual([LIST, {}, [], []]);
    expect(await runWith('keys')).toEqual([KEYS, {}, [], []]);
  });

  it.each([
    [['place'], "missing required argument 'file'"],
    [['place', 'a', 'b'], 'too many arguments'],
    [['place', 'a', '--kye', 'b'], "unknown option '--kye' (Did you mean --key?)"],
    [['place', 'a', '--key'], "option '--key <key>' argument missing"],
    [['place', 'a', '--format', 'c'], 'Allowed choices are a, b.'],
    [['placed', 'a'], "unknown command 'placed' (Did you mean place?)"],
    [['keys', 'lsit'], "unknown command 'lsit' (Did you mean list?)"],
    [['certs', 'crate'], "unknown command 'crate' (Did you mean create?)"],
  ])('rejects others, and suggests what is similar: %j', async (args, fault) => {
    await expect(runWith(...args)).rejects.toThrow(fault);
  });
});
