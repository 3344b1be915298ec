import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { listenAnywhere } from './ports.ts';
import { aDataDir, run, startServer } from './running-server.ts';
import { metricsUrl } from './scraped-metrics.ts';

const METRICS = { METRICS_PORT: '0' };

describe('the address of the metrics', () => {
  it('answers GET /metrics as Prometheus text, and nothing else', async () => {
    const server = await startServer(METRICS);
    const url = await metricsUrl(server);
    const answer = await fetch(`${url}?name=any`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    for (const path of ['/', '/metrics/', '/v1/orders', '/livez']) {
      expect((await fetch(new URL(path, url))).status).toBe(404);
    }
    for (const method of ['POST', 'HEAD', 'OPTIONS', 'DELETE']) {
      const refused = await fetch(url, { method });
      expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET']);
    }
  });

  it('is not that of the API, and there is none unless it is asked for', async () => {
    const server = await startServer();
    expect((await server.request('/metrics')).status).toBe(404);
    expect(server.output()).not.toContain('metrics are served');
  });

  it('is gone when the server has stopped, although somebody keeps a connection', async () => {
    const server = await startServer(METRICS);
    const url = await metricsUrl(server);
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.on('error', () => undefined); // The server may reset what it closes.
    socket.write('GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(socket, 'data');
    const { code, stderr } = await server.stop();
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    await expect(fetch(url)).rejects.toThrow('fetch failed');
  });

  it('is refused by name when it cannot be had, and nothing is left running', async () => {
    const other = createServer();
    const port = await listenAnywhere(other);
    const environment = { PORT: '0', DATA_DIR: await aDataDir() };
    const taken = await run('main.ts', { ...environment, METRICS_PORT: `${port}` }).finished;
    other.close();
    expect(taken.stderr).toBe(`orders cannot go on:\n  METRICS_PORT: ${port} is in use on 127.0.0.1\n`);
    const foreign = await run('main.ts', { ...environment, ...METRICS, METRICS_HOST: '192.0.2.1' }).finished;
    expect(foreign.stderr).toContain('METRICS_HOST: 192.0.2.1 is no address of this machine');
    const wrong = await run('main.ts', { ...environment, METRICS_PORT: 'any' }).finished;
    expect(wrong.stderr).toContain('METRICS_PORT: must be a whole number from 0 to 65535');
    expect([taken.code, foreign.code, wrong.code]).toEqual([1, 1, 1]);
  });
});
