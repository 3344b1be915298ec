import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { aFolder } from './running-server.ts';

/** Paths of a certificate and its key, in PEM. */
export interface Identity {
  readonly cert: string;
  readonly key: string;
}

/** Who issues certificates. */
export interface Authority {
  /** The path of its own certificate. */
  readonly cert: string;
  /** `subject` with the least specific part first, `/O=Acme/CN=shop`; `extensions` as in a file of openssl's. */
  issue(subject: string, extensions?: string, to?: Date): Promise<Identity>;
}

const DAY_MS = 24 * 60 * 60 * 1000;

const CONFIGURATION = `
[req]
distinguished_name = anything
[authority]
basicConstraints = critical, CA:true
[ca]
default_ca = any
[any]
database = index.txt
serial = serial
default_md = sha256
policy = anything
unique_subject = no
[anything]
`;

const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-noenc', '-utf8'];

/** An authority with a name of its own, in a folder that is gone after the test. */
export async function anAuthority(): Promise<Authority> {
  const folder = await aFolder();
  const openssl = (command: string, ...args: readonly string[]) =>
    promisify(execFile)('openssl', [command, '-config', 'ca.cnf', ...args], { cwd: folder });
  await writeFile(join(folder, 'ca.cnf'), CONFIGURATION);
  await writeFile(join(folder, 'index.txt'), '');
  const own = ['-keyout', 'ca.key', '-out', 'ca.pem', '-subj', `/CN=authority ${randomUUID()}`];
  await openssl('req', '-x509', '-extensions', 'authority', ...NEW_KEY, ...own);
  let issued = 0;
  return {
    cert: join(folder, 'ca.pem'),
    issue: async (subject, extensions = '', to = new Date(Date.now() + DAY_MS)) => {
      const [cert, key] = [`${++issued}.pem`, `${issued}.key`];
      await writeFile(join(folder, 'extensions.cnf'), extensions);
      await openssl('req', '-new', ...NEW_KEY, '-subj', subject, '-keyout', key, '-out', 'request.pem');
      const dates = ['-startdate', asn1Time(new Date(Date.now() - DAY_MS)), '-enddate', asn1Time(to)];
      const by = ['-cert', 'ca.pem', '-keyfile', 'ca.key', '-rand_serial', '-extfile', 'extensions.cnf'];
      const made = ['-batch', '-notext', '-preserveDN', '-in', 'request.pem', '-out', cert, '-outdir', '.'];
      await openssl('ca', ...by, ...dates, ...made);
      return { cert: join(folder, cert), key: join(folder, key) };
    },
  };
}

/** `20260102030405Z` */
function asn1Time(time: Date): string {
  return time.toISOString().replaceAll(/[-:T]|\.[0-9]{3}/g, '');
}
