import { encodings } from './encodings.ts';
import type { Page } from './page.ts';
import { FOR_A_MINUTE, sendFile, tagOf } from './send-static.ts';

/**
 * The document itself. It is the same for as long as the server runs, so that its text is its version. It is made for
 * the first request, because that takes as long as the rest of a registration.
 */
export function openApiPage(document: () => unknown): Page {
  let file: ReturnType<typeof fileOf> | undefined;
  return {
    path: '/openapi.json',
    handle: (request, reply) => {
      file ??= fileOf(document());
      return sendFile(request, reply, file.choose, file.body);
    },
  };
}

function fileOf(document: unknown) {
  const text = Buffer.from(JSON.stringify(document));
  const body = { type: 'application/json', headers: { 'cache-control': FOR_A_MINUTE }, tag: tagOf(text) };
  return { choose: encodings(() => text), body };
}
