import { describe, expect, it } from 'vitest';
import { readableLog } from '../../src/logging/readable-log.ts';

const LINE = { level: 'info', time: 0, pid: 1, hostname: 'here', msg: 'request', request_id: 'r-1', owner: 'demo' };
const ORDER = '019b0000-0000-7000-8000-000000000001';

/** Returns the text of a line, without its time of day. */
function textOf(line: object, colorize = false): string {
  return readableLog({ colorize })(JSON.stringify({ ...LINE, ...line })).replace(/^\[\d\d:\d\d:\d\d\] /, '');
}

describe('the readable log', () => {
  it('shows the placement of an order in one line, with the id of the order', () => {
    const placing = { method: 'POST', route: '/v1/orders', id: ORDER, status: 201, duration_ms: 12.3 };
    expect(textOf(placing)).toBe(`INFO: POST /v1/orders 201 12.3 ms id=${ORDER}\n`);
  });

  it('shows the request id of a failed request', () => {
    const failed = { method: 'GET', route: null, status: 404, duration_ms: 0.5 };
    expect(textOf(failed)).toBe('INFO: GET (unknown path) 404 0.5 ms request_id=r-1\n');
  });

  it('shows a request whose client disconnected', () => {
    const aborted = { msg: 'request aborted', method: 'GET', route: '/v1/orders', status: null, duration_ms: 1 };
    expect(textOf(aborted)).toBe('INFO: GET /v1/orders aborted 1 ms request_id=r-1\n');
  });

  it('shows the members of any other line, the stack of an error, and the message of one that goes on by itself', () => {
    expect(textOf({ msg: 'stopping', reason: 'SIGTERM' })).toMatch(/^INFO: stopping .*"reason":"SIGTERM".*\n$/);
    const err = { type: 'Error', message: 'lost', stack: 'Error: lost\n    at here' };
    expect(textOf({ level: 'error', msg: 'the request failed', err })).toContain('    at here');
    const warning = textOf({ level: 'warn', msg: 'not counted', err });
    expect(warning).toBe('WARN: not counted: lost {"request_id":"r-1","owner":"demo"}\n');
    const failed = textOf({ level: 'error', msg: 'unavailable', err });
    expect(failed).toBe('ERROR: unavailable: lost {"request_id":"r-1","owner":"demo"}\n');
  });

  it.each([
    [201, 32],
    [404, 33],
    [503, 31],
  ])('colours status %i with code %i when colours are on', (status, code) => {
    const line = { method: 'GET', route: '/v1/orders', status, duration_ms: 1 };
    expect(textOf(line, true)).toContain(`\u001B[${code}m${status}\u001B[`);
    expect(textOf(line)).not.toContain('\u001B');
  });
});
