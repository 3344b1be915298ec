import { Command as Program, CommanderError, type Help } from 'commander';
import { OperatorError } from '../operator-error.ts';
import { readManifest } from '../require-node.ts';
import { oneLine, report } from '../terminal.ts';
import type { Arguments, CommandHelp } from './command.ts';
import { print } from './print.ts';

/** The columns that the help takes. */
const WIDTH = 80;

/**
 * Runs the command that arguments select, or prints the help, the release, or what `complete` and a part of a command line
 * may continue with, as the scripts of `completion` call it.
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
    .configureOutput({
      getOutHelpWidth: () => WIDTH,
      getErrHelpWidth: () => WIDTH,
      writeOut: (shown) => (text += shown),
      writeErr: (shown) => (text += shown),
    });
  const groups = new Set(commands.map((command) => partsOf(command)[0].slice(0, -1).join(' ')));
  for (const command of commands) {
    const [words, positionals] = partsOf(command);
    const leaf = words.reduce(childOf, program).description(command.about);
    for (const positional of positionals) leaf.argument(positional);
    for (const option of command.options ?? []) leaf.addOption(option);
    leaf.addHelpText('after', `\n${examplesOf(command.examples)}`);
    // With an action, a word that is no command below this one would be an argument too many, without a suggestion.
    const isBelow = groups.has(words.join(' ')) && /^\w/.test(args[words.length] ?? '');
    if (!isBelow) leaf.action(() => run(command, argumentsOf(leaf)));
  }
  // Last, because commands below would inherit it.
  program.configureHelp({ formatHelp: (_, helper) => helpAboutAll(commands, helper) });
  const [first, ...words] = args;
  if (first === 'complete') return print(completionsOf(program, words));
  const isHelp = first === undefined || first === 'help';
  try {
    // Help never runs a command, not even one with words that it does not know.
    if (isHelp && !words.reduce<Program | undefined>(commandOf, program))
      throw new OperatorError([`unknown command '${words.join(' ')}'`]);
    await program.parseAsync(isHelp ? [...words, '--help'] : args, { from: 'user' });
  } catch (cause) {
    if (!(cause instanceof CommanderError)) throw cause;
    if (cause.exitCode === 0) return print(text);
    // A group without a command: its help.
    if (!text.startsWith('error: ')) report(text.trimEnd());
    throw new OperatorError(text.startsWith('error: ') ? [oneLine(text.trim().replace('error: ', ''))] : []);
  }
}

/** Returns the words that select a command, and its positional arguments. */
function partsOf({ usage }: CommandHelp): readonly [words: readonly string[], positionals: readonly string[]] {
  const words = usage.split(' ');
  const isPositional = (word: string) => /^[<[]/.test(word);
  return [words.filter((word) => !isPositional(word)), words.filter(isPositional)];
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

/** Returns what may stand in place of the last word, one a line: commands, options, or the choices of an option. */
function completionsOf(program: Program, words: readonly string[]): string {
  const [before, last = ''] = [words.slice(0, -1), words.at(-1)];
  const command = before.reduce((parent, word) => commandOf(parent, word) ?? parent, program);
  const option = command.options.find(({ long, required }) => required && long === before.at(-1));
  const all = option
    ? (option.argChoices ?? [])
    : [...command.commands.map((each) => each.name()), ...command.options.map(({ long }) => long ?? '')];
  return all.flatMap((each) => (each.startsWith(last) ? [`${each}\n`] : [])).join('');
}

/** Returns the help for the command line: what each command does. */
function helpAboutAll(commands: readonly CommandHelp[], helper: Help): string {
  const names = commands.map((command) => partsOf(command)[0].join(' '));
  const width = Math.max(...names.map((name) => name.length));
  const lines = commands.map(({ about }, index) => helper.formatItem(names[index] ?? '', width, about, helper));
  return `Administers the database of an Orders server, also while servers use it, and
calls its API.

Usage:
  pnpm orders COMMAND [OPTIONS]

Commands:
${lines.join('\n')}

The database is that of DATABASE_URL, or without it the embedded one in DATA_DIR
(default: .data). Orders, events and webhook endpoints are those of the server
at ORDERS_URL, read and changed with ORDERS_API_KEY (default: the server that
runs on DATA_DIR, with its demo key; with another key http://127.0.0.1:3000).

"pnpm orders help COMMAND" prints the options of a command, and examples.
"pnpm orders completion bash" (or zsh, fish) lets the shell complete commands.
`;
}

function examplesOf(examples: readonly string[]): string {
  // A long one goes on in a line of its own.
  const lines = examples.map((example) =>
    `  pnpm orders ${example}`.replaceAll(/(?=.{81}).{40,77} (?=\S)/g, '$&\\\n      '),
  );
  return `Examples:\n${lines.join('\n')}\n`;
}
