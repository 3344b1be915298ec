import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The file in `DATA_DIR`, beside the demo key, that says where its server listens. */
const FILE = 'server.json';

/** Writes where this process listens. Returns the function that removes it. A folder that cannot be written is no error. */
export async function announceServer(dataDir: string, address: string): Promise<() => Promise<void>> {
  const path = join(dataDir, FILE);
  // A client cannot connect to "every address".
  const url = address.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:');
  try {
    await writeFile(
      `${path}.new`,
      `${JSON.stringify({ url, pid: process.pid, started: await startOf(process.pid) })}\n`,
    );
    await rename(`${path}.new`, path);
  } catch {
    return () => Promise.resolve();
  }
  return () => rm(path, { force: true });
}

/**
 * Returns the URL of the server that runs on `dataDir`; `undefined` if none does. What a crashed one left behind is ignored,
 * because another program may listen there now, and would get the demo key.
 */
export async function findServer(dataDir: string): Promise<string | undefined> {
  try {
    const written: unknown = JSON.parse(await readFile(join(dataDir, FILE), 'utf8'));
    const { url, pid, started } = Object.fromEntries<unknown>(Object.entries(written ?? {}));
    if (typeof url !== 'string' || typeof pid !== 'number') return undefined;
    const { isAlive } = await import('@orders/persistence/embedded');
    return isAlive(pid) && (await startOf(pid)) === started ? url : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Returns when a process was started, in ticks since the start of the machine, so that another process with the same id is
 * not taken for it. `undefined` on other systems than Linux, which have no such file.
 */
async function startOf(pid: number): Promise<string | undefined> {
  const fields = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // Its second field is the name of the program, which may have spaces and brackets.
  return fields.slice(fields.lastIndexOf(')')).split(' ')[20];
}
