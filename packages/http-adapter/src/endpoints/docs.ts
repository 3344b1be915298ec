import { DOCS_START_JS, SWAGGER_UI_CSS, SWAGGER_UI_JS } from './assets.ts';
import { htmlPage, sendHtml } from './html.ts';
import type { Page } from './page.ts';

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
