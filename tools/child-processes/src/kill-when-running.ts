import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { endingWithParent } from './ending-with-parent.ts';
import { descendantsOf, type RunningProcess } from './processes.ts';

const EVERY_MS = 20;

/**
 * Runs a program of ours and ends it by SIGKILL once `isTime` holds of the command lines of its descendants. Returns
 * the descendants that it had. Its folder for temporary files is `folder`.
 *
 * @throws {Error} the program ended before
 */
export async function killWhenRunning(
  args: readonly string[],
  folder: string,
  isTime: (commands: readonly string[]) => boolean,
): Promise<readonly RunningProcess[]> {
  const program = spawn(...endingWithParent(process.execPath, ['--conditions=source', ...args]), {
    env: { PATH: process.env['PATH'], TMPDIR: folder },
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  let said = '';
  program.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  const ended = once(program, 'exit');
  const below = () => descendantsOf(program.pid ?? 0);
  while (!isTime(below().map(({ command }) => command))) {
    if (program.exitCode !== null) throw new Error(`the program ended: ${said}`);
    await sleep(EVERY_MS);
  }
  program.kill('SIGSTOP'); // So that it starts nothing more meanwhile.
  const found = below();
  program.kill('SIGKILL');
  await ended;
  return found;
}
