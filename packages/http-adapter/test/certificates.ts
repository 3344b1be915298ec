import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';

/** A key pair with its certificate, in PEM. */
export interface Identity {
  readonly key: string;
  readonly cert: string;
}

/** Contents of a certificate. */
export interface Wanted {
  /** Subject in the format of `openssl req -subj`, the least specific part first. Default: `/CN=client`. */
  readonly subject?: string;
  /** Extension in the format of an openssl configuration file, such as `subjectAltName = URI:urn:shop`. */
  readonly extensions?: string;
  /** Options of `openssl req` for a new key. Default: {@link NEW_KEY}. */
  readonly newKey?: readonly string[];
  /** Start of validity. Default: one day ago. */
  readonly from?: Date;
  /** End of validity. Default: in one year. */
  readonly to?: Date;
}

/** A certificate authority. */
export interface Authority {
  readonly cert: string;
  issue(wanted?: Wanted): Promise<Identity>;
  /** Returns the subject of a certificate as `openssl x509 -subject` prints it. */
  subject(identity: Identity): Promise<string>;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** The policy accepts every subject unchanged. */
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

const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-noenc'];

/** Creates a certificate authority with a unique name for the running test. */
export async function anAuthority(): Promise<Authority> {
  const folder = await mkdtemp(join(tmpdir(), 'orders-certificates-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const openssl = (command: string, ...args: readonly string[]) =>
    promisify(execFile)('openssl', [command, ...args], { cwd: folder });
  const read = (name: string) => readFile(join(folder, name), 'utf8');
  await writeFile(join(folder, 'ca.cnf'), CONFIGURATION);
  await writeFile(join(folder, 'index.txt'), '');
  const own = ['-keyout', 'ca.key', '-out', 'ca.pem', '-subj', `/CN=authority ${randomUUID()}`, '-days', '3650'];
  await openssl('req', '-config', 'ca.cnf', '-x509', '-extensions', 'authority', ...NEW_KEY, ...own);
  return {
    cert: await read('ca.pem'),
    issue: async ({ subject = '/CN=client', extensions = '', newKey = NEW_KEY, from, to } = {}) => {
      await writeFile(join(folder, 'extensions.cnf'), extensions);
      const request = ['-new', '-utf8', '-subj', subject, '-keyout', 'key.pem', '-out', 'request.pem'];
      await openssl('req', '-config', 'ca.cnf', ...newKey, ...request);
      const dates = ['-startdate', asn1Time(from ?? daysFromNow(-1)), '-enddate', asn1Time(to ?? daysFromNow(365))];
      const by = ['-config', 'ca.cnf', '-cert', 'ca.pem', '-keyfile', 'ca.key', '-rand_serial', '-extfile'];
      const made = ['-batch', '-notext', '-preserveDN', '-in', 'request.pem', '-out', 'cert.pem', '-outdir', '.'];
      await openssl('ca', ...by, 'extensions.cnf', ...dates, ...made);
      return { key: await read('key.pem'), cert: await read('cert.pem') };
    },
    subject: async ({ cert }) => {
      await writeFile(join(folder, 'asked.pem'), cert);
      const spelling = ['-nameopt', 'RFC2253,utf8,-esc_msb'];
      const { stdout } = await openssl('x509', '-in', 'asked.pem', '-noout', '-subject', ...spelling);
      return stdout.replace(/^subject=/, '').replace(/\n$/, '');
    },
  };
}

function daysFromNow(days: number): Date {
  return new Date(Date.now() + days * DAY_MS);
}

/** `20260102030405Z` */
function asn1Time(time: Date): string {
  return time.toISOString().replaceAll(/[-:T]|\.[0-9]{3}/g, '');
}
