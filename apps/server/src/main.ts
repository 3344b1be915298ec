import { readConfig } from './config.ts';
import { misspeltVariables } from './misspelt-variables.ts';
import { exitWithReason } from './operator-error.ts';
import { judgeTlsFiles } from './tls.ts';

/** `pnpm start`: reads the environment, then serves. */
async function main(): Promise<void> {
  for (const misspelt of misspeltVariables(process.env)) console.error(misspelt);
  const config = readConfig(process.env, judgeTlsFiles);
  // Loaded only now, so that mistakes in the environment are told at once.
  const { serve } = await import('./serve.ts');
  await serve(config);
}

/** For how long the process may go on when its work is over, in milliseconds. */
const LINGER_MS = 1000;

// What nobody waits for any more does not keep the process: a connection that never came about, spans not delivered.
main()
  .catch(exitWithReason)
  .finally(() => setTimeout(() => process.exit(), LINGER_MS).unref());
