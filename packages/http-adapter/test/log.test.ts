import { errAsync } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { aDomainOver } from './a-domain.ts';
import { anApi } from './an-api.ts';

const ORDER_PATH = '/v1/orders/019b0000-0000-7000-8000-000000000001';

/** A server's logger that keeps its lines. */
function aLog() {
  const lines: string[] = [];
  return { lines, logger: { level: 'error', stream: { write: (line: string) => void lines.push(line) } } };
}

describe('the log', () => {
  it('tells what is behind an answer that the service is unavailable, which the answer does not', async () => {
    const { lines, logger } = aLog();
    const cause = new Error('connection to 10.0.0.7 lost');
    const store = aDomainOver({ find: () => errAsync({ type: 'unavailable', cause }) });
    const { acme } = await anApi({ ...store, server: { logger } });
    const answer = await acme.get(ORDER_PATH);
    expect(answer.status).toBe(503);
    expect(JSON.stringify(answer.body)).not.toContain('10.0.0.7');
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('connection to 10.0.0.7 lost');
  });

  it('says nothing of what clients do wrong', async () => {
    const { lines, logger } = aLog();
    const { acme, client } = await anApi({ server: { logger } });
    await acme.get(ORDER_PATH);
    await acme.get('/v1/orders?limit=0');
    await client('ord_wrong').get(ORDER_PATH);
    expect(lines).toEqual([]);
  });
});
