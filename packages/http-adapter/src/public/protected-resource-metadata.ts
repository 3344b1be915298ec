import { SCOPES } from '../principal.ts';
import type { BaseUrl } from '../problems/problem.ts';
import type { PublicResource } from './public-resource.ts';

/** Path of the protected resource metadata, which lists the token issuers (RFC 9728 section 3). */
export const PROTECTED_RESOURCE_PATH = '/.well-known/oauth-protected-resource';

/** Serves the metadata (RFC 9728 section 2), if the API accepts tokens. */
export function protectedResourceMetadata(
  authorizationServers: readonly string[] = [],
  baseUrl: BaseUrl,
): readonly PublicResource[] {
  if (authorizationServers.length === 0) return [];
  const handle: PublicResource['handle'] = (_request, reply) => {
    const metadata = {
      resource: baseUrl(),
      resource_name: 'Orders',
      resource_documentation: `${baseUrl()}/docs`,
      authorization_servers: authorizationServers,
      scopes_supported: SCOPES,
      bearer_methods_supported: ['header'],
    };
    // Bytes, because Fastify adds a charset to text, which this media type does not have.
    const body = Buffer.from(JSON.stringify(metadata));
    return reply.headers({ 'content-type': 'application/json', 'cache-control': 'no-cache' }).send(body);
  };
  return [{ path: PROTECTED_RESOURCE_PATH, handle }];
}
