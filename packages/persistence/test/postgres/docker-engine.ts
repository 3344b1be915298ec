import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

/**
 * What a Docker engine offers without pulling anything: `image`, `image and reaper`, when it can also remove the
 * containers of programs that were killed, or `nothing`, as when there is none.
 *
 * Asked by a program of its own: the connection to an engine that hangs cannot be ended, and would keep ours.
 */
export async function engineOffer(image: string, env: NodeJS.ProcessEnv): Promise<string> {
  const program = join(import.meta.dirname, 'ask-engine.ts');
  const { stdout } = await promisify(execFile)(process.execPath, ['--conditions=source', program, image], { env });
  return stdout;
}
