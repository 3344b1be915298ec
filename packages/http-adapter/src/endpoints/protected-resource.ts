import { SCOPES } from '../principal.ts';
import type { BaseUrl } from '../problems/problem.ts';
import type { Page } from './page.ts';

/** Where clients find out who issues tokens for the API (RFC 9728 section 3). */
export const PROTECTED_RESOURCE_PATH = '/.well-known/oauth-protected-resource';

/** What they find there (RFC 9728 section 2); nothing when tokens are not taken. */
export function protectedResourcePages(
  authorizationServers: readonly string[] = [],
  baseUrl: BaseUrl,
): readonly Page[] {
  if (authorizationServers.length === 0) return [];
  const handle: Page['handle'] = (_request, reply) => {
    const metadata = {
      resource: baseUrl(),
      resource_name: 'Orders',
      resource_documentation: `${baseUrl()}/docs`,
      authorization_servers: authorizationServers,
      scopes_supported: SCOPES,
      bearer_methods_supported: ['header'],
    };
    // As bytes: to text Fastify adds a charset, which this media type does not have.
    const body = Buffer.from(JSON.stringify(metadata));
    return reply.headers({ 'content-type': 'application/json', 'cache-control': 'no-cache' }).send(body);
  };
  return [{ path: PROTECTED_RESOURCE_PATH, handle }];
}
