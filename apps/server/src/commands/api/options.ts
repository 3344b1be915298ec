import { parseArgs } from 'node:util';
import { OperatorError } from '../../operator-error.ts';

/** The arguments of a command: values by name, flags, and what has no name. */
export interface Arguments {
  readonly values: Readonly<Record<string, string | undefined>>;
  readonly flags: ReadonlySet<string>;
  readonly positionals: readonly string[];
}

/**
 * Parses `--name value` for each of `names`, `--flag` for each of `flags`, and exactly the given positionals.
 *
 * @throws {OperatorError} there is another argument, or one is missing
 */
export function readArguments(
  args: readonly string[],
  { names = [], flags = [], positionals: expected = [] }: ArgumentNames,
): Arguments {
  const options: Record<string, { readonly type: 'string' | 'boolean' }> = {};
  for (const name of names) options[name] = { type: 'string' };
  for (const flag of flags) options[flag] = { type: 'boolean' };
  const { values, positionals } = parsed(args, options);
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

interface ArgumentNames {
  readonly names?: readonly string[];
  readonly flags?: readonly string[];
  readonly positionals?: readonly string[];
}

function parsed(args: readonly string[], options: Record<string, { readonly type: 'string' | 'boolean' }>) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (cause) {
    throw OperatorError.of(cause);
  }
}

/**
 * Parses a number of elements, 1 to 10,000.
 *
 * @throws {OperatorError} it is none
 */
export function readLimit(text: string | undefined, without: number): number {
  if (text === undefined) return without;
  if (!/^[1-9][0-9]{0,4}$/.test(text) || Number(text) > 10_000) {
    throw new OperatorError(['--limit: must be a whole number from 1 to 10000']);
  }
  return Number(text);
}

/** Reads the first `limit` elements. */
export async function firstOf<T>(elements: AsyncIterable<T>, limit: number): Promise<readonly T[]> {
  const read: T[] = [];
  for await (const element of elements) {
    read.push(element);
    if (read.length === limit) break;
  }
  return read;
}
