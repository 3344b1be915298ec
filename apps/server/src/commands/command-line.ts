import { Command as Program, CommanderError } from 'commander';
import { OperatorError } from '../operator-error.ts';
import { readManifest } from '../require-node.ts';
import type { Arguments, CommandHelp } from './command.ts';
import { print } from './print.ts';

/**
 * Runs the command that arguments select, or prints the help or the release.
 *
 * @throws {OperatorError} they select no command, or are not those that it declares
 */
export async function runCommandLine<Command extends CommandHelp>(
  commands: readonly Command[],
  args: readonly string[],
  run: (command: Command, args: Arguments) => Promise<void>,
): Promise<void> {
  let text = '';
  const program = new Program('pnpm orders')
    .version(readManifest().version, '--version')
    .helpCommand(false)
    .exitOverride()
    .configureOutput({ writeOut: (shown) => (text += shown), writeErr: (shown) => (text += shown) });
  for (const command of commands) {
    const [words = [], positionals = []] = partsOf(command);
    const leaf = words.reduce(childOf, program).description(command.about);
    for (const positional of positionals) leaf.argument(positional);
    for (const option of command.options ?? []) leaf.addOption(option);
    leaf.addHelpText('after', `\n${examplesOf(command.examples)}`).action(() => run(command, argumentsOf(leaf)));
  }
  // Last, because commands below would inherit it.
  program.configureHelp({ formatHelp: () => helpAboutAll(commands) });
  const [first, ...words] = args;
  const isHelp = first === undefined || first === 'help';
  try {
    // Help never runs a command, not even one with words that it does not know.
    if (isHelp && !words.reduce<Program | undefined>(commandOf, program))
      throw new OperatorError([`unknown command '${words.join(' ')}'`]);
    await program.parseAsync(isHelp ? [...words, '--help'] : args, { from: 'user' });
  } catch (cause) {
    if (!(cause instanceof CommanderError)) throw cause;
    if (cause.exitCode !== 0)
      throw new OperatorError(
        text
          .trim()
          .replace(/^error: /, '')
          .split('\n'),
      );
    await print(text);
  }
}

/** Returns the words that select a command, and its positional arguments. */
function partsOf({ usage }: CommandHelp): readonly (readonly string[])[] {
  const words = usage.split(' ');
  return [words.filter((word) => !word.startsWith('<')), words.filter((word) => word.startsWith('<'))];
}

/** Returns the command of a word below another one. */
function commandOf(parent: Program | undefined, word: string): Program | undefined {
  return parent?.commands.find((each) => each.name() === word);
}

/** Returns the command of a word below another one, which gets it if it has none. */
function childOf(parent: Program, word: string): Program {
  return commandOf(parent, word) ?? parent.command(word).helpCommand(false);
}

function argumentsOf(leaf: Program): Arguments {
  const given = leaf.options.map((option): readonly [string, unknown] => [
    option.name(),
    leaf.getOptionValue(option.attributeName()),
  ]);
  return {
    values: Object.fromEntries(given.flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : []))),
    flags: new Set(given.flatMap(([name, value]) => (value === true ? [name] : []))),
    positionals: leaf.args,
  };
}

/** Returns the help for the command line: one line per command, and the first example of each. */
function helpAboutAll(commands: readonly CommandHelp[]): string {
  const names = commands.map((command) => (partsOf(command)[0] ?? []).join(' '));
  const width = Math.max(...names.map((name) => name.length));
  const lines = commands.map(({ about }, index) => `  ${(names[index] ?? '').padEnd(width)}  ${about}`);
  return `Administers the database of an Orders server, also while servers use it, and calls its API.

Usage:
  pnpm orders COMMAND [OPTIONS]

Commands:
${lines.join('\n')}

${examplesOf(commands.map(({ examples: [example] }) => example))}
The database is that of DATABASE_URL, or without it the embedded one in DATA_DIR (default: .data).
Orders, events and webhook endpoints are those of the server at ORDERS_URL, read and changed with ORDERS_API_KEY
(default: the server that runs on DATA_DIR, with its demo key; with another key http://127.0.0.1:3000).
"pnpm orders help COMMAND" prints the options of a command, and more examples.
`;
}

function examplesOf(examples: readonly string[]): string {
  return `Examples:\n${examples.map((example) => `  pnpm orders ${example}\n`).join('')}`;
}
