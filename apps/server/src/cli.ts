import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { exitWithReason } from './operator-error.ts';

// print() reports write errors. Without this listener they would end the process.
process.stdout.on('error', () => undefined);

// To compile what a command imports takes most of its time. Where the folder cannot be written, nothing is kept.
enableCompileCache(join(import.meta.dirname, '../node_modules/.cache'));
const { runCommand } = await import('./commands/run-command.ts');
runCommand(process.argv.slice(2)).catch(exitWithReason);
