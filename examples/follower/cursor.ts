import { open, readFile, rename } from 'node:fs/promises';

/** Returns the saved cursor, or `undefined` before the first. */
export async function loadCursor(path: string): Promise<string | undefined> {
  return await readFile(path, 'utf8').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  });
}

/** Saves a cursor: a crash leaves the one before or this one, never a part. */
export async function saveCursor(path: string, cursor: string): Promise<void> {
  const next = `${path}.next`;
  const file = await open(next, 'w');
  try {
    await file.writeFile(cursor);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(next, path);
}
