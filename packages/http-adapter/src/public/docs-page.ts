import { DOCS_START_JS, DOCS_THEME_CSS, DOCS_THEME_JS, SWAGGER_UI_CSS, SWAGGER_UI_JS } from './assets.ts';
import { encodings } from './encodings.ts';
import { htmlPage, sendHtml } from './html.ts';
import type { PublicResource } from './public-resource.ts';
import { FOR_A_MINUTE, sendFile, tagOf } from './send-static.ts';

/** The API reference: Swagger UI for `/openapi.json`. */
const HTML = htmlPage({
  title: 'Orders API',
  styles: [SWAGGER_UI_CSS, DOCS_THEME_CSS],
  scripts: [DOCS_THEME_JS, SWAGGER_UI_JS, DOCS_START_JS],
  toPrefix: '.',
  body: '<header><button id="theme" type="button" hidden></button></header><div id="docs"><noscript>The reference needs JavaScript. The document itself is <a href="openapi.json">openapi.json</a>.</noscript></div>',
});

export const DOCS_PAGE: PublicResource = {
  path: '/docs',
  // Revalidated each time, because it refers to files by version, and those of earlier releases no longer exist.
  handle: (request, reply) => sendHtml(request, reply, HTML, 'no-cache'),
};

/**
 * Serves the OpenAPI document. It does not change while the server runs. It is generated at the first request, because that
 * takes as long as the rest of the registration.
 */
export function openApiResource(document: () => unknown): PublicResource {
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
