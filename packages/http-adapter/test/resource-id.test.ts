import { ResourceId } from '@orders/domain';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { anApi } from './an-api.ts';
import { textAt } from './json.ts';

afterEach(() => vi.restoreAllMocks());

/** An API that logs, so that its log reads the id too. */
async function aLoggedApi() {
  const texts: string[] = [];
  const logger = { level: 'info', stream: { write: (line: string) => void texts.push(line) } };
  const { acme } = await anApi({ server: { logger } });
  const { id, url } = await acme.place();
  texts.length = 0;
  return { acme, id, url, logged: () => texts.map((text) => textAt(JSON.parse(text), 'id')) };
}

describe('the id in a path', () => {
  it.each(['', '/cancel', '/items', '/versions', '/versions/1'])(
    'is validated once, from the request to its log: %s',
    async (path) => {
      const { acme, id, url, logged } = await aLoggedApi();
      const parse = vi.spyOn(ResourceId, 'parse');
      const { status } = await (path === '/cancel' ? acme.post(`${url}${path}`, {}) : acme.get(`${url}${path}`));
      expect(status).toBe(200);
      expect(logged()).toEqual([id]);
      expect(parse.mock.calls).toEqual([[id]]);
    },
  );

  it('is logged as it is stored, whatever its case in the path', async () => {
    const { acme, id, url, logged } = await aLoggedApi();
    expect((await acme.get(url.replace(id, id.toUpperCase()))).status).toBe(200);
    expect(logged()).toEqual([id]);
  });
});
