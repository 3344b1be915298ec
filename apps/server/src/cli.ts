import { requireNode } from './require-node.ts';

requireNode();

const [{ enableCompileCache }, { join }, { exitWithReason }] = await Promise.all([
  import('node:module'),
  import('node:path'),
  import('./operator-error.ts'),
]);

// print() reports write errors. Without this listener they would end the process.
process.stdout.on('error', () => undefined);

// To compile what a command imports takes most of its time. Where the folder cannot be written, nothing is kept.
enableCompileCache(join(import.meta.dirname, '../node_modules/.cache'));
const { runCommand } = await import('./commands/run-command.ts');
await runCommand(process.argv.slice(2)).catch(exitWithReason);
