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
    await writeFile(`${path}.new`, `${JSON.stringify({ url, pid: process.pid })}\n`);
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
    const [url, pid] = ['url', 'pid'].map((name) => new Map<string, unknown>(Object.entries(written ?? {})).get(name));
    if (typeof url !== 'string' || typeof pid !== 'number') return undefined;
    const { isAlive } = await import('@orders/persistence/embedded');
    return isAlive(pid) ? url : undefined;
  } catch {
    return undefined;
  }
}
