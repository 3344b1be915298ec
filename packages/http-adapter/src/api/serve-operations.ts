import type { FastifyInstance, onRequestHookHandler, preParsingHookHandler, preValidationHookHandler } from 'fastify';
import type { BaseUrl } from '../problems/problem.ts';
import { versionedPaths } from '../request/api-version.ts';
import { keepBodiesAsBytes } from '../request/json-body.ts';
import { acceptBodies, negotiateContent, rejectUntypedBody } from '../request/media-types.ts';
import { ownRoute } from '../request-state.ts';
import { type ResponseOptions, respondWith } from '../response/send-response.ts';
import { bodyBudget } from './body-budget.ts';
import { type ChargeUnits, chargedWork } from './charged-work.ts';
import type { Served } from './operation.ts';
import { serializerOf } from './serializers.ts';

const TIME_LIMIT_MS_DEFAULT = 30_000;

interface Limits {
  readonly bodyLimitBytes?: number | undefined;
  readonly timeLimitMs?: number | undefined;
}

/** Decides about the requests for an operation, and counts what they cost. */
interface Admission<O> extends Pick<ResponseOptions, 'unread' | 'loopTime'> {
  readonly admitTo: (operation: O) => readonly onRequestHookHandler[];
  readonly charge: ChargeUnits;
  /** Returns the hooks of bodies: before anything waits for one, before it is read, and after it. */
  readonly bodies: (bodyLimit: number) => Readonly<Record<'begin' | 'read', preParsingHookHandler>> & {
    readonly end: preValidationHookHandler;
  };
}

/** The pattern of a parameter that is not empty, for the router. */
const PRESENT = '(^[^]+$)';

/** Serves each operation under each of its paths, with its checks in the documented order. The first path names the version. */
export function serveOperations<O extends Served>(
  app: FastifyInstance,
  operations: readonly O[],
  { bodyLimitBytes = Number.POSITIVE_INFINITY, timeLimitMs = TIME_LIMIT_MS_DEFAULT }: Limits,
  { admitTo, charge, bodies, unread, loopTime }: Admission<O>,
  baseUrl: BaseUrl,
  toPaths: (path: string) => readonly string[] = versionedPaths,
): void {
  keepBodiesAsBytes(app);
  const negotiate = negotiateContent(baseUrl);
  for (const operation of operations) {
    const { method, path, body, response, cost, supports = [], waitMaxMs = 0 } = operation;
    const isRead = method === 'GET';
    const onRequest = [...admitTo(operation), ...(body ? [acceptBodies(body.types, baseUrl)] : [])];
    const untyped = body ? [rejectUntypedBody(body.types, baseUrl)] : [];
    const budget = body?.budget ?? bodyBudget(body?.schema);
    const rejectsKeys = cost.policy !== 'read' && !supports.includes('Idempotency-Key');
    const serialize = response && serializerOf(response.schema);
    const limitMs = timeLimitMs + waitMaxMs;
    const bodyLimit = Math.min(budget.bytes, bodyLimitBytes);
    const { begin, read, end } = bodies(bodyLimit);
    const handle = chargedWork(operation, charge, loopTime);
    for (const [index, url] of toPaths(path).entries()) {
      app.route({
        ...ownRoute({ namesVersion: index === 0, rejectsKeys, bodyBudget: budget }),
        method: isRead ? ['GET', 'HEAD'] : method,
        // Without it, the router would take the path of a collection with a slash at its end for that of a resource.
        url: url.replaceAll(/:[a-z_]+/g, `$&${PRESENT}`),
        bodyLimit,
        onRequest,
        preParsing: isRead ? negotiate : [begin, ...untyped, negotiate, read],
        preValidation: isRead ? [] : end,
        handler: respondWith(handle, { limitMs, unread, loopTime, baseUrl, serialize }),
      });
    }
  }
}

/** Returns the paths of operations, each with its methods and the media types of its PATCH. */
export function pathsOf(operations: readonly Served[], toPaths: (path: string) => readonly string[] = versionedPaths) {
  return [...Map.groupBy(operations, ({ path }) => path)].flatMap(([path, group]) => {
    const patch = group.find(({ method }) => method === 'PATCH')?.body;
    const known = { methods: group.map(({ method }) => method), acceptPatch: patch?.types.join(', ') };
    return toPaths(path).map((versioned) => ({ path: versioned, ...known }));
  });
}
