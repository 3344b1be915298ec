import { rm } from 'node:fs/promises';

/**
 * Removes a folder that programs which are ending may still write to: the PostgreSQL of a server that was killed shuts
 * down after it. Tries again for up to 30 s.
 */
export async function removeFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true, maxRetries: 24, retryDelay: 100 });
}
