import { networkInterfaces } from 'node:os';
import type { WebhookTargets } from '@orders/domain/webhooks';
import { type ClosableWebhookSender, webhookTargets } from '@orders/webhooks';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { aReceiver, type Receiver } from './a-receiver.ts';
import { aSender, anEndpoint, MESSAGE } from './a-sender.ts';

const BLOCKED = { status: null, error: 'target_not_allowed', duration_ms: 0, retryAfterMs: null };
/** A public address. No test connects to it. */
const PUBLIC = '93.184.215.14';
/** Ends an attempt that a broken check lets connect. */
const TIMEOUT_MS = 5000;

/** Accepts every request at every address of this machine. No request may reach it. */
let trap: Receiver;
let sender: ClosableWebhookSender;
/** The addresses that the next lookups return, the last one for all further ones. */
let resolved: (readonly string[])[];

const openTrap = () =>
  aReceiver(
    () => undefined,
    (socket) => socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n')),
    null,
  );

beforeEach(async () => {
  trap = await openTrap();
  resolved = [];
  // The port of the trap counts as the port of public targets, so that the address alone decides.
  sender = aSender(
    { timeoutMs: TIMEOUT_MS },
    {
      httpsPort: trap.port,
      lookup: () => Promise.resolve((resolved.length > 1 ? resolved.shift() : resolved[0]) ?? []),
    },
  );
});
afterEach(() => sender.close());

function send(host: string, scheme = 'https') {
  return sender.send('shop', anEndpoint(`${scheme}://${host}:${trap.port}/hook`), MESSAGE);
}

const LOOPBACK = [
  '127.0.0.1',
  '127.0.0.1.',
  '127.1',
  '2130706433',
  '0x7f.1',
  '017700000001',
  '0177.0x0.0.01',
  '127.0.0.1%2e',
  '%31%32%37.0.0.1',
  '１２７.０.０.１',
  '127。0。0。1',
  '①②⑦.0.0.1',
  '1\t27.0.\n0.1',
  '0.0.0.0',
  '0',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[::]',
  '[::ffff:127.0.0.1]',
  '[::FFFF:7f00:1]',
  '[::127.0.0.1]',
  '[::ffff:0:127.0.0.1]',
  '[64:ff9b::127.0.0.1]',
  '[64:ff9b:1::127.0.0.1]',
  '[2002:7f00:1::]',
  '[2001:0:4136:e378:8000:63bf:80ff:fffe]',
  '[::1%25lo]',
  'LocalHost.',
  'app.localhost',
  'ｌｏｃａｌｈｏｓｔ',
  'user@127.0.0.1',
  'example.com:443@127.0.0.1',
  'example.com%2F@127.0.0.1',
];

const OTHERS = [
  '10.255.255.255',
  '100.64.0.1',
  '168.63.129.16',
  '169.254.169.254',
  '172.16.0.1',
  '192.0.2.1',
  '192.88.99.1',
  '192.168.0.1',
  '198.18.0.1',
  '203.0.113.1',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '[fc00::1]',
  '[fe80::1]',
  '[fec0::1]',
  '[ff02::1]',
  '[100::1]',
  '[2001:db8::1]',
  '[3fff::1]',
  '[4000::1]',
  '[5f00::1]',
  '[::ffff:93.184.215.14]',
];

describe('a private address', () => {
  const targets: WebhookTargets = webhookTargets();

  it.each(LOOPBACK)('is not connected to when it is spelled %s', async (host) => {
    expect(await send(host)).toEqual(BLOCKED);
    expect(await send(host, 'http')).toEqual(BLOCKED);
    expect(trap.received).toEqual([]);
    expect(targets.parse(`https://${host}/hook`).isErr()).toBe(true);
  });

  it.each(OTHERS)('is not a target: %s', async (host) => {
    expect(await send(host)).toEqual(BLOCKED);
    expect(targets.parse(`https://${host}/hook`)._unsafeUnwrapErr()).toBe('must have a public host');
  });

  it('is not connected to when it is an address of this machine', async () => {
    const own = Object.values(networkInterfaces()).flatMap((each = []) => each);
    for (const { address } of own.filter(({ scopeid }) => !scopeid)) {
      expect(await send(address.includes(':') ? `[${address}]` : address)).toEqual(BLOCKED);
      resolved = [[address]];
      expect(await send('name.example')).toEqual(BLOCKED);
    }
    expect(trap.received).toEqual([]);
  });
});

describe('a name', () => {
  it.each([
    ['a private address', ['127.0.0.1']],
    ['an IPv4-mapped address', ['::ffff:127.0.0.1']],
    ['a private address in NAT64', ['64:ff9b::7f00:1']],
    ['a public address before a private one', [PUBLIC, '127.0.0.1']],
    ['a private address after more than are tried', [...Array.from({ length: 20 }, () => PUBLIC), '127.0.0.1']],
    ['an address with a zone', ['fe80::1%lo']],
    ['text that is no address', ['localhost']],
    ['no address', []],
  ])('is not connected to when it has %s', async (_, addresses) => {
    resolved = [addresses];
    expect(await send('name.example')).toEqual(BLOCKED);
    expect(trap.received).toEqual([]);
  });

  it('is looked up once for each connection, which uses the checked address', async () => {
    // A second lookup would find a forbidden address.
    resolved = [['127.0.0.3'], ['127.0.0.1']];
    sender.close();
    const lookup = () => Promise.resolve(resolved.shift() ?? []);
    sender = aSender({ rules: { allow: ['127.0.0.3/32'] }, timeoutMs: TIMEOUT_MS }, { httpsPort: trap.port, lookup });
    // The trap speaks no TLS.
    expect(await send('rebinding.example')).toMatchObject({ status: null, error: 'tls_failed' });
    expect(resolved).toEqual([['127.0.0.1']]);
    expect(await send('rebinding.example')).toEqual(BLOCKED);
    expect(trap.received).toHaveLength(1);
  });
});

it('the trap gets requests that are allowed', async () => {
  const allowed = aSender({ rules: { allow: ['127.0.0.0/8', '::1'] } });
  for (const host of ['127.0.0.1', '2130706433', 'localhost']) {
    const attempt = await allowed.send('shop', anEndpoint(`http://${host}:${trap.port}/`), MESSAGE);
    expect(attempt).toMatchObject({ status: 200, error: null });
  }
  expect(trap.received).toHaveLength(3);
  allowed.close();
});
