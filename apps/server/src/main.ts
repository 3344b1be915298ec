import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { startProgress } from './config/developer-output.ts';
import { exitWithReason } from './operator-error.ts';

/**
 * `pnpm start`: reads the environment and runs a server. All else is imported late and in steps: the first start on a machine
 * reads two thousand files from its disk, which takes seconds.
 */
async function main(): Promise<void> {
  // Where the folder cannot be written, nothing is kept.
  enableCompileCache(join(import.meta.dirname, '../node_modules/.cache'));
  const progress = startProgress(process.env);
  progress('Starting Orders');
  const { readConfig } = await import('./config/config.ts');
  const { misspeltVariables } = await import('./config/misspelt-variables.ts');
  const { validateTlsFiles } = await import('./config/tls.ts');
  const { loadDefinition } = await import('./definition/load-definition.ts');
  for (const misspelt of misspeltVariables(process.env)) console.error(misspelt);
  const { definition, faults } = await loadDefinition(process.env);
  const config = readConfig(process.env, (given) => [...validateTlsFiles(given), ...faults]);
  progress('Loading the HTTP API');
  await import('@orders/http-adapter');
  progress('Loading the access to PostgreSQL');
  const { serve } = await import('./serving/serve.ts');
  await serve(config, definition);
}

/** Maximum time for which the process continues after its work has ended, in milliseconds. */
const LINGER_MS = 1000;

// Abandoned work does not keep the process alive: a connection that was never established, spans that were not
// exported.
main()
  .catch(exitWithReason)
  .finally(() => setTimeout(() => process.exit(), LINGER_MS).unref());
