import { type CommandHelp, wordsOf } from './command.ts';

/** Returns the help for the command line: one line per command, and the first example of each. */
export function helpAboutAll(commands: readonly CommandHelp[]): string {
  const names = commands.map((command) => wordsOf(command).join(' '));
  const width = Math.max(...names.map((name) => name.length));
  const lines = commands.map(({ about }, index) => `  ${(names[index] ?? '').padEnd(width)}  ${about}`);
  return `Administers the database of an Orders server, also while servers use it, and calls its API.

Usage:
  pnpm orders COMMAND [OPTIONS]

Commands:
${lines.join('\n')}

Examples:
${exampleLines(commands.map(({ examples: [first] }) => first))}

The database is that of DATABASE_URL, or without it the embedded one in DATA_DIR (default: .data).
Orders, events and webhook endpoints are those of the server at ORDERS_URL, read and changed with ORDERS_API_KEY
(default: the server that runs on DATA_DIR, with its demo key).
"pnpm orders help COMMAND" prints the options of a command, and more examples.
`;
}

/** Returns the help for some commands: usage, description and examples. */
export function helpAbout(commands: readonly CommandHelp[]): string {
  const [some, examples] = [usageOf(commands), exampleLines(commands.flatMap((command) => command.examples))];
  return `Usage:\n${some}\n\nExamples:\n${examples}\n`;
}

/** Returns the usage of commands, each followed by its description. */
export function usageOf(commands: readonly CommandHelp[]): string {
  return commands.map(({ usage, about }) => `  pnpm orders ${usage}\n      ${about}`).join('\n');
}

function exampleLines(examples: readonly string[]): string {
  return examples.map((example) => `  pnpm orders ${example}`).join('\n');
}
