import { readConfig } from './config.ts';
import { exitWithReason } from './exit.ts';
import { judgeTlsFiles } from './tls.ts';

/** `pnpm start`: reads the environment, then serves. */
async function main(): Promise<void> {
  const config = readConfig(process.env, judgeTlsFiles);
  // Loaded only now, so that mistakes in the environment are told at once.
  const { serve } = await import('./serve.ts');
  await serve(config);
}

main().catch(exitWithReason);
