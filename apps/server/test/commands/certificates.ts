import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { anAuthority, type Wanted } from '../../../../packages/http-adapter/test/fixtures/certificates.ts';
import { aFolder } from '../programs/running-server.ts';

/** Paths of a certificate and its key, in PEM. */
export interface IdentityFiles {
  readonly cert: string;
  readonly key: string;
}

/** Creates an authority whose certificates are in files, and deletes them after the test. */
export interface FilingAuthority {
  /** The path of the authority's own certificate. */
  readonly cert: string;
  issue(wanted: Wanted): Promise<IdentityFiles>;
}

export async function aFilingAuthority(): Promise<FilingAuthority> {
  const [folder, authority] = [await aFolder(), await anAuthority()];
  const file = async (name: string, pem: string): Promise<string> => {
    await writeFile(join(folder, name), pem);
    return join(folder, name);
  };
  let issued = 0;
  return {
    cert: await file('ca.pem', authority.cert),
    issue: async (wanted) => {
      const { cert, key } = await authority.issue(wanted);
      issued += 1;
      return { cert: await file(`${issued}.pem`, cert), key: await file(`${issued}.key`, key) };
    },
  };
}
