import { execFile } from 'node:child_process';
import { appendFile, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { AN_ORDER, type Finished, run, startServer } from '../programs/running-server.ts';
import { aFilingAuthority, type FilingAuthority, type IdentityFiles } from './certificates.ts';

const SHOP = 'CN=shop,O=Müller\\, Söhne';
const READ = ['--owner', 'shop', '--scopes', 'orders:read'];
const BOTH = ['--owner', 'shop', '--scopes', 'orders:read,orders:write'];
const DONE = { code: 0, stdout: '', stderr: '' };
const TIME = /\d{4}-\d\d-\d\dT[\d:.]{12}Z/g;
const SERVER = { subject: '/CN=localhost', extensions: 'subjectAltName = IP:127.0.0.1' };

function certs(dataDir: string, ...args: readonly string[]): Promise<Finished> {
  return run('cli.ts', { DATA_DIR: dataDir }, ['certs', ...args]).finished;
}

/** Returns the status and body that curl receives when it connects with `identity`. */
async function curl(authority: FilingAuthority, url: string, identity: IdentityFiles, ...args: readonly string[]) {
  const files = ['--cacert', authority.cert, '--cert', identity.cert, '--key', identity.key];
  const all = ['--silent', '--show-error', ...files, '--write-out', '\n%{http_code}', ...args, url];
  const { stdout } = await promisify(execFile)('curl', all);
  const [body = '', status] = stdout.split(/\n(?=\d+$)/);
  const parsed: unknown = JSON.parse(body);
  return { status: Number(status), body: parsed };
}

it('pnpm orders certs allows, lists and revokes certificates while the server runs', async () => {
  const { dataDir } = await startServer();
  expect(await certs(dataDir, 'allow', '--subject', SHOP, ...BOTH)).toEqual(DONE);
  expect(await certs(dataDir, 'allow', '--uri', 'urn:shop', ...READ)).toEqual(DONE);
  const table = await certs(dataDir, 'list');
  expect(table.stdout.replaceAll(TIME, 'TIME').split('\n')).toEqual([
    'IDENTITY                  OWNER  SCOPES                    CREATED                   REVOKED',
    'CN=shop,O=Müller\\, Söhne  shop   orders:read,orders:write  TIME  -',
    'urn:shop                  shop   orders:read               TIME  -',
    '',
  ]);

  expect(await certs(dataDir, 'revoke', SHOP)).toEqual(DONE);
  const listed = (await certs(dataDir, 'list', '--json')).stdout.replaceAll(TIME, 'TIME');
  const [subject, urn] = [
    { identity: SHOP, scopes: ['orders:read', 'orders:write'], revoked_at: 'TIME' },
    { identity: 'urn:shop', scopes: ['orders:read'], revoked_at: null },
  ].map((row) => ({ ...row, owner: 'shop', created_at: 'TIME' }));
  expect(JSON.parse(listed)).toEqual([subject, urn]);
  const again = await certs(dataDir, 'revoke', SHOP);
  expect(again).toMatchObject({ code: 1, stdout: '' });
  expect(again.stderr).toContain(`no certificate with the identity ${SHOP} is allowed`);
});

describe('a server with HTTPS', () => {
  it('accepts allowed certificates, by subject or URI, as their owner', async () => {
    const authority = await aFilingAuthority();
    const { cert, key } = await authority.issue(SERVER);
    const files = { TLS_CERT_FILE: cert, TLS_KEY_FILE: key, TLS_CLIENT_CA_FILE: authority.cert };
    const server = await startServer(files);
    expect(server.url).toMatch(/^https:/);
    const orders = `${server.url}/v1/orders`;
    const writer = await authority.issue({ subject: '/O=Müller, Söhne/CN=shop' });
    const reader = await authority.issue({ subject: '/CN=reader', extensions: 'subjectAltName = URI:urn:shop:reader' });
    expect(await curl(authority, orders, writer)).toMatchObject({ status: 401, body: { code: 'unauthenticated' } });

    await certs(server.dataDir, 'allow', '--subject', SHOP, ...BOTH);
    await certs(server.dataDir, 'allow', '--uri', 'urn:shop:reader', ...READ);
    const json = ['--header', 'Content-Type: application/json', '--data', AN_ORDER];
    const placed = await curl(authority, orders, writer, ...json);
    expect(placed.status).toBe(201);
    expect(await curl(authority, orders, reader)).toMatchObject({ status: 200, body: { data: [placed.body] } });
    expect((await curl(authority, orders, reader, ...json)).status).toBe(403);
    const withKey = await curl(authority, orders, writer, '--header', `X-API-Key: ${await server.demoKey()}`);
    expect(withKey).toMatchObject({ status: 200, body: { data: [] } });
  });

  it('prints a working curl line, as without TLS', async () => {
    const authority = await aFilingAuthority();
    const { cert, key } = await authority.issue(SERVER);
    // The file contains the certificate and its chain, as such files do.
    await appendFile(cert, await readFile(authority.cert));
    const server = await startServer({ TLS_CERT_FILE: cert, TLS_KEY_FILE: key });
    const [line = ''] = /curl .*/.exec(server.output()) ?? [];
    const { stdout } = await promisify(execFile)('sh', ['-c', `${line} --silent --show-error`]);
    expect(JSON.parse(stdout)).toMatchObject({ data: [] });
  });
});
