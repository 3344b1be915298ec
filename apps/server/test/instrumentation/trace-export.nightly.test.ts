import { describe, expect, it } from 'vitest';
import { aDataDir, requestLines, run, startServer } from '../programs/running-server.ts';
import { aSpanCollector, PARENT, TRACE, TRACEPARENT } from './span-collector.ts';

describe('traces', () => {
  it('are sent as protobuf by default, with the last ones when the server stops', async () => {
    const collector = await aSpanCollector();
    const server = await startServer({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/here` });
    await server.request('/v1/orders', { headers: TRACEPARENT });
    expect((await server.stop()).code).toBe(0);
    expect(collector.requests.map(({ url, headers }) => [url, headers['content-type']])).toEqual([
      ['/here', 'application/x-protobuf'],
    ]);
    expect(collector.requests[0]?.body.includes(Buffer.from(TRACE, 'hex'))).toBe(true);
    expect(collector.requests[0]?.body.includes('listOrders')).toBe(true);
  });

  for (const [name, sampled] of [
    ['parentbased_always_on', ['with', 'without']],
    ['parentbased_always_off', ['with']],
    ['always_on', ['with', 'not', 'without']],
    ['always_off', []],
  ] as const) {
    it(`include the requests that ${name} selects`, async () => {
      const collector = await aSpanCollector();
      const server = await startServer({ ...collector.environment, OTEL_TRACES_SAMPLER: name });
      const send = async (headers = {}) => await server.request('/livez', { headers });
      await send({ traceparent: `00-${'1'.repeat(32)}-${PARENT}-01` });
      await send({ traceparent: `00-${'2'.repeat(32)}-${PARENT}-00` });
      await send();
      await server.stop();
      const kinds = { ['1'.repeat(32)]: 'with', ['2'.repeat(32)]: 'not' };
      const seen = collector.spans().map(({ traceId }) => kinds[traceId] ?? 'without');
      expect(seen.toSorted()).toEqual([...sampled].toSorted());
      // Lines still have distinct trace ids.
      for (const line of requestLines(server)) expect(line).toHaveProperty('trace_id', expect.any(String));
    });
  }

  for (const [name, ratio, expected] of [
    ['traceidratio', '0', 0],
    ['parentbased_traceidratio', '0', 0],
    ['traceidratio', '1', 1],
    ['parentbased_traceidratio', '1', 1],
  ] as const) {
    it(`include a share of ${ratio} of the requests with ${name}`, async () => {
      const collector = await aSpanCollector();
      const sampler = { OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: ratio };
      const server = await startServer({ ...collector.environment, ...sampler });
      await server.request('/livez');
      await server.stop();
      expect(collector.spans()).toHaveLength(expected);
    });
  }

  it('are off by default, and can be turned off', async () => {
    const collector = await aSpanCollector();
    for (const environment of [
      {},
      { OTEL_SERVICE_NAME: 'orders' },
      { ...collector.environment, OTEL_SDK_DISABLED: 'TRUE' },
      { ...collector.environment, OTEL_TRACES_EXPORTER: 'none' },
    ]) {
      const server = await startServer(environment);
      await server.request('/v1/orders', { headers: TRACEPARENT });
      await server.stop();
      expect(requestLines(server)).not.toHaveLength(0);
      for (const line of requestLines(server)) expect(line).not.toHaveProperty('trace_id');
    }
    expect(collector.requests).toEqual([]);
  });

  it('are rejected by variable when their configuration is invalid', async () => {
    const { code, stderr } = await run('main.ts', {
      DATA_DIR: await aDataDir(),
      OTEL_TRACES_EXPORTER: 'zipkin',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4317',
      OTEL_TRACES_SAMPLER: 'sometimes',
      OTEL_TRACES_SAMPLER_ARG: '2',
    }).finished;
    expect(code).toBe(1);
    expect(stderr.trim().split('\n').slice(1)).toEqual([
      '  OTEL_TRACES_EXPORTER: must be otlp or none',
      '  OTEL_EXPORTER_OTLP_ENDPOINT: must be an http or https URL',
      '  OTEL_EXPORTER_OTLP_PROTOCOL: must be http/protobuf or http/json',
      expect.stringContaining('  OTEL_TRACES_SAMPLER: must be one of always_on, always_off, traceidratio'),
      '  OTEL_TRACES_SAMPLER_ARG: must be a number from 0 to 1',
    ]);
  });
});

describe('a collector', () => {
  it('does not affect requests or the stop of the server when it is missing, which is logged once', async () => {
    // Retries are short, so that the log reports the outage soon.
    const environment = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1', OTEL_EXPORTER_OTLP_TIMEOUT: '100' };
    const server = await startServer({ ...environment, OTEL_BSP_SCHEDULE_DELAY: '20' });
    for (let n = 0; n < 3; n += 1) {
      expect((await server.request('/v1/orders')).status).toBe(200);
      await server.says(/spans cannot be exported.*\n/);
    }
    const { code, stderr, stdout } = await server.stop();
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.match(/spans cannot be exported/g)).toHaveLength(1);
  });

  it('does not delay the stop of the server when it never responds', async () => {
    const collector = await aSpanCollector({ silent: true });
    const server = await startServer({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      // A stop that waits for the collector lasts longer than the test.
      OTEL_EXPORTER_OTLP_TIMEOUT: `${24 * 60 * 60 * 1000}`,
    });
    expect((await server.request('/v1/orders')).status).toBe(200);
    const { code, stderr } = await server.stop();
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(collector.requests).toHaveLength(1);
  });
});
