import { DENY_CIDRS_DEFAULT, isAddressBlock, webhookTargets } from '@orders/webhooks';
import { WEBHOOK_URL_LENGTH_MAX } from '@orders/domain/webhooks';
import { describe, expect, it } from 'vitest';
import { addressPolicy } from '../../src/targets/address-rules.ts';

/** Returns the normal form of a URL, or why it is rejected. */
function parse(url: string, allow: readonly string[] = [], deny?: readonly string[]): string {
  return webhookTargets({ allow, deny })
    .parse(url)
    .match(String, (reason) => `rejected: ${reason}`);
}

const LONG = `https://example.com/${'a'.repeat(WEBHOOK_URL_LENGTH_MAX)}`;

describe('a target', () => {
  it.each([
    ['https://example.com', 'https://example.com/'],
    ['HTTPS://EXAMPLE.com:443/A/../b?c=d#e', 'https://example.com/b?c=d#e'],
    [' https://example.com/\n', 'https://example.com/'],
    ['https://bücher.example/ü', 'https://xn--bcher-kva.example/%C3%BC'],
    ['https://93.184.215.14/', 'https://93.184.215.14/'],
    ['https://[2606:2800:021f::1]/', 'https://[2606:2800:21f::1]/'],
    [LONG.slice(0, WEBHOOK_URL_LENGTH_MAX), LONG.slice(0, WEBHOOK_URL_LENGTH_MAX)],
  ])('is returned in its normal form: %s', (url, normal) => {
    expect(parse(url)).toBe(normal);
    expect(parse(normal)).toBe(normal);
  });

  it.each([
    ['', 'must be an absolute URL of at most 2048 characters'],
    ['/hook', 'must be an absolute URL of at most 2048 characters'],
    ['https://', 'must be an absolute URL of at most 2048 characters'],
    ['https://the example.com/', 'must be an absolute URL of at most 2048 characters'],
    [LONG, 'must be an absolute URL of at most 2048 characters'],
    // Longer than the limit in its normal form alone.
    [`https://example.com/${'ü'.repeat(1000)}`, 'must be an absolute URL of at most 2048 characters'],
    ['http://example.com/', 'must be an https URL'],
    ['ftp://example.com/', 'must be an https URL'],
    ['file:///etc/passwd', 'must be an https URL'],
    ['javascript:alert(1)', 'must be an https URL'],
    ['https://example.com:8443/', 'must use port 443'],
    ['https://93.184.215.14:80/', 'must use port 443'],
    ['https://user@example.com/', 'must not contain a user or a password'],
    ['https://:password@example.com/', 'must not contain a user or a password'],
    ['https://10.0.0.1/', 'must have a public host'],
    ['https://168.63.129.16/', 'must have a public host'],
  ])('is rejected: %s', (url, reason) => {
    expect(parse(url)).toBe(`rejected: ${reason}`);
  });
});

describe('an allowed address', () => {
  const allow = ['10.1.0.0/16', 'fd00::/8'];

  it.each([
    'https://10.1.2.3/',
    'http://10.1.2.3:8080/',
    'https://[fd00::1]:8443/',
    // Its addresses are checked with each request.
    'http://hooks.internal:8080/',
    'https://example.com/',
  ])('may be the target by any scheme and port: %s', (url) => {
    expect(parse(url, allow)).toBe(url);
  });

  it.each([
    ['https://10.2.0.1/', 'must have a public host'],
    ['http://93.184.215.14/', 'must be an https URL'],
    ['https://93.184.215.14:8443/', 'must use port 443'],
    ['https://[::ffff:10.1.2.3]/', 'must have a public host'],
    ['ftp://10.1.2.3/', 'must be an https URL'],
    ['http://user@10.1.2.3/', 'must not contain a user or a password'],
    ['https://[fd00:ec2::254]/', 'must have a public host'],
  ])('does not open others: %s', (url, reason) => {
    expect(parse(url, allow)).toBe(`rejected: ${reason}`);
  });

  it('is rejected when it is denied too', () => {
    expect(parse('https://10.1.2.3/', allow, ['10.1.2.0/24'])).toBe('rejected: must have a public host');
    expect(parse('https://10.1.3.3/', allow, ['10.1.2.0/24'])).toBe('https://10.1.3.3/');
    expect(parse('https://93.184.215.14/', [], ['93.184.215.14'])).toBe('rejected: must have a public host');
  });
});

describe('the default of denied addresses', () => {
  const everything = ['0.0.0.0/0', '::/0'];

  it.each([
    '169.254.169.254',
    '169.254.170.2',
    '168.63.129.16',
    '100.100.100.200',
    '192.0.0.192',
    'fd00:ec2::254',
    'fd00:ec2::23',
    'fd20:ce::254',
    '::ffff:169.254.169.254',
    '::169.254.169.254',
    '::ffff:0:169.254.169.254',
    '64:ff9b::168.63.129.16',
    '2002:a83f:8110::1',
    '2001:0:4136:e378:8000:63bf:57c0:7eef',
  ])('has %s although everything is allowed', (address) => {
    expect(addressPolicy({ allow: everything }).permits(address, true)).toBe(false);
    expect(addressPolicy({ allow: everything, deny: [] }).permits(address, false)).toBe(true);
  });

  it('consists of address blocks', () => {
    expect(DENY_CIDRS_DEFAULT.filter((block) => !isAddressBlock(block))).toEqual([]);
  });
});

describe('an allowed network of a translator', () => {
  const policy = addressPolicy({ allow: ['64:ff9b::/96', '10.0.0.1'] });

  it('leads to public and to allowed addresses alone', () => {
    expect(policy.permits('64:ff9b::93.184.215.14', true)).toBe(true);
    expect(policy.permits('64:ff9b::93.184.215.14', false)).toBe(false);
    expect(policy.permits('64:ff9b::10.0.0.1', false)).toBe(true);
    expect(policy.permits('64:ff9b::10.0.0.2', true)).toBe(false);
  });
});

describe('an address', () => {
  it.each(['2606:2800:21f::1%eth0', '93.184.215', '0x5db8d70e', 'example.com', ''])('cannot be %s', (text) => {
    expect(addressPolicy().permits(text, true)).toBe(false);
  });
});

describe('an address block', () => {
  it.each(['10.0.0.0/8', '10.0.0.1', '0.0.0.0/0', 'fd00::/8', '::1', '::ffff:10.0.0.0/104'])('may be %s', (block) => {
    expect(isAddressBlock(block)).toBe(true);
    expect(addressPolicy({ allow: [block], deny: [block] }).hasExceptions).toBe(true);
  });

  it.each(['', '10', '10.1', '0x7f.1', '010.0.0.1', '10.0.0.0/33', 'fd00::/129', 'fe80::1%eth0', 'localhost', '*'])(
    'cannot be %s',
    (block) => {
      expect(isAddressBlock(block)).toBe(false);
      const message = `${block} is not an IP address or a CIDR block`;
      expect(() => webhookTargets({ allow: [block] })).toThrow(new Error(message));
      expect(() => webhookTargets({ deny: [block] })).toThrow(new Error(message));
    },
  );
});
