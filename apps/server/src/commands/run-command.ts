import { events } from './api/events.ts';
import { cancelOrder, getOrder, listOrders, placeOrder } from './api/orders.ts';
import { listDeliveries, listEndpoints, redeliver, testEndpoint } from './api/webhooks.ts';
import { allowCertificate, listCertificates, renameCertificate, revokeCertificate } from './certs.ts';
import { exportOrders } from './bulk/export.ts';
import { importOrders } from './bulk/import.ts';
import type { Command, LocalCommand } from './command.ts';
import { commentOrder } from './comments.ts';
import { correctOrder } from './corrections.ts';
import { runCommandLine } from './command-line.ts';
import { completion } from './completion.ts';
import { adopt, quiet } from './copies.ts';
import { checkDefinition, planDefinition, rebuildLookups } from './definition.ts';
import { customerData, eraseCustomer, erasePerson, listErasures, personData, replayErasures } from './erasures.ts';
import { createKey, listKeys, renameKey, revokeKey } from './keys.ts';
import { findOrders } from './find.ts';
import { showHistory } from './history.ts';
import { doctor } from './doctor.ts';
import {
  createOperator,
  endSession,
  linkOperator,
  listAudit,
  listOperators,
  listSessions,
  renameOperator,
  revokeOperator,
} from './operators.ts';
import { limitOwner, listOwners, resumeOwner, suspendOwner } from './owners.ts';
import { cancelJob, listAllDeliveries, listJobs, startJob } from './jobs.ts';
import { listen } from './listen.ts';
import { distribute, migrate } from './migrate.ts';
import { print } from './print.ts';
import { redeliverAll } from './redeliver.ts';
import { replaceSecrets } from './secrets.ts';
import { rebuildStatistics, showStatistics } from './statistics.ts';
import { webhooks } from './webhooks.ts';
import { report } from '../terminal.ts';

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

/** All commands, in the order of the help. */
export const COMMANDS: readonly (Command | LocalCommand)[] = [
  migrate,
  distribute,
  createKey,
  listKeys,
  renameKey,
  revokeKey,
  allowCertificate,
  listCertificates,
  renameCertificate,
  revokeCertificate,
  createOperator,
  linkOperator,
  listOperators,
  renameOperator,
  listSessions,
  endSession,
  revokeOperator,
  listAudit,
  suspendOwner,
  resumeOwner,
  limitOwner,
  listOwners,
  findOrders,
  showHistory,
  listAllDeliveries,
  redeliverAll,
  listJobs,
  startJob,
  cancelJob,
  importOrders,
  exportOrders,
  listOrders,
  getOrder,
  placeOrder,
  cancelOrder,
  correctOrder,
  commentOrder,
  showStatistics,
  events,
  listEndpoints,
  listDeliveries,
  redeliver,
  testEndpoint,
  listen,
  webhooks,
  replaceSecrets,
  rebuildStatistics,
  rebuildLookups,
  customerData,
  personData,
  eraseCustomer,
  erasePerson,
  listErasures,
  replayErasures,
  quiet,
  adopt,
  doctor,
  checkConfig,
  checkDefinition,
  planDefinition,
  completion,
];

/** `pnpm orders …`: runs one command on the configured database, also while a server uses it, or over HTTP. */
export async function runCommand(args: readonly string[]): Promise<void> {
  await runCommandLine(COMMANDS, args, async (command, given) => {
    if ('run' in command) return command.run(given);
    const { runOnDatabase } = await import('./run-on-database.ts');
    return runOnDatabase(command, given);
  });
}
