import { type BaseUrl, sendProblem } from '../problems/problem.ts';
import type { PublicResource } from './public-resource.ts';

/** Returns the human-readable reason why the server is not ready; `null` if it is ready. A rejection becomes 500. */
export type Readiness = () => Promise<string | null>;

/** Returns the health checks: `/livez` for a supervisor that restarts the process, `/readyz` for a load balancer. */
export function healthChecks(
  whyNotReady: Readiness = () => Promise.resolve(null),
  baseUrl: BaseUrl,
): readonly PublicResource[] {
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' };
  return [
    {
      path: '/livez',
      isHealthCheck: true,
      handle: (_request, reply) => reply.headers(headers).send(Buffer.from('{"status":"alive"}')),
    },
    {
      path: '/readyz',
      isHealthCheck: true,
      handle: async (_request, reply) => {
        const reason = await whyNotReady();
        if (reason !== null) return sendProblem(reply, { code: 'unavailable', detail: reason }, baseUrl);
        return reply.headers(headers).send(Buffer.from('{"status":"ready"}'));
      },
    },
  ];
}
