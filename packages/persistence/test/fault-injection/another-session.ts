import { Client } from 'pg';
import { afterEach } from 'vitest';

const sessions: Client[] = [];

afterEach(async () => {
  for (const session of sessions.splice(0)) await session.end();
});

/** A session that gets in a write's way: what it holds is held until its transaction ends, or the test. */
export async function anotherSession(url: string): Promise<Client> {
  const session = new Client({ connectionString: url });
  sessions.push(session);
  await session.connect();
  return session;
}
