import { parseArgs } from 'node:util';
import { OperatorError } from '../operator-error.ts';
import { type Arguments, type CommandHelp, wordsOf } from './command.ts';

/** An option in a usage. A word follows one that has a value. */
const OPTION = /--([a-z-]+)( \w)?/g;

/**
 * Parses the arguments that the usage of a command declares: options, and names such as `FILE` of positional ones, which
 * come first and are required.
 *
 * @throws {OperatorError} there is another argument, or a positional one is missing
 */
export function readArguments(command: CommandHelp, args: readonly string[]): Arguments {
  const expected = command.usage
    .split(' ')
    .slice(wordsOf(command).length)
    .filter((_, index, words) => words.slice(0, index + 1).every((each) => /^[A-Z]+$/.test(each)));
  const { values, positionals } = parsed(command, args);
  if (positionals.length !== expected.length) {
    throw new OperatorError([
      expected.length === 0 ? `unexpected argument: ${positionals.join(' ')}` : `required: ${expected.join(' ')}`,
    ]);
  }
  const given = Object.entries(values);
  return {
    values: Object.fromEntries(given.flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : []))),
    flags: new Set(given.flatMap(([name, value]) => (value === true ? [name] : []))),
    positionals,
  };
}

function parsed({ usage }: CommandHelp, args: readonly string[]) {
  const options = Object.fromEntries(
    [...usage.matchAll(OPTION)].map(([, name = '', value]) => [
      name,
      { type: value === undefined ? ('boolean' as const) : ('string' as const) },
    ]),
  );
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (cause) {
    throw OperatorError.of(cause);
  }
}
