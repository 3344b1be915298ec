import { isAbsolute, join } from 'node:path';
import { styleText } from 'node:util';
import type { Config } from '../config/config.ts';
import { DEMO_API_KEY_FILE } from '../database/demo-api-key.ts';

/** The database of the server: `embedded` has the demo API key, `external` only the keys that an operator created. */
export type DatabaseKind = 'embedded' | 'external';

/**
 * Returns the lines that a developer needs when the server listens: its URL, the API reference, and a command to try
 * next, both below the public URL if there is one. `address` is that of the server, and `consoleUrl` that of the console.
 */
export function greeting(
  { address, consoleUrl }: { readonly address: string; readonly consoleUrl: string | undefined },
  config: Config,
  database: DatabaseKind,
): string {
  const url = config.PUBLIC_BASE_URL ?? address;
  const next = database === 'embedded' ? curlLine(url, config) : CREATE_KEY;
  return `
  Orders listens on ${highlighted(address)}
  API reference:    ${highlighted(`${url}/docs`)}${consoleUrl === undefined ? '' : `\n  Console:          ${highlighted(consoleUrl)}`}
  ${next}

`;
}

const CREATE_KEY = 'pnpm orders keys create --owner shop --scopes orders:read,orders:write';

function curlLine(url: string, { DATA_DIR, PUBLIC_BASE_URL, TLS_CERT_FILE }: Config): string {
  // What is public may have another certificate.
  const ca =
    TLS_CERT_FILE === undefined || PUBLIC_BASE_URL !== undefined ? '' : `--cacert ${shellQuoted(TLS_CERT_FILE)} `;
  const file = isAbsolute(DATA_DIR)
    ? join(DATA_DIR, DEMO_API_KEY_FILE)
    : `${DATA_DIR.replace(/\/$/, '')}/${DEMO_API_KEY_FILE}`;
  return `curl ${ca}-H "X-API-Key: $(cat ${shellQuoted(file)})" ${url}/v1/orders`;
}

/** Returns the text in colour when standard output is a terminal, unless NO_COLOR is set. */
function highlighted(text: string): string {
  return styleText('cyan', text, { stream: process.stdout });
}

function shellQuoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`;
}
