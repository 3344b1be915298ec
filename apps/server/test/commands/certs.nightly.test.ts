import { execFile } from 'node:child_process';
import { appendFile, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { aFilingAuthority, type FilingAuthority, type IdentityFiles } from './certificates.ts';
import { AN_ORDER, type Finished, run, type RunningServer, startServer } from '../programs/running-server.ts';

const SHOP = 'CN=shop,O=Müller\\, Söhne';
const READ = ['--owner', 'shop', '--scopes', 'orders:read'];
const BOTH = ['--owner', 'shop', '--scopes', 'orders:read,orders:write'];
const DONE = { code: 0, stdout: '', stderr: '' };

function certs(dataDir: string, ...args: readonly string[]): Promise<Finished> {
  return run('cli.ts', { DATA_DIR: dataDir }, ['certs', ...args]).finished;
}

const TIME = /\d{4}-\d\d-\d\dT[\d:.]{12}Z/g;

/** Returns the output of `certs list --json`, with `TIME` for each time. */
async function listed(dataDir: string): Promise<unknown> {
  const { stdout } = await certs(dataDir, 'list', '--json');
  return JSON.parse(stdout.replaceAll(TIME, 'TIME'));
}

/** Returns a certificate in the format of `listed`. */
function certificate(identity: string, owner: string, scopes: readonly string[]) {
  return { identity, owner, scopes, created_at: 'TIME', revoked_at: null };
}

/** Starts a server with HTTPS that trusts client certificates of `authority`. */
async function startTlsServer(authority: FilingAuthority): Promise<RunningServer> {
  const { cert, key } = await authority.issue({
    subject: '/CN=localhost',
    extensions: 'subjectAltName = IP:127.0.0.1',
  });
  return await startServer({ TLS_CERT_FILE: cert, TLS_KEY_FILE: key, TLS_CLIENT_CA_FILE: authority.cert });
}

/** Returns the status and body that curl receives when it connects with `identity`. */
async function curl(authority: FilingAuthority, url: string, identity?: IdentityFiles, ...args: readonly string[]) {
  const shown = identity ? ['--cert', identity.cert, '--key', identity.key] : [];
  const all = [
    '--silent',
    '--show-error',
    '--cacert',
    authority.cert,
    ...shown,
    '--write-out',
    '\n%{http_code}',
    ...args,
  ];
  const { stdout } = await promisify(execFile)('curl', [...all, url]);
  const [body = '', status] = stdout.split(/\n(?=\d+$)/);
  const parsed: unknown = JSON.parse(body);
  return { status: Number(status), body: parsed };
}

describe('pnpm orders certs', () => {
  it('allows, lists and revokes certificates while the server runs', async () => {
    const { dataDir } = await startServer();
    expect(await certs(dataDir, 'allow', '--subject', SHOP, ...BOTH)).toEqual(DONE);
    expect(await certs(dataDir, 'allow', '--uri', 'urn:shop', ...READ)).toEqual(DONE);
    const urn = certificate('urn:shop', 'shop', ['orders:read']);
    const subject = certificate(SHOP, 'shop', ['orders:read', 'orders:write']);
    expect(await listed(dataDir)).toEqual([subject, urn]);
    const table = await certs(dataDir, 'list');
    expect(table.stdout.replaceAll(TIME, 'TIME').split('\n')).toEqual([
      'IDENTITY                  OWNER  SCOPES                    CREATED                   REVOKED',
      'CN=shop,O=Müller\\, Söhne  shop   orders:read,orders:write  TIME  -',
      'urn:shop                  shop   orders:read               TIME  -',
      '',
    ]);

    expect(await certs(dataDir, 'revoke', SHOP)).toEqual(DONE);
    expect(await listed(dataDir)).toEqual([{ ...subject, revoked_at: 'TIME' }, urn]);
    const again = await certs(dataDir, 'revoke', SHOP);
    expect(again).toMatchObject({ code: 1, stdout: '' });
    expect(again.stderr).toContain(`no certificate with the identity ${SHOP} is allowed`);
  });

  const faults: readonly (readonly [readonly string[], readonly string[]])[] = [
    [['allow'], ['--subject, --uri: exactly one of them', '--owner: must be', '--scopes: must be']],
    [['allow', '--uri', 'urn:a', ...READ, '--expires-in', '1d'], ["Unknown option '--expires-in'"]],
    [['list', 'all'], ["Unexpected argument 'all'"]],
    [['revoke'], ['IDENTITY: exactly one subject or URI']],
    [['revoke', 'CN=a', 'CN=b'], ['IDENTITY: exactly one subject or URI']],
    [['frobnicate'], ['pnpm orders certs allow (--subject SUBJECT | --uri URI) --owner OWNER --scopes']],
  ];
  for (const [args, expected] of faults) {
    it(`reports the errors in "${args.join(' ')}"`, async () => {
      const { code, stdout, stderr } = await certs('/dev/null/data', ...args);
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      for (const fault of expected) expect(stderr).toContain(fault);
      expect(stderr).not.toMatch(/^ +at /m);
    });
  }
});

describe('a server that requests client certificates', () => {
  it('accepts allowed certificates, by subject or URI, as their owner', async () => {
    const authority = await aFilingAuthority();
    const server = await startTlsServer(authority);
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

    const key = await server.demoKey();
    const withKey = await curl(authority, orders, writer, '--header', `X-API-Key: ${key}`);
    expect(withKey).toMatchObject({ status: 200, body: { data: [] } });
  });

  it('prints a working curl line, as without TLS', async () => {
    const authority = await aFilingAuthority();
    const { cert, key } = await authority.issue({ extensions: 'subjectAltName = IP:127.0.0.1' });
    // The file contains the certificate and its chain, as such files do.
    await appendFile(cert, await readFile(authority.cert));
    const server = await startServer({ TLS_CERT_FILE: cert, TLS_KEY_FILE: key });
    const [line = ''] = /curl .*/.exec(server.output()) ?? [];
    const { stdout } = await promisify(execFile)('sh', ['-c', `${line} --silent --show-error`]);
    expect(JSON.parse(stdout)).toMatchObject({ data: [] });
  });
});
