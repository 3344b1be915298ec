import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { listenAnywhere } from '../programs/ports.ts';
import { aDataDir, run, startServer } from '../programs/running-server.ts';
import { metricsUrl } from './scraped-metrics.ts';

const METRICS = { METRICS_PORT: '0' };

describe('the metrics endpoint', () => {
  it('responds to GET /metrics with Prometheus text, and to nothing else', async () => {
    const server = await startServer(METRICS);
    const url = await metricsUrl(server);
    const response = await fetch(`${url}?name=any`);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    for (const path of ['/', '/metrics/', '/v1/orders', '/livez']) {
      expect((await fetch(new URL(path, url))).status).toBe(404);
    }
    for (const method of ['POST', 'HEAD', 'OPTIONS', 'DELETE']) {
      const refused = await fetch(url, { method });
      expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET']);
    }
  });

  it('is separate from the API, and exists only when configured', async () => {
    const server = await startServer();
    expect((await server.request('/metrics')).status).toBe(404);
    expect(server.output()).not.toContain('metrics are served');
  });

  it('closes when the server stops, although a client keeps a connection', async () => {
    const server = await startServer(METRICS);
    const url = await metricsUrl(server);
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.on('error', () => undefined); // The server may reset a connection that it closes.
    socket.write('GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(socket, 'data');
    const { code, stderr } = await server.stop();
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    await expect(fetch(url)).rejects.toThrow('fetch failed');
  });

  it('is reported by variable when it cannot listen, and nothing is left running', async () => {
    const other = createServer();
    const port = await listenAnywhere(other);
    const environment = { PORT: '0', DATA_DIR: await aDataDir() };
    const taken = await run('main.ts', { ...environment, METRICS_PORT: `${port}` }).finished;
    other.close();
    expect(taken.stderr).toBe(
      `orders cannot continue:\n  METRICS_PORT: port ${port} on 127.0.0.1 is in use; stop the other program or choose another port\n`,
    );
    const foreign = await run('main.ts', { ...environment, ...METRICS, METRICS_HOST: '192.0.2.1' }).finished;
    expect(foreign.stderr).toContain('METRICS_HOST: 192.0.2.1 is not an address of this machine');
    const wrong = await run('main.ts', { ...environment, METRICS_PORT: 'any' }).finished;
    expect(wrong.stderr).toContain('METRICS_PORT: must be an integer from 0 to 65535');
    expect([taken.code, foreign.code, wrong.code]).toEqual([1, 1, 1]);
  });
});
