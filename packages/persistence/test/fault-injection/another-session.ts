import { Client } from 'pg';
import { onTestFinished } from 'vitest';
import { FINDS_TABLES } from '../execute.ts';

/** Opens a session that blocks a write. It holds its locks until its transaction or the test ends. */
export async function anotherSession(url: string): Promise<Client> {
  const session = new Client({ connectionString: url, ...FINDS_TABLES });
  onTestFinished(() => session.end());
  await session.connect();
  return session;
}
