import type { OrderDefinition } from '@orders/domain';
import type { Operation } from '../api/operation.ts';
import { openApiDocument } from '../openapi/document.ts';
import type { BaseUrl } from '../problems/problem.ts';
import { isRecord } from '../request/request-parameters.ts';
import { OPERATOR_ROLES, type OperatorOperation } from './operator.ts';
import { OWNER_HEADER, REASON_HEADER } from './operator-principals.ts';

const SCHEMES = {
  OperatorSession: {
    type: 'http',
    scheme: 'bearer',
    description: `The token of a session, or to sign in that of a link from \`pnpm orders operators create\`. An operation names
the least role that may use it: ${OPERATOR_ROLES.join(', ')}`,
  },
};

const DESCRIPTION = `The API for those who operate an Orders server, on a listener of its own.

- **Acting for an owner**: the operations under \`/v1\` are those of the API, for the owner in \`${OWNER_HEADER}\`. A write needs
  \`${REASON_HEADER}\`, and is recorded in the same transaction. Owners see the actor \`operator:{id}\`.
- **Personal data**: lists have none, and a viewer gets none. One order or person in full is recorded before the response.
- **Nothing is cached**: no read returns 304. An entity tag is for \`If-Match\` alone.
- **Errors** are problem details (RFC 9457) with a \`code\` that never changes.`;

const OWNER = {
  name: OWNER_HEADER,
  in: 'header',
  description: 'The owner whose resources are read or changed',
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[ -~]+$' },
  example: 'shop',
};

const REASON = {
  name: REASON_HEADER,
  in: 'header',
  description: 'Why, percent-encoded; 1 to 500 characters, which are recorded',
  schema: { type: 'string', minLength: 1, maxLength: 6000, pattern: '^[!-~]+$' },
  example: 'ticket%204711',
};

/** Generates the OpenAPI document of the listener from its routes. */
export function operatorDocument(
  routes: readonly OperatorOperation[],
  { adminUrl: baseUrl, definition }: { readonly adminUrl: BaseUrl; readonly definition: OrderDefinition },
) {
  const described = routes.map((route): Operation => ({ ...route, path: keyOf(route.path), scope: scopeOf(route) }));
  const { paths, info, ...document } = openApiDocument(described, {
    baseUrl,
    authentication: { securitySchemes: SCHEMES },
    definition,
  });
  const own = [...Map.groupBy(routes, ({ path }) => path)].map(([path, group]): readonly [string, unknown] => {
    const item: unknown = paths[templateOf(keyOf(path))];
    const members = isRecord(item) ? item : {};
    const operations = group.map((route) => [
      route.method.toLowerCase(),
      withRole(members[route.method.toLowerCase()], route),
    ]);
    return [templateOf(path), { ...members, ...Object.fromEntries(operations) }];
  });
  return {
    ...document,
    info: { ...info, title: 'Orders, for operators', description: DESCRIPTION },
    servers: [{ url: baseUrl(), description: 'This listener', 'x-internal': true }],
    paths: Object.fromEntries(own),
  };
}

function withRole(operation: unknown, { role, about, changes }: OperatorOperation) {
  const members = isRecord(operation) ? operation : {};
  const parameters: readonly unknown[] = Array.isArray(members['parameters']) ? members['parameters'] : [];
  const owner = about === 'none' ? [] : [{ ...OWNER, required: about === 'owner' }];
  const reason = changes || about === 'owner' ? [{ ...REASON, required: changes }] : [];
  return {
    ...members,
    security: [{ OperatorSession: [role] }],
    parameters: [...parameters, ...owner, ...reason],
  };
}

/** Returns the path under which the document of the API describes a route: without a version. */
function keyOf(path: string): string {
  return path.startsWith('/v1/') ? path.slice('/v1'.length) : path;
}

function templateOf(path: string): string {
  return path.replaceAll(/:([a-z_]+)/g, '{$1}');
}

/** Returns the scope of an operation of the API. The others have none, and their role takes its place. */
function scopeOf(route: OperatorOperation): Operation['scope'] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a route of an owner is an operation of the API
  return 'scope' in route ? (route.scope as Operation['scope']) : 'orders:read';
}
