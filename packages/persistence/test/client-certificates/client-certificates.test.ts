import { postgresClientCertificates } from '@orders/persistence';
import { beforeEach, describe, expect, it } from 'vitest';
import { execute } from '../fixtures/execute.ts';
import { testDatabase } from '../fixtures/test-database.ts';

const database = testDatabase();

const URN = { identity: 'urn:shop', owner: 'shop', scopes: ['orders:read'], created_at: '2026-01-02T03:04:05.678Z' };
const SUBJECT = {
  identity: String.raw`CN=shop\ +OU={a\,"b"},O=Müller`,
  owner: 'other',
  scopes: ['orders:read', 'orders:write'],
  created_at: '2026-01-02T03:04:05.679Z',
};
/** What is listed of a mapping that was just allowed. */
const NEW = { revoked_at: null, name: null, last_used_at: null };
const AT = '2026-02-01T00:00:00.600Z';

beforeEach(() => execute(database.url, 'delete from client_certificates'));

describe('client certificates', () => {
  it('are listed by age', async () => {
    const certificates = postgresClientCertificates(database.current);
    for (const mapping of [SUBJECT, URN]) expect((await certificates.allow(mapping))._unsafeUnwrap()).toBe(true);
    const listed = [URN, SUBJECT].map((mapping) => ({ ...mapping, ...NEW }));
    expect((await certificates.list({ limit: 100 }))._unsafeUnwrap().data).toEqual(listed);
  });

  it('are found by the first allowed identity', async () => {
    const certificates = postgresClientCertificates(database.current);
    const find = async (...identities: string[]) => (await certificates.find(identities))._unsafeUnwrap()?.owner;
    expect(await find(URN.identity, SUBJECT.identity)).toBeUndefined();
    for (const mapping of [SUBJECT, URN]) await certificates.allow(mapping);
    expect(await find('urn:none', URN.identity, SUBJECT.identity)).toBe('shop');
    expect(await find('urn:none', SUBJECT.identity, URN.identity)).toBe('other');
    expect(await find('urn:none', 'URN:SHOP')).toBeUndefined();
    await certificates.revoke(URN.identity, AT);
    expect(await find(URN.identity, SUBJECT.identity)).toBe('other');
    expect(await find(URN.identity)).toBeUndefined();
    const { identity, owner, scopes } = SUBJECT;
    expect((await certificates.find([SUBJECT.identity]))._unsafeUnwrap()).toMatchObject({ identity, owner, scopes });
  });

  it('cannot be mapped to another owner while they are allowed', async () => {
    const certificates = postgresClientCertificates(database.current);
    await certificates.allow(URN);
    const taken = { ...SUBJECT, identity: URN.identity };
    expect((await certificates.allow(taken))._unsafeUnwrap()).toBe(false);
    expect((await certificates.allow(URN))._unsafeUnwrap()).toBe(false);
    expect((await certificates.list({ limit: 100 }))._unsafeUnwrap().data).toEqual([{ ...URN, ...NEW }]);
  });

  it('are revoked once, and may be allowed again afterwards', async () => {
    const certificates = postgresClientCertificates(database.current);
    await certificates.allow(URN);
    expect((await certificates.revoke(URN.identity, AT))._unsafeUnwrap()).toBe(true);
    expect((await certificates.revoke(URN.identity, '2026-03-01T00:00:00.000Z'))._unsafeUnwrap()).toBe(false);
    expect((await certificates.revoke('urn:none', AT))._unsafeUnwrap()).toBe(false);
    expect((await certificates.list({ limit: 100 }))._unsafeUnwrap().data).toEqual([
      { ...URN, ...NEW, revoked_at: AT },
    ]);
    (await certificates.recordUses([URN.identity], AT))._unsafeUnwrap();
    expect((await certificates.list({ limit: 100 }))._unsafeUnwrap().data).toMatchObject([{ last_used_at: AT }]);
    const mapping = { ...SUBJECT, identity: URN.identity, name: 'web shop' };
    expect((await certificates.allow(mapping))._unsafeUnwrap()).toBe(true);
    expect((await certificates.list({ limit: 100 }))._unsafeUnwrap().data).toEqual([{ ...NEW, ...mapping }]);
  });

  it('are allowed once by two concurrent calls', async () => {
    const certificates = postgresClientCertificates(database.current);
    const twice = await Promise.all([certificates.allow(URN), certificates.allow({ ...URN, owner: 'other' })]);
    expect(new Set(twice.map((allowed) => allowed._unsafeUnwrap()))).toEqual(new Set([true, false]));
  });
});
