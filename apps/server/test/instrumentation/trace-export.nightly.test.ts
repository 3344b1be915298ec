import { describe, expect, it } from 'vitest';
import { requestLines, startServer } from '../programs/running-server.ts';
import { aSpanCollector, PARENT, TRACE, TRACEPARENT } from './span-collector.ts';

describe('traces', () => {
  it('are sent as protobuf by default, with the last ones when the server stops', async () => {
    const collector = await aSpanCollector();
    const server = await startServer({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/here` });
    await server.request('/v1/orders', { headers: TRACEPARENT });
    expect((await server.stop()).code).toBe(0);
    const [{ url, headers, body } = { url: '', headers: {}, body: Buffer.of() }, ...others] = collector.requests;
    expect([url, headers['content-type'], others]).toEqual(['/here', 'application/x-protobuf', []]);
    expect(body.includes(Buffer.from(TRACE, 'hex'))).toBe(true);
    expect(body.includes('listOrders')).toBe(true);
  });

  it.each<[string, string, readonly string[]]>([
    ['parentbased_always_on', '', ['with', 'without']],
    ['parentbased_always_off', '', ['with']],
    ['always_on', '', ['not', 'with', 'without']],
    ['always_off', '', []],
    ['traceidratio', '0', []],
    ['parentbased_traceidratio', '0', ['with']],
    ['parentbased_traceidratio', '1', ['with', 'without']],
  ])('include the requests that %s (%s) selects', async (name, ratio, sampled) => {
    const collector = await aSpanCollector();
    const sampler = { OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: ratio };
    const server = await startServer({ ...collector.environment, ...sampler });
    const send = async (headers = {}) => await server.request('/livez', { headers });
    await send({ traceparent: `00-${'1'.repeat(32)}-${PARENT}-01` });
    await send({ traceparent: `00-${'2'.repeat(32)}-${PARENT}-00` });
    await send();
    await server.stop();
    const kinds = { ['1'.repeat(32)]: 'with', ['2'.repeat(32)]: 'not' };
    expect(
      collector
        .spans()
        .map(({ traceId }) => kinds[traceId] ?? 'without')
        .toSorted(),
    ).toEqual(sampled);
    // Lines still have distinct trace ids.
    for (const line of requestLines(server)) expect(line).toHaveProperty('trace_id', expect.any(String));
  });

  it.each([{}, { OTEL_SDK_DISABLED: 'TRUE' }, { OTEL_TRACES_EXPORTER: 'none' }])(
    'are off by default, and can be turned off: %j',
    async (off) => {
      const collector = await aSpanCollector();
      const server = await startServer(Object.keys(off).length === 0 ? {} : { ...collector.environment, ...off });
      await server.request('/v1/orders', { headers: TRACEPARENT });
      await server.stop();
      expect(requestLines(server)).not.toHaveLength(0);
      for (const line of requestLines(server)) expect(line).not.toHaveProperty('trace_id');
      expect(collector.requests).toEqual([]);
    },
  );
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
    expect(await server.stop()).toMatchObject({ code: 0, stderr: '' });
    expect(collector.requests).toHaveLength(1);
  });
});
