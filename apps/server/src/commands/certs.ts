import { CERTIFICATE_IDENTITY_BYTES_MAX, certificateIdentityKind } from '@orders/http-adapter/settings';
import type { ListedClientCertificate } from '@orders/persistence';
import { Option } from 'commander';
import { OperatorError } from '../operator-error.ts';
import { byThisUser, REASON } from './audited.ts';
import type { Arguments, Command } from './command.ts';
import { databaseResult } from './database-result.ts';
import { GRANT, LISTED, listOfOwner, readGrant, readName } from './grant.ts';
import { type Column, JSON_OUTPUT } from './list-output.ts';
import { OWNER } from './owner.ts';

const OPENSSL = 'openssl x509 -in FILE -noout -subject -nameopt RFC2253,utf8,-esc_msb';
const FAULTS = {
  subject: `--subject: must be the text after subject= in the output of "${OPENSSL}"`,
  uri: '--uri: must be an absolute URI such as spiffe://acme.example/shop',
};

/** Maps the client certificates with a subject or URI to an owner, unless the identity is mapped already. */
export const allowCertificate: Command = {
  usage: 'certs allow',
  records: 'itself',
  about: 'maps the client certificates with a subject or URI to an owner',
  options: [
    new Option('--subject <subject>', 'the subject of the certificates, such as CN=shop,O=Acme'),
    new Option('--uri <uri>', 'a URI of their subjectAltName, instead of the subject'),
    ...GRANT,
    REASON,
  ],
  examples: ['certs allow --subject CN=shop,O=Acme --owner shop --scopes orders:read'],
  prepare: async (args) => {
    const { values } = args;
    const { faults, ...grant } = await readGrant(values);
    const { identity, faults: identityFaults } = readCertificateIdentity(values);
    const all = [...identityFaults, ...faults];
    if (all.length > 0) throw new OperatorError(all);
    const by = byThisUser(args);
    return async ({ clientCertificates }) => {
      const created_at = new Date().toISOString();
      const allowed = await databaseResult(clientCertificates.allow({ identity, ...grant, created_at }, by));
      if (!allowed)
        throw new OperatorError([`${identity} is already allowed: revoke it first to change its owner or scopes`]);
    };
  },
};

const CERTIFICATE_COLUMNS: readonly Column<ListedClientCertificate>[] = [
  { header: 'IDENTITY', cell: ({ identity }) => identity },
  LISTED.name,
  LISTED.owner,
  LISTED.scopes,
  LISTED.created,
  LISTED.lastUsed,
  LISTED.revoked,
];

/** Lists mappings, with the identity to revoke in the first column. */
export const listCertificates: Command = {
  usage: 'certs list',
  records: 'nothing',
  about: 'lists the mappings of client certificates; revoke a mapping by the identity in the first column',
  options: [OWNER, JSON_OUTPUT],
  examples: ['certs list', 'certs list --owner shop --json'],
  prepare: listOfOwner(CERTIFICATE_COLUMNS, ({ clientCertificates }, query) => clientCertificates.list(query)),
};

/** Renames a mapping. */
export const renameCertificate: Command = {
  usage: 'certs rename <identity> <name>',
  records: 'itself',
  about: 'renames a mapping of client certificates',
  options: [REASON],
  examples: ['certs rename CN=shop,O=Acme "web shop"'],
  prepare: (args) => {
    const [[identity = ''], name, by] = [args.positionals, readName(args.positionals[1]), byThisUser(args)];
    return async ({ clientCertificates }) => {
      if (!(await databaseResult(clientCertificates.rename(identity, name, by)))) throw unknownIdentity(identity);
    };
  },
};

function unknownIdentity(identity: string): OperatorError {
  return new OperatorError([
    `IDENTITY: no certificate with the identity ${identity} is allowed; certs list lists those that are`,
  ]);
}

/** Revokes a mapping. Servers that have cached it accept it for up to 30 more seconds. */
export const revokeCertificate: Command = {
  usage: 'certs revoke <identity>',
  records: 'itself',
  about: 'revokes a mapping of client certificates',
  options: [REASON],
  examples: ['certs revoke CN=shop,O=Acme'],
  prepare: (args) => {
    const [[identity = ''], by] = [args.positionals, byThisUser(args)];
    return async ({ clientCertificates }) => {
      const revoked = await databaseResult(clientCertificates.revoke(identity, new Date().toISOString(), by));
      if (!revoked) throw unknownIdentity(identity);
    };
  },
};

/** The identity that an option selects, and the error for an invalid option. */
interface CertificateIdentity {
  readonly identity: string;
  readonly faults: readonly string[];
}

/** Parses `--subject` or `--uri`, exactly one of which must be present. */
function readCertificateIdentity({ subject, uri }: Arguments['values']): CertificateIdentity {
  const identity = subject ?? uri ?? '';
  const one = (subject === undefined) !== (uri === undefined);
  if (!one) return { identity, faults: ['--subject, --uri: exactly one of them is required'] };
  const kind = subject === undefined ? 'uri' : 'subject';
  if (certificateIdentityKind(identity) !== kind) return { identity, faults: [FAULTS[kind]] };
  const isLong = Buffer.byteLength(identity) > CERTIFICATE_IDENTITY_BYTES_MAX;
  return {
    identity,
    faults: isLong ? [`--subject, --uri: must have at most ${CERTIFICATE_IDENTITY_BYTES_MAX} bytes`] : [],
  };
}
