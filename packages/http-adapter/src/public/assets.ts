import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import manifest from '@fastify/swagger-ui/package.json' with { type: 'json' };
import { START_JS } from './docs-start.ts';
import { THEME_CSS, THEME_JS } from './docs-theme.ts';
import { encodings } from './encodings.ts';
import type { PublicResource } from './public-resource.ts';
import { sendFile } from './send-static.ts';

/** A static file that pages load. */
interface Asset {
  /** Path after the prefix. It contains a version, so the content never changes. */
  readonly path: string;
  readonly type: string;
  readonly bytes: () => Buffer;
}

/** Style of the API's own pages, light or dark according to the browser. */
const PAGE_CSS = `:root {
  color-scheme: light dark;
}
body {
  max-width: 44rem;
  margin: 4rem auto;
  padding: 0 1.5rem;
  background: light-dark(#fff, #17181a);
  color: light-dark(#1d1b18, #eeece8);
  font: 1rem/1.6 system-ui, sans-serif;
}
a {
  color: light-dark(#2653c9, #93b4ff);
}
h1 {
  line-height: 1.2;
}
h2 {
  margin-top: 2rem;
  font-size: 1.1rem;
}
code {
  padding: 0.1em 0.3em;
  border-radius: 0.25em;
  background: color-mix(in srgb, currentcolor 10%, transparent);
  font-size: 0.9em;
}
pre code {
  display: block;
  padding: 0.75em 1em;
  overflow-wrap: anywhere;
  white-space: pre-wrap;
}
.links {
  padding: 0;
  list-style: none;
}
.links li {
  margin: 1rem 0;
}
.links a {
  font-weight: 600;
}
`;

const JS = 'text/javascript; charset=utf-8';
const CSS = 'text/css; charset=utf-8';
const { resolve } = createRequire(import.meta.url);

export const SWAGGER_UI_JS = installed('swagger-ui-bundle.js', JS);
export const SWAGGER_UI_CSS = installed('swagger-ui.css', CSS);
export const DOCS_START_JS = own('docs-start.js', JS, START_JS);
export const DOCS_THEME_JS = own('docs-theme.js', JS, THEME_JS);
export const DOCS_THEME_CSS = own('docs-theme.css', CSS, THEME_CSS);
export const PAGE_STYLE = own('page.css', CSS, PAGE_CSS);

/** All static files. A fixed list, so that no part of a request becomes part of a file name. */
export const ASSETS: readonly PublicResource[] = [
  SWAGGER_UI_JS,
  SWAGGER_UI_CSS,
  DOCS_START_JS,
  DOCS_THEME_JS,
  DOCS_THEME_CSS,
  PAGE_STYLE,
].map(({ path, type, bytes }) => {
  const choose = encodings(bytes);
  const body = { type, headers: { 'cache-control': 'public, max-age=31536000, immutable' } };
  return { path, handle: (request, reply) => sendFile(request, reply, choose, body) };
});

/**
 * Returns a file of Swagger UI, read from disk at the first request. Uses the files of `@fastify/swagger-ui`, because
 * `swagger-ui-dist` reports every installation to its vendor.
 */
function installed(name: string, type: string): Asset {
  let bytes: Buffer | undefined;
  return {
    path: `/docs/${manifest.version}/${name}`,
    type,
    bytes: () => (bytes ??= readFileSync(resolve(`@fastify/swagger-ui/static/${name}`))),
  };
}

function own(name: string, type: string, text: string): Asset {
  const bytes = Buffer.from(text);
  const version = createHash('sha256').update(bytes).digest('hex').slice(0, 12);
  return { path: `/docs/${version}/${name}`, type, bytes: () => bytes };
}
