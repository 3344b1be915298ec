import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { makeApiKey } from '../api-key.ts';
import { becomes } from '../health.ts';
import { startLoad } from '../load/load.ts';
import { settle } from '../load/settle.ts';
import { brokenRequests, serverErrors, formatCounts } from '../load/tally.ts';
import { query, startPostgres } from '../processes/postgres.ts';
import { startServer } from '../processes/server.ts';
import type { Scenario } from '../scenario.ts';

const SERVERS = 10;

const MIGRATIONS = join(import.meta.dirname, '../../../../packages/persistence/migrations');

export const tenServers: Scenario = {
  name: 'ten-servers',
  about: 'ten servers started at once on an empty database',
  run: async (stage) => {
    const postgres = await startPostgres(stage, { max_connections: '200' });
    const names = Array.from({ length: SERVERS }, (_, index) => `server-${index + 1}`);
    const servers = await Promise.all(names.map((name) => startServer(stage, name, postgres.url)));
    const urls = servers.map(({ url }) => url);
    await Promise.all(urls.map((url) => becomes(url, 200, 10_000)));

    const files = (await readdir(MIGRATIONS)).map((file) => file.replace(/\.sql$/, '')).toSorted();
    // The functions of the release have a digest in their name.
    const expected = [...files, 'functions_'];
    const rows = await query(postgres.url, 'select name from orders.schema_migrations order by name');
    const found = rows.map(({ name }) => String(name).replace(/^(functions_)[0-9a-f]{16}$/, '$1'));
    stage.holds(found.join() === expected.join(), `each migration once: ${expected.join(', ')}`, found.join(', '));

    const apiKey = await makeApiKey(postgres.url);
    const load = await startLoad(stage, { urls, apiKeys: [apiKey] });
    stage.progress('at work');
    await load.carryOut(stage.operations);
    await settle(stage, load, postgres.url);
    const { tally } = load;
    const failed = serverErrors(tally) + brokenRequests(tally);
    stage.holds(failed === 0, 'no request fails', `${formatCounts(tally.statuses)}; ${formatCounts(tally.broken)}`);
    for (const server of servers) {
      const [complaint] = /^.*"level":(?:40|50|60).*$/m.exec(await server.log()) ?? [];
      stage.holds(complaint === undefined, 'no server complains', `${server.name}: ${complaint}`);
    }
  },
};
