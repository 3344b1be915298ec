import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { startProgress } from './config/developer-output.ts';
import { OperatorError } from './operator-error.ts';

const HELP = `Runs an Orders server until SIGTERM or Ctrl-C.

Usage:
  pnpm start [--help | --version | config check]

Settings are environment variables, such as PORT and DATABASE_URL; "config check" checks them without starting.
"pnpm orders help" lists the commands that administer its database.
`;

/**
 * `pnpm start`: reads the environment and runs a server. All else is imported late and in steps: the first start on a machine
 * reads two thousand files from its disk, which takes seconds.
 *
 * @throws {OperatorError} there are arguments, which a server would ignore; the environment is invalid; the server cannot start
 */
export async function startServer(args: readonly string[]): Promise<void> {
  // Where the folder cannot be written, nothing is kept.
  enableCompileCache(join(import.meta.dirname, '../node_modules/.cache'));
  if (args.length > 0) {
    await runArguments(args);
    return;
  }
  const progress = startProgress(process.env);
  progress('Starting Orders');
  const { readEnvironment } = await import('./read-environment.ts');
  const environment = await readEnvironment(process.env);
  progress('Loading the HTTP API');
  await import('@orders/http-adapter');
  progress('Loading the access to PostgreSQL');
  const { serve } = await import('./serving/serve.ts');
  await serve(environment);
}

async function runArguments(args: readonly string[]): Promise<void> {
  const given = args.join(' ');
  if (given === '--help' || given === '-h') {
    const { print } = await import('./commands/print.ts');
    await print(HELP);
  } else if (given === '--version' || given === 'config check') {
    const { runCommand } = await import('./commands/run-command.ts');
    await runCommand(args);
  } else {
    throw new OperatorError([`unexpected argument: ${given}; settings are environment variables, such as PORT=8080`]);
  }
}
