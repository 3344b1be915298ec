import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { connectTo } from '../programs/connections.ts';
import { startServer } from '../programs/running-server.ts';
import { metricsUrl } from './scraped-metrics.ts';

const METRICS = { METRICS_PORT: '0' };

describe('the metrics endpoint', () => {
  it('responds to GET /metrics with Prometheus text, and to nothing else', async () => {
    const url = await metricsUrl(await startServer(METRICS));
    const response = await fetch(`${url}?name=any`);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    for (const path of ['/', '/metrics/', '/v1/orders']) expect((await fetch(new URL(path, url))).status).toBe(404);
    for (const method of ['POST', 'HEAD']) {
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
    const socket = connectTo({ url });
    socket.write('GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(socket, 'data');
    expect(await server.stop()).toMatchObject({ code: 0, stderr: '' });
    await expect(fetch(url)).rejects.toThrow('fetch failed');
  });
});
