import { ORDERS } from '@orders/domain';
import { describe, expect, it } from 'vitest';
import { allowCertificate } from '../../src/commands/certs.ts';
import type { Arguments } from '../../src/commands/command.ts';

const SHOP = 'CN=shop,O=Müller\\, Söhne';
const READ = { owner: 'shop', scopes: 'orders:read' };

describe('the identity of a client certificate', () => {
  const allow = async (values: Arguments['values']) =>
    await allowCertificate.prepare({ values: { ...READ, ...values }, flags: new Set(), positionals: [] }, ORDERS);

  it.each([
    'CN=shop',
    'CN=shop+OU=B,O=Acme',
    SHOP,
    String.raw`CN=\#1\ ,O=a \"b\" \<c\>\; \\ d=e \+ f\0A\7F`,
    'emailAddress=a@b.example,UID=7,DC=acme,O=',
  ])('is a subject as openssl prints it: %s', async (subject) => {
    await expect(allow({ subject })).resolves.toBeTypeOf('function');
  });

  it.each([
    'CN = shop, O = Acme',
    'CN=shop, O=Acme',
    'subject=CN=shop',
    '/O=Acme/CN=shop',
    'shop',
    '',
    'CN=shop,',
    'CN=#1',
    'CN= shop',
    'CN=shop ',
    'CN=shop ,O=Acme',
    'CN=a;O=b',
    'CN=a"b',
    String.raw`CN=M\C3\BCller`,
    String.raw`CN=shop\0a`,
    'CN=shop\\',
    'CN=a\tb',
    '1.2.3.4=#0C0171',
    'urn:shop',
  ])('is not a subject in another format: %j', async (subject) => {
    await expect(allow({ subject })).rejects.toThrow(
      '--subject: must be the text after subject= in the output of "openssl x509 -in FILE -noout -subject',
    );
  });

  it.each(['urn:shop', 'spiffe://acme.example/shop', 'https://shop.example/?a=b#c'])('is a URI: %s', async (uri) => {
    await expect(allow({ uri })).resolves.toBeTypeOf('function');
  });

  it.each(['CN=shop', 'CN=urn:shop', '//shop', 'urn:', 'urn:a b', 'urn:é', ''])(
    'is not any other text: %j',
    async (uri) => {
      await expect(allow({ uri })).rejects.toThrow('--uri: must be an absolute URI');
    },
  );

  it('is exactly one of both, and fits into an index', async () => {
    await expect(allow({ subject: 'CN=shop', uri: 'urn:shop' })).rejects.toThrow('--subject, --uri: exactly one');
    await expect(allow({ subject: `CN=${'ü'.repeat(999)}` })).rejects.toThrow(
      '--subject, --uri: must have at most 2000 bytes',
    );
    await expect(allow({ uri: `urn:${'a'.repeat(1996)}` })).resolves.toBeTypeOf('function');
    await expect(allow({ uri: `urn:${'a'.repeat(1997)}` })).rejects.toThrow(
      '--subject, --uri: must have at most 2000 bytes',
    );
  });

  it.each([
    [{ scopes: 'all' }, '--scopes: must be one or more of orders:read'],
    [{ owner: 'é' }, '--owner: must be 1 to 255 printable ASCII'],
    [{ name: '' }, '--name: must be 1 to 100 characters'],
    [{ name: 'é'.repeat(101) }, '--name: must be 1 to 100 characters'],
    [{ name: 'a\nb' }, '--name: must be 1 to 100 characters'],
  ])('is mapped to an owner and scopes, and may have a name: %j', async (grant, fault) => {
    await expect(allow({ uri: 'urn:a', ...grant })).rejects.toThrow(fault);
  });
});
