import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ComposedServer, composeServer } from './composed-server.ts';

let server: ComposedServer;

beforeAll(async () => {
  server = await composeServer({ HOST: '127.0.0.1', PORT: '0' });
});

afterAll(async () => {
  await server.close();
});

/** Returns the `type` of the problem of an unknown path. */
async function typeOfProblem(): Promise<string> {
  return (await server.app.inject('/unknown')).json<{ type: string }>().type;
}

it('the type of a problem has the configured port until the server listens, and then the port it listens on', async () => {
  expect(await typeOfProblem()).toBe('http://127.0.0.1:0/problems/not-found');
  const address = await server.app.listen({ host: '127.0.0.1', port: 0 });
  expect(await typeOfProblem()).toBe(`${address}/problems/not-found`);
  expect(await typeOfProblem()).toBe(`${address}/problems/not-found`);
});
