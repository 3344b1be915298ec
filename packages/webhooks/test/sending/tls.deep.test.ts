import { once } from 'node:events';
import { createServer, getCACertificates, setDefaultCACertificates, type TlsOptions, type TLSSocket } from 'node:tls';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { anAuthority, type Authority, type Wanted } from '../../../http-adapter/test/fixtures/certificates.ts';
import { HANDSHAKE_TIMEOUT_MS } from '../../src/sending/open-socket.ts';
import { aReceiver } from './a-receiver.ts';
import { aSender, anEndpoint, MESSAGE } from './a-sender.ts';

const RULES = { allow: ['127.0.0.1'] };
const NAME: Wanted = { extensions: 'subjectAltName = DNS:hooks.example, IP:127.0.0.1' };
const DAY_MS = 24 * 60 * 60 * 1000;

let authority: Authority;
let port: number;
/** The server names that clients sent. */
let names: (string | false)[];

const OK = (socket: TLSSocket) => void socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');

async function listen(options: TlsOptions, respond = OK): Promise<void> {
  names = [];
  const server = createServer(options, (socket) => {
    names.push(socket.servername ?? false);
    socket.on('error', () => undefined).once('data', () => respond(socket));
  });
  server.on('tlsClientError', () => undefined).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address === 'object' && address !== null) ({ port } = address);
  onTestFinished(async () => void (await once(server.close(), 'close')));
}

async function send(host: string, timeoutMs?: number): Promise<string> {
  const sender = aSender({ rules: RULES, timeoutMs }, { lookup: () => Promise.resolve(['127.0.0.1']) });
  const { status, error } = await sender.send('shop', anEndpoint(`https://${host}:${port}/`), MESSAGE);
  sender.close();
  return String(error ?? status);
}

describe('a receiver with TLS', () => {
  beforeEach(async () => {
    authority = await anAuthority();
    const known = getCACertificates();
    setDefaultCACertificates([...known, authority.cert]);
    onTestFinished(() => setDefaultCACertificates(known));
  });

  it('is trusted by the authorities of the process', async () => {
    await listen(await authority.issue(NAME));
    expect(await send('hooks.example')).toBe('200');
    expect(await send('hooks.example.')).toBe('200');
    expect(await send('127.0.0.1')).toBe('200');
    expect(names).toEqual(['hooks.example', 'hooks.example', false]);
  });

  it('fails the attempt by tls_failed when its certificate has another name or time', async () => {
    for (const wanted of [
      { extensions: 'subjectAltName = DNS:other.example' },
      { ...NAME, from: new Date(Date.now() - 3 * DAY_MS), to: new Date(Date.now() - DAY_MS) },
      { ...NAME, from: new Date(Date.now() + DAY_MS) },
    ]) {
      await listen(await authority.issue(wanted));
      expect([await send('hooks.example'), await send('127.0.0.1')]).toEqual(['tls_failed', 'tls_failed']);
    }
  });

  it('fails the attempt by tls_failed when no authority is known, whatever the environment says', async () => {
    await listen(await (await anAuthority()).issue(NAME));
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    // Node.js warns of the variable, which does not apply here.
    vi.spyOn(process, 'emitWarning').mockReturnValue();
    onTestFinished(() => void vi.unstubAllEnvs().restoreAllMocks());
    expect(await send('hooks.example')).toBe('tls_failed');
  });

  it('fails the attempt by tls_failed when it supports old protocols only', async () => {
    await listen({ ...(await authority.issue(NAME)), minVersion: 'TLSv1', maxVersion: 'TLSv1.1' });
    expect(await send('hooks.example')).toBe('tls_failed');
  });

  it('may send a limited number of bytes: 8 certificates more than it needs, but not 80', async () => {
    const { cert, key } = await authority.issue(NAME);
    const results = [];
    for (const count of [8, 80]) {
      await listen({ key, cert: [cert, ...Array.from({ length: count }, () => authority.cert)].join('\n') });
      results.push(await send('hooks.example'));
    }
    expect(results).toEqual(['200', 'tls_failed']);
  });

  it('cannot choose a prime for Diffie-Hellman', async () => {
    const ciphers = 'DHE-RSA-AES128-GCM-SHA256';
    const identity = await authority.issue({ ...NAME, newKey: ['-newkey', 'rsa:2048', '-noenc'] });
    await listen({ ...identity, ciphers, dhparam: 'auto', maxVersion: 'TLSv1.2' });
    expect(await send('hooks.example')).toBe('tls_failed');
  });

  it('cannot renegotiate', async () => {
    await listen({ ...(await authority.issue(NAME)), maxVersion: 'TLSv1.2' }, (socket) => {
      socket.renegotiate({}, () => OK(socket));
    });
    expect(await send('hooks.example')).toBe('connection_failed');
  });
});

describe('a receiver that makes no handshake', () => {
  it('fails the attempt by timed_out when its handshake takes longer than the limit of handshakes', async () => {
    const connected = Promise.withResolvers<undefined>();
    const receiver = await aReceiver(
      () => undefined,
      (socket) => socket.once('data', () => connected.resolve(undefined)),
    );
    ({ port } = receiver);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const sending = send('hooks.example');
    await connected.promise;
    await vi.advanceTimersByTimeAsync(HANDSHAKE_TIMEOUT_MS);
    expect(await sending).toBe('timed_out');
    await receiver.allClosed();
  });

  it('fails the attempt by tls_failed when it speaks plain HTTP', async () => {
    const receiver = await aReceiver(
      () => undefined,
      (socket) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'),
    );
    ({ port } = receiver);
    expect(await send('hooks.example')).toBe('tls_failed');
    await receiver.allClosed();
  });

  it('fails the attempt by connection_failed when it resets the handshake', async () => {
    const receiver = await aReceiver(
      () => undefined,
      (socket) => socket.once('data', () => socket.resetAndDestroy()),
    );
    ({ port } = receiver);
    expect(await send('hooks.example')).toBe('connection_failed');
  });
});
