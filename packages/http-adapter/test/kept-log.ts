import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';

/** Log options of the servers in tests. A global teardown checks the log. */
export const KEPT_LOG = {
  level: 'trace',
  stream: {
    write: (line: string) => appendFileSync(join(inject('logFolder'), `${process.pid}.ndjson`), line),
  },
};
