import { parseArgs } from 'node:util';
import { StartupError } from '../operator-error.ts';

/** What was given with each of a command's options, by its name. */
export type Options = Readonly<Record<string, string | undefined>>;

/** Reads `--name value` for each of `names`. Anything else is a mistake. */
export function readOptions(args: readonly string[], names: readonly string[]): Options {
  const options = Object.fromEntries(names.map((name) => [name, { type: 'string' as const }]));
  try {
    return { ...parseArgs({ args: [...args], options }).values };
  } catch (cause) {
    throw new StartupError([cause instanceof Error ? cause.message : String(cause)], { cause });
  }
}
