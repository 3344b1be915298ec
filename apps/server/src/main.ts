import { requireNode } from './require-node.ts';

requireNode();

/** Maximum time for which the process continues after its work has ended, in milliseconds. */
const LINGER_MS = 1000;

const [{ startServer }, { exitWithReason }] = await Promise.all([
  import('./start-server.ts'),
  import('./operator-error.ts'),
]);
// Abandoned work does not keep the process alive: a connection that was never established, spans that were not
// exported.
await startServer(process.argv.slice(2))
  .catch(exitWithReason)
  .finally(() => setTimeout(() => process.exit(), LINGER_MS).unref());
