import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

/**
 * Returns what a Docker engine provides without pulling an image: `image`; `image and reaper`, when it can also remove
 * the containers of killed programs; or `nothing`, also without an engine.
 *
 * Runs a separate program, because the connection to an engine that hangs cannot be closed and would keep this process
 * alive.
 */
export async function engineOffer(image: string, env: NodeJS.ProcessEnv): Promise<string> {
  const program = join(import.meta.dirname, 'query-engine.ts');
  const { stdout } = await promisify(execFile)(process.execPath, ['--conditions=source', program, image], { env });
  return stdout;
}
