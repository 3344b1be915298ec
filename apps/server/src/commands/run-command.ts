import { events } from './api/events.ts';
import { cancelOrder, getOrder, listOrders, placeOrder } from './api/orders.ts';
import { listDeliveries, listEndpoints, redeliver, testEndpoint } from './api/webhooks.ts';
import { readArguments } from './arguments.ts';
import { allowCertificate, listCertificates, revokeCertificate } from './certs.ts';
import { exportOrders } from './bulk/export.ts';
import { importOrders } from './bulk/import.ts';
import { type Command, type LocalCommand, wordsOf } from './command.ts';
import { adopt, quiet } from './copies.ts';
import { checkDefinition, planDefinition } from './definition.ts';
import { customerData, eraseCustomer, listErasures, replayErasures } from './erasures.ts';
import { helpAbout, helpAboutAll, usageOf } from './help.ts';
import { createKey, listKeys, revokeKey } from './keys.ts';
import { doctor } from './doctor.ts';
import { listen } from './listen.ts';
import { distribute, migrate } from './migrate.ts';
import { print } from './print.ts';
import { replaceSecrets } from './secrets.ts';
import { rebuildStatistics, showStatistics } from './statistics.ts';
import { webhooks } from './webhooks.ts';
import { OperatorError } from '../operator-error.ts';
import { report } from '../terminal.ts';
import { readManifest } from '../require-node.ts';

/** Checks the environment of a server without starting one. */
const checkConfig: LocalCommand = {
  usage: 'config check',
  about: 'checks all environment variables and the files that they name, without connecting to anything',
  examples: ['config check'],
  run: async () => {
    const { readEnvironment } = await import('../read-environment.ts');
    const { doubts } = await readEnvironment(process.env);
    for (const doubt of doubts) report(doubt);
    await print('The configuration is valid.\n');
  },
};

const COMMANDS: readonly (Command | LocalCommand)[] = [
  migrate,
  distribute,
  createKey,
  listKeys,
  revokeKey,
  allowCertificate,
  listCertificates,
  revokeCertificate,
  importOrders,
  exportOrders,
  listOrders,
  getOrder,
  placeOrder,
  cancelOrder,
  showStatistics,
  events,
  listEndpoints,
  listDeliveries,
  redeliver,
  testEndpoint,
  listen,
  // Its word alone runs the worker, so that it comes after those that begin with it.
  webhooks,
  replaceSecrets,
  rebuildStatistics,
  customerData,
  eraseCustomer,
  listErasures,
  replayErasures,
  quiet,
  adopt,
  doctor,
  checkConfig,
  checkDefinition,
  planDefinition,
];

const isHelp = (arg: string) => arg === '--help' || arg === '-h';

/** `pnpm orders …`: runs one command on the configured database, also while a server uses it, or over HTTP. */
export async function runCommand(args: readonly string[]): Promise<void> {
  if (args.length === 0 || args[0] === 'help' || args.some(isHelp)) {
    const words = args.filter((arg, index) => !isHelp(arg) && !(arg === 'help' && index === 0));
    await print(words.length === 0 ? helpAboutAll(COMMANDS) : helpAbout(commandsThatBeginWith(words)));
    return;
  }
  if (args.length === 1 && args[0] === '--version') {
    await print(`${readManifest().version}\n`);
    return;
  }
  const command = commandOf(args);
  const given = readArguments(command, args.slice(wordsOf(command).length));
  if ('run' in command) {
    await command.run(given);
    return;
  }
  const { runOnDatabase } = await import('./run-on-database.ts');
  await runOnDatabase(command, given);
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
