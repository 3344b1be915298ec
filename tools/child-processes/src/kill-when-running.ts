import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { endingWithParent } from './ending-with-parent.ts';
import { descendantsOf, type RunningProcess } from './processes.ts';

const EVERY_MS = 20;

/**
 * Runs a program of the project and kills it when `isReady` is true for the command lines of its descendants. Returns
 * these descendants. Its temporary folder is `folder`.
 *
 * @throws {Error} the program ended before that
 */
export async function killWhenRunning(
  args: readonly string[],
  folder: string,
  isReady: (commands: readonly string[]) => boolean,
): Promise<readonly RunningProcess[]> {
  const program = spawn(...endingWithParent(process.execPath, ['--conditions=source', ...args]), {
    env: { PATH: process.env['PATH'], TMPDIR: folder },
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  let errors = '';
  program.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  const ended = once(program, 'exit');
  const below = () => descendantsOf(program.pid ?? 0);
  while (!isReady(below().map(({ command }) => command))) {
    if (program.exitCode !== null) throw new Error(`the program ended too early: ${errors}`);
    await sleep(EVERY_MS);
  }
  program.kill('SIGSTOP'); // A stopped program starts no further processes.
  const found = below();
  program.kill('SIGKILL');
  await ended;
  return found;
}
