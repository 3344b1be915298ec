import { rm } from 'node:fs/promises';

/**
 * Removes a folder to which ending programs may still write, such as the PostgreSQL of a killed server. Retries for up
 * to 30 s.
 */
export async function removeFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true, maxRetries: 24, retryDelay: 100 });
}
