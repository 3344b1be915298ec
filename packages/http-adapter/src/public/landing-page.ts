import type { FastifyReply, FastifyRequest } from 'fastify';
import { type BaseUrl, publicPath } from '../problems/problem.ts';
import { preferredType } from '../request/media-types.ts';
import { PAGE_STYLE } from './assets.ts';
import { htmlPage, inline, sendHtml } from './html.ts';

const HTML = 'text/html';

/** The type of the 404. First, so that a client that accepts any type gets it. */
const PROBLEM = 'application/problem+json';

/**
 * Sends a page to a browser, which prefers HTML: at the root one with links to all others, elsewhere that there is none.
 * Returns `undefined` for any other client, and for any other method: they get the 404 of a path without a resource.
 *
 * The page is not a route, because a host application may have a route of its own for `/`.
 */
export function sendLandingPage(
  request: FastifyRequest,
  reply: FastifyReply,
  baseUrl: BaseUrl,
  isRoot: boolean,
): FastifyReply | undefined {
  if (request.method !== 'GET' && request.method !== 'HEAD') return undefined;
  if (preferredType(request.headers.accept, [PROBLEM, HTML]) !== HTML) return undefined;
  return isRoot
    ? sendHtml(request, reply, landingHtml(baseUrl))
    : sendHtml(request, reply.code(404), missingHtml(baseUrl), 'no-store');
}

const LINKS = [
  ['docs', 'API reference', 'Read about every operation and send requests from the page.'],
  ['openapi.json', 'OpenAPI document', 'The same for programs: generate a client from it.'],
  ['problems', 'Errors', 'Every error code, what it means, and what to do.'],
  ['readyz', 'Readiness', 'Whether the server accepts requests now.'],
  ['livez', 'Liveness', 'Whether the process runs.'],
] as const;

function landingHtml(baseUrl: BaseUrl): string {
  // Not relative: the page may have an address without a slash at the end.
  const items = LINKS.map(
    ([path, name, about]) => `<li><a href="${publicPath(baseUrl, `/${path}`)}">${name}</a><br>${about}</li>`,
  );
  return htmlPage({
    title: 'Orders',
    toPrefix: publicPath(baseUrl, ''),
    styles: [PAGE_STYLE],
    body: `<main>
<h1>Orders</h1>
<p>An HTTP API to place, charge, ship, refund, cancel and erase orders, and to keep their customers.</p>
<p><strong>It runs:</strong> this page comes from the server itself. Readiness says whether its database does, too.</p>
<ul class="links">
${items.join('\n')}
</ul>
<h2>Send a request</h2>
<pre><code>${inline(`curl -H "X-API-Key: $KEY" ${baseUrl()}/v1/orders`)}</code></pre>
</main>`,
  });
}

function missingHtml(baseUrl: BaseUrl): string {
  return htmlPage({
    title: 'No page here',
    toPrefix: publicPath(baseUrl, ''),
    styles: [PAGE_STYLE],
    body: `<main>
<h1>No page here</h1>
<p>This is the server of an HTTP API, and nothing has this address. Resources are below <code>/v1</code>.</p>
<p><a href="${publicPath(baseUrl, '/')}">What is here</a> · <a href="${publicPath(baseUrl, '/docs')}">API reference</a></p>
</main>`,
  });
}
