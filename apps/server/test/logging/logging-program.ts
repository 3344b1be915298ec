import { setImmediate as turn } from 'node:timers/promises';
import { createLog } from '../../src/logging/log.ts';

/**
 * Logs five lines, each in a turn of the event loop of its own, and exits. If its argument is `stay`, it stays; if it is
 * `block`, the last line is a warning, no timer runs after it, and it ends without an exit.
 */
const log = await createLog({ LOG_LEVEL: 'info', NODE_ENV: 'production' });
for (let line = 1; line <= 5; line += 1) {
  if (line === 5 && process.argv[2] === 'block') break;
  log.info({ line }, 'a line');
  await turn();
}
if (process.argv[2] === 'block') {
  log.warn({ line: 5 }, 'a warning');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20_000);
  process.kill(process.pid, 'SIGKILL');
}
if (process.argv[2] === 'stay') await new Promise((resolve) => setTimeout(resolve, 60_000));
process.exit();
