import { Client } from 'pg';
import { onTestFinished } from 'vitest';

/** A session that gets in a write's way: what it holds is held until its transaction ends, or the test. */
export async function anotherSession(url: string): Promise<Client> {
  const session = new Client({ connectionString: url });
  onTestFinished(() => session.end());
  await session.connect();
  return session;
}
