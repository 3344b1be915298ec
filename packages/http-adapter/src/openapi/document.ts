import type { Deprecations } from '../admission/deprecation.ts';
import { canonicalPath } from '../request/api-version.ts';
import type { Operation } from '../api/operation.ts';
import { Components } from './components.ts';
import type { OperationContext } from './operation-context.ts';
import { operationsOf } from './operations.ts';

/** Where the API is, and what of it will be gone. */
export interface DocumentOptions {
  /** What comes before the version in every path; empty by default. */
  readonly prefix?: string | undefined;
  readonly deprecations?: Deprecations | undefined;
  readonly authentication: OperationContext['authentication'];
}

/** Of the document, which is the API's own: its first number rises with every change that could break a client. */
const DOCUMENT_VERSION = '1.0.0';

const DESCRIPTION = `Place, list, read, change, delete and cancel orders, and keep the customers they are for.

Every error is problem details (RFC 9457) with a \`code\` that is final. Lists are walked by cursor. Writes take an
\`Idempotency-Key\`, so that a retry happens once, and \`If-Match\`, so that no change is lost.

Every path has OPTIONS, which names its methods; another method than those is answered with 405. A version may be named
by the path, by \`API-Version\`, or by asking for \`application/vnd.orders.v1+json\`; unnamed, it is version 1.

Where the API is a part of another application, that application may reject requests for reasons of its own: with
problem details whose \`code\` is \`http_{status}\`, such as \`http_403\`, or \`rate_limited\`, and whose \`detail\` may be absent.

Without a new version, an answer may gain fields and headers, an operation optional parameters and new problems, and the
API operations. Be ready for a new value wherever \`x-extensible-enum\` lists those of today.`;

/** The API as an OpenAPI 3.1 document, made of the routes that it is served by. */
export function openApiDocument(routes: readonly Operation[], options: DocumentOptions) {
  const components = new Components();
  const { prefix = '', deprecations = {}, authentication } = options;
  const paths = [...Map.groupBy(routes, ({ path }) => path)].map(([path, group]): [string, unknown] => [
    path.replaceAll(/:([a-z_]+)/g, '{$1}'),
    Object.fromEntries(
      group
        .flatMap((route) => operationsOf(route, { deprecated: route.id in deprecations, authentication, components }))
        .map(([method, operation]) => [method, components.withSchemas(operation)]),
    ),
  ]);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Orders',
      version: DOCUMENT_VERSION,
      description: DESCRIPTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [
      { url: `${prefix}${canonicalPath('')}`, description: 'This server', 'x-internal': false },
      {
        url: prefix === '' ? '/' : prefix,
        description: 'The same without the version, which stays version 1 for good',
        'x-internal': false,
      },
    ],
    tags: [
      { name: 'Orders', description: 'Orders and their items' },
      { name: 'Customers', description: 'The buyers whom orders may name' },
    ],
    security: Object.keys(authentication.securitySchemes).map((name) => ({ [name]: [] })),
    paths: Object.fromEntries(paths),
    components: { ...components.sorted(), securitySchemes: authentication.securitySchemes },
  };
}
