import type { FastifyReply, FastifyRequest } from 'fastify';
import { readTarget, WHOLE_SERVER } from '../connection/request-head.ts';
import { occurrenceOf } from '../problems/catalog.ts';
import { type BaseUrl, sendProblem } from '../problems/problem.ts';
import { preflightHeaders } from './common-headers.ts';

/** A path and its methods, to distinguish an unsupported method from an unknown path. */
export interface KnownPath {
  readonly path: string;
  readonly methods: readonly string[];
  /** The media types of PATCH bodies, if the path supports PATCH (RFC 5789 section 3.1). */
  readonly acceptPatch?: string | undefined;
}

/** Sends a page about the root, or about a path without a resource, to clients that prefer one. */
type SendPage = (
  request: FastifyRequest,
  reply: FastifyReply,
  baseUrl: BaseUrl,
  isRoot: boolean,
) => FastifyReply | undefined;

/**
 * Responds to requests without a route: an unknown path, an unsupported method of a known path (RFC 9110
 * section 15.5.6), or the path of the landing page. All paths are below `prefix`.
 */
export function unroutedHandler(below: readonly KnownPath[], prefix: string, sendPage: SendPage, baseUrl: BaseUrl) {
  const paths = below.map((known) => ({ ...known, path: `${prefix}${known.path}` }));
  const [findPath, findRoot] = [pathFinder(paths), pathFinder([{ path: `${prefix}/`, methods: [] }])];
  // The methods that any resource of the server supports (RFC 9110 section 9.3.7).
  const wholeServer = { path: WHOLE_SERVER, methods: [...new Set(paths.flatMap(({ methods }) => methods))] };
  return (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const known = request.url === WHOLE_SERVER ? wholeServer : findPath(request.url);
    const isRoot = findRoot(request.url) !== undefined;
    // A client of the API itself gets problems.
    const page =
      isRoot || !(known || request.url.startsWith(`${prefix}/v1/`))
        ? sendPage(request, reply, baseUrl, isRoot)
        : undefined;
    if (page) return page;
    if (!known) return sendProblem(reply, occurrenceOf('not_found'), baseUrl);
    const headers = allowHeaders(known);
    if (request.method === 'OPTIONS') {
      const preflight = reply.hasHeader('access-control-allow-origin') ? preflightHeaders(headers.allow) : {};
      return reply
        .code(204)
        .headers({ ...headers, ...preflight, 'cache-control': 'no-store' })
        .send();
    }
    const detail = `The path supports the methods ${headers.allow}.`;
    return sendProblem(reply, { code: 'method_not_allowed', detail, headers }, baseUrl);
  };
}

/** Returns a function that finds the known path of a URL, like the router. `:name` matches any segment but an empty one. */
function pathFinder(paths: readonly KnownPath[]): (url: string) => KnownPath | undefined {
  const patterns = paths.map((known) => {
    const literally = known.path.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
    return { known, pattern: new RegExp(`^${literally.replaceAll(/:[a-z_]+/g, '[^/]+')}$`) };
  });
  return (url) => {
    const path = decodeURI(readTarget(url).path);
    return patterns.find(({ pattern }) => pattern.test(path))?.known;
  };
}

/** Returns the headers that list the methods of a path. */
function allowHeaders({ methods, acceptPatch }: KnownPath): { allow: string; 'accept-patch'?: string } {
  const allow = [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].toSorted().join(', ');
  return acceptPatch === undefined ? { allow } : { allow, 'accept-patch': acceptPatch };
}
