import { once } from 'node:events';
import type { OrderDefinition } from '@orders/domain';
import type { OrdersDatabase } from '@orders/persistence';
import { events } from './commands/api/events.ts';
import { cancelOrder, getOrder, listOrders, placeOrder } from './commands/api/orders.ts';
import { listDeliveries, listEndpoints, redeliver, testEndpoint } from './commands/api/webhooks.ts';
import { allowCertificate, listCertificates, revokeCertificate } from './commands/certs.ts';
import { type Command, type LocalCommand, type Need, wordsOf } from './commands/command.ts';
import { checkDefinition, definitionSchema } from './commands/definition.ts';
import { distribute } from './commands/distribute.ts';
import { helpAbout, helpAboutAll, usageOf } from './commands/help.ts';
import { createKey, listKeys, revokeKey } from './commands/keys.ts';
import { listen } from './commands/listen.ts';
import { migrate } from './commands/migrate.ts';
import { print } from './commands/print.ts';
import { replaceSecrets } from './commands/secrets.ts';
import { webhooks } from './commands/webhooks.ts';
import { type Config, readConfig } from './config.ts';
import { loadDefinition } from './load-definition.ts';
import { misspeltVariables } from './misspelt-variables.ts';
import { exitWithReason, OperatorError } from './operator-error.ts';
import { listenForStop } from './stop-signal.ts';

const COMMANDS: readonly (Command | LocalCommand)[] = [
  migrate,
  distribute,
  createKey,
  listKeys,
  revokeKey,
  allowCertificate,
  listCertificates,
  revokeCertificate,
  listOrders,
  getOrder,
  placeOrder,
  cancelOrder,
  events,
  listEndpoints,
  listDeliveries,
  redeliver,
  testEndpoint,
  listen,
  // Its word alone runs the worker, so that it comes after those that begin with it.
  webhooks,
  replaceSecrets,
  checkDefinition,
  definitionSchema,
];

const isHelp = (arg: string) => arg === '--help' || arg === '-h';

/** `pnpm orders …`: runs one command on the configured database, also while a server uses it, or over HTTP. */
async function main(args: readonly string[]): Promise<void> {
  if (args.length === 0 || args[0] === 'help' || args.some(isHelp)) {
    const words = args.filter((arg, index) => !isHelp(arg) && !(arg === 'help' && index === 0));
    await print(words.length === 0 ? helpAboutAll(COMMANDS) : helpAbout(commandsThatBeginWith(words)));
    return;
  }
  const command = commandOf(args);
  const rest = args.slice(wordsOf(command).length);
  if ('run' in command) {
    await command.run(rest);
    return;
  }
  for (const misspelt of misspeltVariables(process.env)) console.error(misspelt);
  const { definition, faults } = await loadDefinition(process.env);
  const config = readConfig(process.env, () => faults);
  const work = command.prepare(rest, definition);
  await run(command, work, command.needs?.(rest) ?? 'schema', config, definition);
}

/** Runs a command on the database after checking what the command needs. */
async function run(
  { endsBySignal = false }: Command,
  work: ReturnType<Command['prepare']>,
  need: Need,
  config: Config,
  definition: OrderDefinition,
): Promise<void> {
  const { signal } = listenForStop();
  // Imported late, so that errors on the command line are reported at once.
  const { openStore, requireDatabase } = await import('./store.ts');
  if (need !== 'nothing') await requireDatabase(config);
  const warn = (message: string) => console.error(message);
  const prepare = (database: OrdersDatabase) => (need === 'schema' ? requireCurrentSchema(database) : database.ping());
  const store = await openStore(config, { definition, sharing: 'shared', warn, prepare, signal });
  try {
    const done = work(store, signal, config);
    await (endsBySignal ? done : Promise.race([done, rejectedBy(signal)]));
  } finally {
    await store.close();
  }
}

/**
 * Checks that the schema is that of this release.
 *
 * @throws {OperatorError} the schema is older or newer
 */
async function requireCurrentSchema(database: OrdersDatabase): Promise<void> {
  const { pending, unknown } = await database.schemaStatus();
  if (pending.length > 0) {
    throw new OperatorError([
      `the schema is older than this release (not applied: ${pending.join(', ')}): run pnpm orders migrate`,
    ]);
  }
  if (unknown.length > 0) {
    throw new OperatorError([
      `the schema is newer than this release (unknown: ${unknown.join(', ')}): use the release that created it, or a later one`,
    ]);
  }
}

/** Rejects with the reason of the signal when it is aborted. */
async function rejectedBy(signal: AbortSignal): Promise<void> {
  await once(signal, 'abort');
  signal.throwIfAborted();
}

/**
 * Returns the command at the beginning of `args`.
 *
 * @throws {OperatorError} there is no such command
 */
function commandOf(args: readonly string[]): Command | LocalCommand {
  const found = COMMANDS.find((command) => wordsOf(command).every((word, index) => args[index] === word));
  if (found) return found;
  throw new OperatorError([`unknown command: ${args.join(' ')}`, 'the commands are', usageOf(COMMANDS)]);
}

/**
 * Returns the commands that begin with `words`, such as all of `keys`, or else the command at the beginning of `words`.
 */
function commandsThatBeginWith(words: readonly string[]): readonly (Command | LocalCommand)[] {
  const found = COMMANDS.filter((command) => words.every((word, index) => wordsOf(command)[index] === word));
  return found.length > 0 ? found : [commandOf(words)];
}

// print() reports write errors. Without this listener they would end the process.
process.stdout.on('error', () => undefined);

main(process.argv.slice(2)).catch(exitWithReason);
