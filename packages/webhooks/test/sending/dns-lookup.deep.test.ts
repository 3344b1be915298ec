import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { ADDRESSES_MAX, dnsLookup, sharedLookup } from '../../src/sending/dns-lookup.ts';
import { aReceiver } from './a-receiver.ts';
import { aSender, anEndpoint, MESSAGE } from './a-sender.ts';
import { type DnsServer, startDnsServer } from './dns-server.ts';

const SILENT = { A: 'silent', AAAA: 'silent' } as const;

let dns: DnsServer;
beforeAll(async () => {
  dns = await startDnsServer();
});
afterAll(() => dns.close());

const lookUp = (name: string, signal = new AbortController().signal) => dnsLookup([dns.address])(name, signal);

describe('a lookup', () => {
  it('returns the addresses of both families', async () => {
    dns.resolve('both.example', { A: ['93.184.215.14', '10.0.0.1'], AAAA: ['2606:2800:21f::1'] });
    expect(await lookUp('both.example')).toEqual(['93.184.215.14', '10.0.0.1', '2606:2800:21f::1']);
  });

  it('returns the addresses of one family when the other one has none or fails', async () => {
    dns.resolve('four.example', { A: ['93.184.215.14'] });
    expect(await lookUp('four.example')).toEqual(['93.184.215.14']);
    dns.resolve('six.example', { A: 'fails', AAAA: ['2606:2800:21f::1'] });
    expect(await lookUp('six.example')).toEqual(['2606:2800:21f::1']);
  });

  it.each(['unknown.example', 'failing.example', 'half.example', `${'a'.repeat(64)}.example`])(
    'returns no address for %s',
    async (name) => {
      dns.resolve('failing.example', { A: 'fails', AAAA: 'fails' });
      dns.resolve('half.example', { A: 'fails' });
      expect(await lookUp(name)).toEqual([]);
    },
  );

  it('ends when its signal is aborted', async () => {
    dns.resolve('silent.example', SILENT);
    const stop = new AbortController();
    const lookup = lookUp('silent.example', stop.signal);
    stop.abort();
    expect(await lookup).toEqual([]);
  });
});

describe('a shared lookup', () => {
  /** Returns a shared lookup by which every name has so many addresses, and the names that were looked up. */
  function sharing(count: number) {
    const names: string[] = [];
    const lookup = sharedLookup((name) => {
      names.push(name);
      return Promise.resolve(Array.from({ length: count }, () => '93.184.215.14'));
    });
    return { names, lookup };
  }

  it('is one for all attempts at the same time, and a new one afterwards', async () => {
    const { names, lookup } = sharing(ADDRESSES_MAX);
    const found = await Promise.all([lookup('a.example'), lookup('b.example'), lookup('a.example')]);
    expect(found.map(({ length }) => length)).toEqual([ADDRESSES_MAX, ADDRESSES_MAX, ADDRESSES_MAX]);
    await lookup('a.example');
    expect(names).toEqual(['a.example', 'b.example', 'a.example']);
  });

  it('is a new one after a failure', async () => {
    let count = 0;
    const lookup = sharedLookup(() => {
      count += 1;
      return count === 1 ? Promise.reject(new Error('no resolver')) : Promise.resolve(['93.184.215.14']);
    });
    await expect(lookup('a.example')).rejects.toThrow('no resolver');
    expect(await lookup('a.example')).toEqual(['93.184.215.14']);
  });

  it('is not repeated for a minute when it finds too many addresses', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { names, lookup } = sharing(100 * ADDRESSES_MAX);
    expect(await lookup('many.example')).toEqual([]);
    vi.advanceTimersByTime(59_999);
    expect(await lookup('many.example')).toEqual([]);
    expect(names).toHaveLength(1);
    vi.advanceTimersByTime(1);
    await lookup('many.example');
    expect(names).toHaveLength(2);
  });
});

describe('the time of a lookup', () => {
  const within = (name: string, ms: number) => sharedLookup(dnsLookup([dns.address]), ms)(name);

  it('ends without addresses when the name server is silent', async () => {
    dns.resolve('silent.example', SILENT);
    expect(await within('silent.example', 50)).toEqual([]);
  });

  it('ends with the known addresses when those of the other family are not found in time', async () => {
    dns.resolve('half-silent.example', { A: ['127.0.0.1'], AAAA: 'silent' });
    // Long enough for the address of the other family to arrive on a busy machine.
    expect(await within('half-silent.example', 1000)).toEqual(['127.0.0.1']);
  });
});

describe('an attempt', () => {
  it.each([
    ['has', { A: ['127.0.0.1'] }, undefined, 200],
    ['gets from a silent name server', SILENT, 50, 'timed_out'],
  ])('looks up its host, and uses the address that it %s', async (_, records, timeoutMs, outcome) => {
    dns.resolve('hooks.example', records);
    const receiver = await aReceiver((socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'));
    const sender = aSender({ rules: { allow: ['127.0.0.1'] }, timeoutMs }, { lookup: dnsLookup([dns.address]) });
    const url = `http://hooks.example:${receiver.port}/`;
    const { status, error } = await sender.send('shop', anEndpoint(url), MESSAGE);
    sender.close();
    expect(error ?? status).toBe(outcome);
  });
});
