import { OperatorError } from '../operator-error.ts';
import type { LocalCommand } from './command.ts';
import { print } from './print.ts';

/** What each shell evaluates: `orders` runs this program, and the shell fills in what `complete` prints. */
const SCRIPTS: Readonly<Record<string, (program: string) => string>> = {
  bash: (program) => `orders() { ${program} "$@"; }
_orders() { local IFS=$'\\n'; COMPREPLY=($(orders complete "\${COMP_WORDS[@]:1:COMP_CWORD}")); }
complete -o default -F _orders orders
`,
  zsh: (program) => `orders() { ${program} "$@"; }
_orders() { local found=("\${(@f)$(orders complete "\${(@)words[2,CURRENT]}")}"); [[ -n $found ]] && compadd -a found || _files; }
compdef _orders orders
`,
  fish: (program) => `function orders; ${program} $argv; end
complete --command orders --arguments '(orders complete (commandline -opc)[2..] "$(commandline -ct)")'
`,
};

/** Prints what a shell evaluates at its start: no program named `orders` is installed. */
export const completion: LocalCommand = {
  usage: 'completion <shell>',
  about: 'prints a script for bash, zsh or fish: orders runs this program, and the Tab key completes its commands',
  examples: ['completion bash', 'completion zsh', 'completion fish'],
  run: async ({ positionals: [shell = ''] }) => {
    const script = new Map(Object.entries(SCRIPTS)).get(shell);
    if (!script) throw new OperatorError(['SHELL: must be bash, zsh or fish']);
    const words = [process.execPath, ...process.execArgv, process.argv[1] ?? ''];
    await print(script(words.map((word) => `'${word.replaceAll("'", String.raw`'\''`)}'`).join(' ')));
  },
};
