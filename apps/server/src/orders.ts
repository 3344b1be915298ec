import { allowCertificate, listCertificates, revokeCertificate } from './commands/certs.ts';
import { distribute } from './commands/distribute.ts';
import { createKey, listKeys, revokeKey } from './commands/keys.ts';
import { migrate } from './commands/migrate.ts';
import { readConfig } from './config.ts';
import { exitWithReason } from './exit.ts';
import { StartupError } from './startup-error.ts';

const COMMANDS = [
  migrate,
  distribute,
  createKey,
  listKeys,
  revokeKey,
  allowCertificate,
  listCertificates,
  revokeCertificate,
];

/** `pnpm orders …`: runs one command against the database of the environment, also while a server runs on it. */
async function main(args: readonly string[]): Promise<void> {
  const found = COMMANDS.map((command) => ({ command, words: wordsOf(command.usage) })).find(({ words }) =>
    words.every((word, index) => args[index] === word),
  );
  if (!found) throw new StartupError(['use one of', ...COMMANDS.map(({ usage }) => `  pnpm orders ${usage}`)]);
  const work = found.command.prepare(args.slice(found.words.length));
  const config = readConfig(process.env);
  // Loaded only now, so that mistakes on the command line are told at once.
  const { openStore } = await import('./store.ts');
  const store = await openStore(config, 'shared', (message) => console.error(message));
  try {
    await work(store);
  } finally {
    await store.close();
  }
}

/** The words that a command is called by: those of its usage before the first argument. */
function wordsOf(usage: string): readonly string[] {
  const words = usage.split(' ');
  const end = words.findIndex((word) => !/^[a-z]+$/.test(word));
  return end < 0 ? words : words.slice(0, end);
}

main(process.argv.slice(2)).catch(exitWithReason);
