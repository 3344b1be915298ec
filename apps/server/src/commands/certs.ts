import { OperatorError } from '../operator-error.ts';
import { readCertificateIdentity } from './certificate-identity.ts';
import type { Command } from './command.ts';
import { databaseResult } from './database-result.ts';
import { GRANT_OPTIONS, GRANT_USAGE, readGrant, readOptions } from './options.ts';
import { print } from './print.ts';

/** Maps the certificates that go by a subject or a URI to an owner, unless they are somebody's already. */
export const allowCertificate: Command = {
  usage: `certs allow (--subject SUBJECT | --uri URI) ${GRANT_USAGE}`,
  about: 'maps the client certificates with a subject or URI to an owner',
  prepare: (args) => {
    const options = readOptions(args, ['subject', 'uri', ...GRANT_OPTIONS]);
    const { owner, scopes, mistakes } = readGrant(options);
    const { identity, mistakes: identityMistakes } = readCertificateIdentity(options);
    const all = [...identityMistakes, ...mistakes];
    if (all.length > 0) throw new OperatorError(all);
    return async ({ clientCertificates }) => {
      const created_at = new Date().toISOString();
      const allowed = await databaseResult(clientCertificates.allow({ identity, owner, scopes, created_at }));
      if (!allowed) throw new OperatorError([`${identity} is allowed already; to change that, revoke it first`]);
    };
  },
};

/** Lists mappings, the identity to revoke by in the first column. */
export const listCertificates: Command = {
  usage: 'certs list',
  about: 'lists the mappings of client certificates, with what to revoke by in the first column',
  prepare: (args) => {
    if (args.length > 0) throw new OperatorError(['certs list takes no arguments']);
    return async ({ clientCertificates }) => {
      for (const { identity, owner, scopes, created_at, revoked_at } of await databaseResult(
        clientCertificates.list(),
      )) {
        const state = revoked_at ? `revoked ${revoked_at}` : 'allowed';
        await print(`${[identity, owner, scopes.join(','), created_at, state].join('\t')}\n`);
      }
    };
  },
};

/** Ends a mapping. Servers that know it let it in for 30 seconds more at most. */
export const revokeCertificate: Command = {
  usage: 'certs revoke IDENTITY',
  about: 'ends a mapping',
  prepare: ([identity, ...rest]) => {
    if (identity === undefined || rest.length > 0) throw new OperatorError(['IDENTITY: name one subject or URI']);
    return async ({ clientCertificates }) => {
      const revoked = await databaseResult(clientCertificates.revoke(identity, new Date().toISOString()));
      if (!revoked) throw new OperatorError([`IDENTITY: no certificate is allowed that goes by ${identity}`]);
    };
  },
};
