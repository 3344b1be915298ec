import { ERROR_CATALOG } from '@orders/http-adapter';
import { expect, it } from 'vitest';
import { anApi, BASE_URL } from '../fixtures/an-api.ts';
import { textAt } from '../fixtures/json.ts';
import { sendBytes } from '../fixtures/raw-http.ts';
import type { HostileRequest } from '../fixtures/request-head.ts';
import { HOSTILE_BODIES, HOSTILE_FRAMES } from './hostile-bodies.ts';
import { HOSTILE_HEADERS, HOSTILE_LINES } from './hostile-heads.ts';

/** Invalid requests by their fault. */
const HOSTILE_REQUESTS: readonly (readonly [string, readonly HostileRequest[]])[] = [
  ['a request line', HOSTILE_LINES],
  ['headers', HOSTILE_HEADERS],
  ['a frame', HOSTILE_FRAMES],
  ['a body', HOSTILE_BODIES],
];

/** Names of internals, and patterns of stack traces and file paths. */
const INTERNALS =
  /fastify|FST_|HPE_|ERR_|node:|node_modules|\.[jt]s\b|\bat [^"]+:\d+:\d+|find-my-way|llhttp|stack|passwd/i;

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){4}[0-9a-f]{8}$/;

it.each(HOSTILE_REQUESTS)(
  'an invalid request with %s has a problem as response, and no effect',
  async (_, requests) => {
    const api = await anApi();
    const key = api.keys.issue();
    for (const [name, status, code, bytes] of requests) {
      const response = await sendBytes(api, bytes(key));
      expect({ name, ...response }).toMatchObject({
        name,
        status,
        headers: {
          connection: 'close',
          'content-type': 'application/problem+json',
          'content-length': `${Buffer.byteLength(response.text, 'latin1')}`,
          'x-request-id': textAt(response.body, 'request_id'),
        },
        body: { type: `${BASE_URL}/problems/${code.replaceAll('_', '-')}`, code, status },
      });
      expect(new Map(Object.entries(ERROR_CATALOG)).get(code)?.status).toBe(status);
      expect(textAt(response.body, 'request_id')).toMatch(UUID);
      expect(Date.parse(response.headers['date'] ?? '')).not.toBeNaN();
      expect(response.headers).not.toHaveProperty('x-evil');
      expect(JSON.stringify(response)).not.toMatch(INTERNALS);
    }
    expect((await api.acme.get('/v1/orders')).body).toMatchObject({ data: [] });
  },
);
