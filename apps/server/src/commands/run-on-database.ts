import { once } from 'node:events';
import type { OrdersDatabase } from '@orders/persistence';
import type { Arguments, Command } from './command.ts';
import { readConfig } from '../config/config.ts';
import { recordCommand } from './audited.ts';
import { loadDefinition } from '../definition/load-definition.ts';
import { doubtfulVariables } from '../config/doubtful-variables.ts';
import { requireCurrentSchema } from '../database/prepare-schema.ts';
import { listenForStop } from '../serving/stop-signal.ts';
import { report } from '../terminal.ts';

/** Runs a command with its arguments on the configured database, after checking what the command needs. */
export async function runOnDatabase(command: Command, args: Arguments): Promise<void> {
  for (const doubt of doubtfulVariables(process.env)) report(doubt);
  const { definition, faults } = await loadDefinition(process.env);
  const config = readConfig(process.env, () => faults);
  const work = await command.prepare(args, definition);
  const { endsBySignal = false } = command;
  const need = command.needs?.(args) ?? 'schema';
  const { signal } = listenForStop();
  // Imported late, so that errors on the command line are reported at once.
  const { openStore, requireDatabase } = await import('../database/store.ts');
  if (need !== 'nothing') await requireDatabase(config);
  const prepare = (database: OrdersDatabase) => (need === 'schema' ? requireCurrentSchema(database) : database.ping());
  const store = await openStore(config, { definition, sharing: 'shared', warn: report, log: report, prepare, signal });
  try {
    const entry = typeof command.records === 'function' ? await command.records(args) : null;
    if (entry) await recordCommand(store.database, args, entry);
    const done = work(store, signal, config);
    await (endsBySignal ? done : Promise.race([done, rejectedBy(signal)]));
  } finally {
    await store.close();
  }
}

/** Rejects with the reason of the signal when it is aborted. */
async function rejectedBy(signal: AbortSignal): Promise<void> {
  await once(signal, 'abort');
  signal.throwIfAborted();
}
