import { describe, expect, it } from 'vitest';
import { aTlsApi } from './a-tls-api.ts';

const ORDERS = '/v1/orders';
const SHOP = 'spiffe://acme.example/shop';
const UNMAPPED = {
  status: 401,
  body: { code: 'unauthenticated', detail: 'The client certificate is not mapped to an owner.' },
};

describe('the identities of a client certificate', () => {
  it.each([
    ['a URI', `subjectAltName = URI:${SHOP}`, [SHOP, 'CN=client']],
    ['several URIs in order', `subjectAltName = URI:urn:b,DNS:shop.example,URI:urn:a`, ['urn:b', 'urn:a', 'CN=client']],
    [
      'a URI with a comma and a quote',
      `subjectAltName = @names\n[names]\nURI = urn:a,\\'b\\"`,
      [`urn:a,'b"`, 'CN=client'],
    ],
    [
      'only names of other kinds',
      'subjectAltName = DNS:shop.example,email:shop@acme.example,IP:10.0.0.1,RID:1.2.3',
      ['CN=client'],
    ],
    ['no extension', '', ['CN=client']],
  ])('are the URIs of its subjectAltName, then its subject: %s', async (_, extensions, identities) => {
    const { authority, certificates, client } = await aTlsApi();
    expect(await client(await authority.issue({ extensions })).get(ORDERS)).toMatchObject(UNMAPPED);
    expect(certificates.lookedUp).toEqual([identities]);
  });

  it('do not include names of other kinds, or in other forms', async () => {
    const { authority, certificates, client } = await aTlsApi();
    for (const victim of ['urn:victim', 'CN=victim', 'CN=urn:victim']) certificates.allow(victim);
    for (const [name, names, der = ''] of [
      ['a DNS name', 'DNS = x, URI:urn:victim'],
      ['an email address', 'email = x@acme.example, URI:urn:victim'],
      ['a DNS name in the form of a URI', 'DNS = urn:victim'],
      ['an email address in the form of a URI', 'email = urn:victim'],
      ['a quoted name', 'DNS = x", URI:urn:victim, DNS:"'],
      ['a directory name', 'dirName = other\n[other]\nCN = x, URI:urn:victim'],
      ['another name', 'otherName = 1.3.6.1.5.5.7.8.5;UTF8:x, URI:urn:victim'],
      ['a URI in the form of a subject', 'URI = CN=victim'],
      ['a URI in the form of a quote and a subject', 'URI = ", CN=victim'],
      ['a URI in the form of a subject with a colon', 'URI = CN=urn:victim'],
      ['a relative URI', 'URI = //victim'],
      ['a URI with a space', 'URI = urn:victim of all'],
      // GeneralNames with one URI: "urn:x", a line break, "CN=victim"; and another URI with a character beyond ASCII.
      ['a URI of two lines', undefined, '30:11:86:0f:75:72:6e:3a:78:0a:43:4e:3d:76:69:63:74:69:6d'],
      ['a URI in Latin-1', undefined, '30:09:86:07:75:72:6e:3a:78:e9:78'],
    ] as const) {
      const extensions =
        names === undefined ? `subjectAltName = DER:${der}` : `subjectAltName = @names\n[names]\n${names}`;
      const { body, status } = await client(await authority.issue({ extensions })).get(ORDERS);
      expect({ name, status, body }).toMatchObject({ name, ...UNMAPPED });
    }
    expect(new Set(certificates.lookedUp.flat())).toEqual(new Set(['CN=client']));
  });

  it('are a subject in the spelling of openssl', async () => {
    const { authority, certificates, client } = await aTlsApi();
    for (const [subject, spelled] of [
      ['/C=DE/O=Acme/CN=shop', 'CN=shop,O=Acme,C=DE'],
      ['/O=Müller, Söhne \\+ Co/CN=shop', 'CN=shop,O=Müller\\, Söhne \\+ Co'],
      ['/C=DE/O=A+OU=B+CN=shop /CN=#1', 'CN=\\#1,CN=shop\\ +OU=B+O=A,C=DE'],
      ['/O=a "b" <c>; \\\\ d=e/CN=shop\nO=Acme', 'CN=shop\\0AO=Acme,O=a \\"b\\" \\<c\\>\\; \\\\ d=e'],
      ['/DC=example/DC=acme/UID=7/emailAddress=a@b.example', 'emailAddress=a@b.example,UID=7,DC=acme,DC=example'],
    ] as const) {
      certificates.allow(spelled);
      const identity = await authority.issue({ subject });
      expect([spelled, (await client(identity).get(ORDERS)).status]).toEqual([spelled, 200]);
      expect(await authority.subject(identity)).toBe(spelled);
    }
  });

  it('are only a URI if the subject is empty, and nothing without a URI', async () => {
    const { authority, certificates, client } = await aTlsApi();
    certificates.allow(SHOP);
    expect(
      (await client(await authority.issue({ extensions: `subjectAltName = URI:${SHOP}`, subject: '/' })).get(ORDERS))
        .status,
    ).toBe(200);
    certificates.allow('');
    expect(await client(await authority.issue({ subject: '/' })).get(ORDERS)).toMatchObject(UNMAPPED);
  });
});
