import { readConfig } from './config/config.ts';
import { loadDefinition } from './definition/load-definition.ts';
import { misspeltVariables } from './config/misspelt-variables.ts';
import { exitWithReason } from './operator-error.ts';
import { validateTlsFiles } from './config/tls.ts';

/** `pnpm start`: reads the environment and runs a server. */
async function main(): Promise<void> {
  for (const misspelt of misspeltVariables(process.env)) console.error(misspelt);
  const { definition, faults } = await loadDefinition(process.env);
  const config = readConfig(process.env, (given) => [...validateTlsFiles(given), ...faults]);
  // Imported late, so that errors in the environment are reported at once.
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
