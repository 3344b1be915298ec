import type { OrderDefinition } from '@orders/domain';
import type { Deprecations } from '../admission/deprecation.ts';
import type { BaseUrl } from '../problems/problem.ts';
import { canonicalPath } from '../request/api-version.ts';
import type { Operation } from '../api/operation.ts';
import { Components, type OperationContext } from './components.ts';
import { EVERY_RESPONSE } from './headers.ts';
import { describedOperation, pathItem } from './operations.ts';
import { tagsOf } from './resources.ts';
import { webhooksOf } from './webhooks.ts';

/** Options of {@link openApiDocument}. */
export interface DocumentOptions {
  /** The URL of the server, with the path before the version segment. */
  readonly baseUrl: BaseUrl;
  readonly deprecations?: Deprecations | undefined;
  readonly authentication: OperationContext['authentication'];
  /** The definition of the orders. */
  readonly definition: OrderDefinition;
}

/** Version of the document. Its major number rises with every change that could break a client. */
const DOCUMENT_VERSION = '1.0.0';

const DESCRIPTION = `Place, list, read, change, cancel and delete orders, and manage their customers.

- **Errors** are problem details (RFC 9457) with a \`code\` that never changes. An application that hosts this API can
  also reject requests with \`rate_limited\` or \`http_{status}\`, such as \`http_403\`; \`detail\` may then be absent.
- **Scopes**: each operation lists the scope that it requires. A write scope covers all that the responses of its
  operations contain, such as the changed resource, without the read scope.
- **Lists** are paged by cursor.
- **Writes** of resources accept \`Idempotency-Key\`, which makes retries safe, and \`If-Match\`, which prevents lost
  updates.
- **Methods**: HEAD works wherever GET does, and has its responses without the body. OPTIONS lists the methods of a
  path. Other methods get 405.
- **Versions**: select one by path, by the header \`API-Version: 1\` or by \`Accept: application/vnd.orders.v1+json\`. They
  must not contradict each other. The default is 1. With this \`Accept\`, successes have that media type, which bodies
  may have, too.
- **Headers**: every response has \`API-Version\`, \`X-Request-Id\`, \`Cache-Control\`, \`Vary\` and
  \`X-Content-Type-Options\`. \`x-response-headers\` describes them once for all responses.
- **Request ids**: every request may have an \`X-Request-Id\` of 1 to 128 letters, digits, dots, underscores and hyphens.
  The response and the logs of the server contain it, or a generated one.
- **Compatibility**: without a new version, responses may gain fields and headers, operations may gain optional
  parameters and problems, and the API may gain operations. Expect new values of every \`x-extensible-enum\`.`;

/** Without these there are no requests to endpoints. */
const WEBHOOK_ENDPOINTS = '/webhook_endpoints';

/** Generates the OpenAPI 3.1 document from the routes that serve the API. */
export function openApiDocument(routes: readonly Operation[], options: DocumentOptions) {
  const components = new Components();
  const { baseUrl, deprecations = {}, authentication, definition } = options;
  const paths = [...Map.groupBy(routes, ({ path }) => path)].map(([path, group]): [string, unknown] => [
    path.replaceAll(/:([a-z_]+)/g, '{$1}'),
    components.withSchemas(
      pathItem(
        group.map((route) =>
          describedOperation(route, { deprecated: route.id in deprecations, authentication, components, definition }),
        ),
      ),
    ),
  ]);
  const webhooks = routes.some(({ path }) => path === WEBHOOK_ENDPOINTS)
    ? { webhooks: webhooksOf(components, definition) }
    : {};
  return {
    openapi: '3.1.0',
    info: {
      title: 'Orders',
      version: DOCUMENT_VERSION,
      description: DESCRIPTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [
      // With a host, without which tools that import the document cannot send a request.
      { url: `${baseUrl()}${canonicalPath('')}`, description: 'This server', 'x-internal': false },
      { url: baseUrl(), description: 'Without a version segment; always version 1', 'x-internal': false },
    ],
    tags: tagsOf(routes.map(({ path }) => path)),
    security: Object.keys(authentication.securitySchemes).map((name) => ({ [name]: [] })),
    ...EVERY_RESPONSE,
    paths: Object.fromEntries(paths),
    ...webhooks,
    components: { ...components.sorted(), securitySchemes: authentication.securitySchemes },
  };
}
