import { setImmediate as turn } from 'node:timers/promises';
import { createLog } from '../src/log.ts';

/** Logs five lines, each in a turn of the event loop of its own, and exits or, if its argument says so, stays. */
const log = createLog({ LOG_LEVEL: 'info', NODE_ENV: 'production' });
for (let line = 1; line <= 5; line += 1) {
  log.info({ line }, 'a line');
  await turn();
}
if (process.argv[2] === 'stay') await new Promise((resolve) => setTimeout(resolve, 60_000));
process.exit();
