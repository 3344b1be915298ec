import { isAbsolute, join } from 'node:path';
import type { Config } from './config.ts';
import { DEMO_API_KEY_FILE } from './demo-api-key.ts';

/** What a person sees who starts the server without a database of their own: where it is, and a first request. */
export function greeting(url: string, { DATA_DIR, TLS_CERT_FILE }: Config): string {
  const ca = TLS_CERT_FILE === undefined ? '' : `--cacert ${shellQuoted(TLS_CERT_FILE)} `;
  const file = isAbsolute(DATA_DIR)
    ? join(DATA_DIR, DEMO_API_KEY_FILE)
    : `${DATA_DIR.replace(/\/$/, '')}/${DEMO_API_KEY_FILE}`;
  return `
  Orders listens on ${url}
  Its data is kept in ${DATA_DIR}

  curl ${ca}-H "X-API-Key: $(cat ${shellQuoted(file)})" ${url}/v1/orders

`;
}

function shellQuoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`;
}
