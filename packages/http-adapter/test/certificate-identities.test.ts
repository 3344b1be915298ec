import { describe, expect, it } from 'vitest';
import { aTlsApi } from './a-tls-api.ts';

const ORDERS = '/v1/orders';
const SHOP = 'spiffe://acme.example/shop';
const NOBODY = {
  status: 401,
  body: { code: 'unauthenticated', detail: 'The client certificate is not mapped to an owner.' },
};

describe('what a certificate is known by', () => {
  it.each([
    ['a URI', `subjectAltName = URI:${SHOP}`, [SHOP, 'CN=client']],
    [
      'several, in their order',
      `subjectAltName = URI:urn:b,DNS:shop.example,URI:urn:a`,
      ['urn:b', 'urn:a', 'CN=client'],
    ],
    [
      'one with a comma and a quote',
      `subjectAltName = @names\n[names]\nURI = urn:a,\\'b\\"`,
      [`urn:a,'b"`, 'CN=client'],
    ],
    [
      'no other kind of name',
      'subjectAltName = DNS:shop.example,email:shop@acme.example,IP:10.0.0.1,RID:1.2.3',
      ['CN=client'],
    ],
    ['no extension', '', ['CN=client']],
  ])('is, before the subject, each URI of its subjectAltName: %s', async (_, extensions, identities) => {
    const { authority, certificates, client } = await aTlsApi();
    expect(await client(await authority.issue({ extensions })).get(ORDERS)).toMatchObject(NOBODY);
    expect(certificates.lookedUp).toEqual([identities]);
  });

  it.each([
    ['a DNS name', 'DNS = x, URI:urn:victim'],
    ['an email address', 'email = x@acme.example, URI:urn:victim'],
    ['a DNS name that reads as a URI', 'DNS = urn:victim'],
    ['an email address that reads as a URI', 'email = urn:victim'],
    ['a quoted name', 'DNS = x", URI:urn:victim, DNS:"'],
    ['the name of a directory', 'dirName = other\n[other]\nCN = x, URI:urn:victim'],
    ['another name', 'otherName = 1.3.6.1.5.5.7.8.5;UTF8:x, URI:urn:victim'],
    ['a URI that reads as a subject', 'URI = CN=victim'],
    ['a URI that reads as a scheme and a subject', 'URI = ", CN=victim'],
    ['a URI that reads as a subject with a colon', 'URI = CN=urn:victim'],
    ['a URI that is relative', 'URI = //victim'],
    ['a URI with a blank', 'URI = urn:victim of all'],
    // GeneralNames with one URI: "urn:x", a line break, "CN=victim"; then one with a letter that is no ASCII.
    ['a URI of two lines', undefined, '30:11:86:0f:75:72:6e:3a:78:0a:43:4e:3d:76:69:63:74:69:6d'],
    ['a URI in Latin-1', undefined, '30:09:86:07:75:72:6e:3a:78:e9:78'],
  ])('is not %s', async (_, names, der = '') => {
    const { authority, certificates, client } = await aTlsApi();
    for (const victim of ['urn:victim', 'CN=victim', 'CN=urn:victim']) certificates.allow(victim);
    const extensions =
      names === undefined ? `subjectAltName = DER:${der}` : `subjectAltName = @names\n[names]\n${names}`;
    expect(await client(await authority.issue({ extensions })).get(ORDERS)).toMatchObject(NOBODY);
    expect(certificates.lookedUp).toEqual([['CN=client']]);
  });

  it.each([
    ['/C=DE/O=Acme/CN=shop', 'CN=shop,O=Acme,C=DE'],
    ['/O=Müller, Söhne \\+ Co/CN=shop', 'CN=shop,O=Müller\\, Söhne \\+ Co'],
    ['/C=DE/O=A+OU=B+CN=shop /CN=#1', 'CN=\\#1,CN=shop\\ +OU=B+O=A,C=DE'],
    ['/O=a "b" <c>; \\\\ d=e/CN=shop\nO=Acme', 'CN=shop\\0AO=Acme,O=a \\"b\\" \\<c\\>\\; \\\\ d=e'],
    ['/DC=example/DC=acme/UID=7/emailAddress=a@b.example', 'emailAddress=a@b.example,UID=7,DC=acme,DC=example'],
  ])('is a subject as openssl spells it: %s', async (subject, spelled) => {
    const { authority, certificates, client } = await aTlsApi();
    certificates.allow(spelled);
    const identity = await authority.issue({ subject });
    expect((await client(identity).get(ORDERS)).status).toBe(200);
    expect(await authority.subject(identity)).toBe(spelled);
  });

  it('may be a URI without a subject', async () => {
    const { authority, certificates, client } = await aTlsApi();
    certificates.allow(SHOP);
    expect(
      (await client(await authority.issue({ extensions: `subjectAltName = URI:${SHOP}`, subject: '/' })).get(ORDERS))
        .status,
    ).toBe(200);
  });

  it('may be nothing, which is nobody', async () => {
    const { authority, certificates, client } = await aTlsApi();
    certificates.allow('');
    expect(await client(await authority.issue({ subject: '/' })).get(ORDERS)).toMatchObject(NOBODY);
  });
});
