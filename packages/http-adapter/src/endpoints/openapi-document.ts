import { encodings } from './encodings.ts';
import type { Page } from './page.ts';
import { FOR_A_MINUTE, sendFile, tagOf } from './send-static.ts';

/** The document itself. It is the same for as long as the server runs, so that its text is its version. */
export function openApiPage(document: unknown): Page {
  const text = Buffer.from(JSON.stringify(document));
  const choose = encodings(() => text);
  const body = { type: 'application/json', headers: { 'cache-control': FOR_A_MINUTE }, tag: tagOf(text) };
  return { path: '/openapi.json', handle: (request, reply) => sendFile(request, reply, choose, body) };
}
