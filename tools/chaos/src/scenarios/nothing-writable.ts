import { join } from 'node:path';
import { startLoad } from '../load/load.ts';
import { checkOutage } from '../load/check-outage.ts';
import { settle } from '../load/settle.ts';
import { installOn } from '../processes/installation.ts';
import { endConnections, query, startPostgres } from '../processes/postgres.ts';
import { smallDisk } from '../processes/small-disk.ts';
import type { Scenario } from '../scenario.ts';
import { waitFor } from '../wait.ts';

const STATEMENT_TIMEOUT_MS = 2000;
const RESPONSE_MS = 15_000;

/** Enough for the cluster and what clients make. */
const DISK_MIB = 400;

const CLIENTS = 8;

/** How many requests have to be refused under each fault, that is, to have met it. */
const REFUSED = 30;

export const nothingWritable: Scenario = {
  name: 'nothing-writable',
  about: 'the disk of PostgreSQL full, and its database read-only',
  run: async (stage) => {
    const disk = await smallDisk(stage, DISK_MIB);
    // Little room for what was written ahead, so that the disk is soon full of it.
    const settings = { min_wal_size: '32MB', max_wal_size: '64MB' };
    const postgres = await startPostgres(stage, settings, disk && join(disk.folder, 'data'));
    const env = { STATEMENT_TIMEOUT_MS: `${STATEMENT_TIMEOUT_MS}` };
    const { apiKey, urls } = await installOn(stage, postgres, env);
    let writes = 0;
    const load = await startLoad(stage, {
      urls,
      apiKeys: [apiKey],
      clients: CLIENTS,
      observe: (attempt) => {
        checkOutage(stage, attempt, RESPONSE_MS);
        if (!('status' in attempt.exchanged)) return;
        if (attempt.exchanged.status === 503 && attempt.request.method !== 'GET') writes += 1;
      },
    });
    const share = Math.floor(stage.operations / 4);
    const refusals = async (what: string, keepUp: () => Promise<void> | void) => {
      await keepUp();
      writes = 0;
      await waitFor(`refusals of ${what}`, 60_000, async () => {
        await keepUp();
        // What fits where there was room before is done; in the end every client is at something that does not.
        if (load.left() < CLIENTS) load.allow(CLIENTS);
        return writes >= REFUSED || load.failure() !== undefined ? true : undefined;
      });
      stage.figure(`refused by ${what}`, writes);
    };

    await load.amidst(share);
    if (disk) {
      stage.progress('the disk is full');
      await refusals('a full disk', () => disk.fill());
      await disk.free();
      // Without room for what it writes ahead PostgreSQL ends, and an operator starts it when there is some.
      if (!postgres.isRunning()) {
        stage.figure('PostgreSQL', 'ended itself');
        await postgres.start();
      }
    } else {
      stage.figure('a full disk', 'not tried: no disk may be mounted here');
    }
    await load.carryOut(0);

    stage.progress('the database is read-only');
    await query(postgres.url, 'alter database orders set default_transaction_read_only = on');
    await endConnections(postgres.url);
    await refusals('a read-only database', () => undefined);
    for (const url of urls) await isRead(url, apiKey);
    await query(postgres.url, 'begin read write; alter database orders reset default_transaction_read_only; commit');
    await endConnections(postgres.url);
    await settle(stage, load, postgres.url);
  },
};

/** Waits until a list succeeds. Before that, at most the lost connections of the pool fail. */
async function isRead(url: string, apiKey: string): Promise<void> {
  await waitFor(`a list of ${url}`, 5000, async () => {
    const response = await fetch(`${url}/v1/orders`, { headers: { 'x-api-key': apiKey } });
    await response.arrayBuffer();
    return response.status === 200 ? true : undefined;
  });
}
