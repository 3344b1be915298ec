import { issueKeys } from '@orders/system-under-test';
import { serve, startPostgres } from '../installation.ts';
import { startLoad } from '../load/load.ts';
import { brokenRequests, serverErrors, formatCounts } from '../load/tally.ts';
import type { Scenario } from '../stage.ts';

const SERVERS = 10;

export const tenServers: Scenario = {
  name: 'ten-servers',
  about: 'ten servers started at once on an empty database',
  run: async (stage) => {
    const postgres = await startPostgres(stage, { max_connections: '200' });
    const names = Array.from({ length: SERVERS }, (_, index) => `server-${index + 1}`);
    const servers = await Promise.all(names.map((name) => serve(stage, name, postgres.url)));
    const urls = servers.map(({ url }) => url);

    const load = await startLoad(stage, { urls, apiKeys: await issueKeys(postgres.url, ['chaos']) });
    stage.progress('at work');
    await load.carryOut(stage.operations);
    await load.settle(postgres.url);
    const { tally } = load;
    const failed = serverErrors(tally) + brokenRequests(tally);
    stage.holds(failed === 0, 'no request fails', `${formatCounts(tally.statuses)}; ${formatCounts(tally.broken)}`);
    for (const server of servers) {
      const [complaint] = /^.*"level":"(?:warn|error|fatal)".*$/m.exec(await server.log()) ?? [];
      stage.holds(complaint === undefined, 'no server complains', `${server.name}: ${complaint}`);
    }
  },
};
