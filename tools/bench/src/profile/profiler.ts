import { createServer } from 'node:http';
import { Session } from 'node:inspector/promises';
import { z } from 'zod';

/** The time between two samples, in microseconds. */
const INTERVAL_US = 100;

const Port = z.coerce.number().int();

// Imported into a server that is profiled, before its program. The query of the URL is the port at which it is started and
// stopped; the response to the stop is the profile.
const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.setSamplingInterval', { interval: INTERVAL_US });
createServer((request, response) => {
  const done = request.url === '/start' ? session.post('Profiler.start') : session.post('Profiler.stop');
  void done.then((result) => response.end(JSON.stringify(result)));
})
  .listen(Port.parse(new URL(import.meta.url).search.slice(1)), '127.0.0.1')
  .unref();
