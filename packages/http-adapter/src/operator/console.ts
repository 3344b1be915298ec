import { extname } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { occurrenceOf } from '../problems/catalog.ts';
import { type BaseUrl, sendProblem } from '../problems/problem.ts';
import { ASSETS, PAGE_STYLE } from '../public/assets.ts';
import { type ChooseEncoding, encodings } from '../public/encodings.ts';
import { CONTENT_SECURITY_POLICY, htmlPage, inline } from '../public/html.ts';
import { type PublicAdmission, servePublicResources } from '../public/public-resources.ts';
import { sendFile, sendStatic } from '../public/send-static.ts';

/**
 * Returns the files of the built console by their names, `index.html` and `assets/…`. Each name in `assets` has a digest of its
 * content. Until the console is built, returns in a sentence why it is not.
 */
export type ConsoleFiles = () => ReadonlyMap<string, Buffer> | string;

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** No text becomes code: the console needs neither HTML from texts nor a policy that makes it. */
const HEADERS = {
  'content-security-policy': `${CONTENT_SECURITY_POLICY}; require-trusted-types-for 'script'; trusted-types 'none'`,
  'cache-control': 'no-store',
};
const FOR_EVER = { ...HEADERS, 'cache-control': 'public, max-age=31536000, immutable' };

/** How often a browser loads the page that says why there is no console, in seconds. */
const RELOAD_S = 3;

/**
 * Serves the console at `/`. Its pages are in the fragment, which no browser sends, so that no log has what an operator looks
 * at. It needs no token: it has nothing but what reads the API.
 */
export function serveConsole(
  app: FastifyInstance,
  files: ConsoleFiles,
  admission: PublicAdmission,
  baseUrl: BaseUrl,
): void {
  const chosen = new WeakMap<Buffer, ChooseEncoding>();
  const send = (request: FastifyRequest, reply: FastifyReply, name: string, headers: typeof HEADERS): FastifyReply => {
    const built = files();
    // Whatever a page of an earlier build loads is kept for ever.
    if (typeof built === 'string' && name === PAGE)
      return sendStatic(request, reply, waitingPage(built), { type: HTML, headers: HEADERS });
    const file = typeof built === 'string' ? undefined : built.get(name);
    if (!file) return sendProblem(reply, occurrenceOf('not_found'), baseUrl);
    const choose = chosen.get(file) ?? encodings(() => file);
    chosen.set(file, choose);
    return sendFile(request, reply, choose, { type: TYPES[extname(name)] ?? 'application/octet-stream', headers });
  };
  void app.register((pages, _options, done) => {
    // The hook of the listener, which comes first, has set those of the API.
    pages.addHook('onSend', (request, reply, _payload, next) => {
      const isForEver = reply.statusCode === 200 && request.routeOptions.url !== '/';
      void reply.headers(isForEver ? FOR_EVER : HEADERS);
      next();
    });
    servePublicResources(
      pages,
      [
        { path: '/', handle: (request, reply) => send(request, reply, PAGE, HEADERS) },
        {
          path: '/assets/:name',
          handle: (request, reply) => send(request, reply, `assets/${nameOf(request)}`, FOR_EVER),
        },
        ...ASSETS.filter(({ path }) => path === PAGE_STYLE.path),
      ],
      admission,
    );
    done();
  });
}

const PAGE = 'index.html';
const HTML = 'text/html; charset=utf-8';

function nameOf({ params }: FastifyRequest): string {
  return typeof params === 'object' && params !== null && 'name' in params ? String(params.name) : '';
}

function waitingPage(reason: string): string {
  const body = `<main>\n<h1>Orders</h1>\n<p>${inline(reason)}</p>\n</main>`;
  const page = htmlPage({ title: 'Orders console', toPrefix: '', styles: [PAGE_STYLE], body });
  return page.replace('<title>', `<meta http-equiv="refresh" content="${RELOAD_S}">\n<title>`);
}
