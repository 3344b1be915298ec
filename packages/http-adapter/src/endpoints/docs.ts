import { DOCS_START_JS, SWAGGER_UI_CSS, SWAGGER_UI_JS } from './assets.ts';
import { encodings } from './encodings.ts';
import { htmlPage, sendHtml } from './html.ts';
import type { Page } from './page.ts';
import { FOR_A_MINUTE, sendFile, tagOf } from './send-static.ts';

/** The API reference, to read and to try out: Swagger UI over `/openapi.json`. */
const HTML = htmlPage({
  title: 'Orders API',
  styles: [SWAGGER_UI_CSS],
  scripts: [SWAGGER_UI_JS, DOCS_START_JS],
  toPrefix: '.',
  body: '<div id="docs"><noscript>The reference needs JavaScript. The document itself is <a href="openapi.json">openapi.json</a>.</noscript></div>',
});

export const DOCS_PAGE: Page = {
  path: '/docs',
  // Never kept: it names files by their version, and those of the last release are gone.
  handle: (request, reply) => sendHtml(request, reply, HTML, 'no-cache'),
};

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
