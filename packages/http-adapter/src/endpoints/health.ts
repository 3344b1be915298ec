import { type BaseUrl, sendProblem } from '../problems/problem.ts';
import type { Page } from './page.ts';

/** Why the server should get no requests for now, for people; `null` when it is ready. If it rejects, that is 500. */
export type Readiness = () => Promise<string | null>;

/** Whether the process lives, for who would start another; and whether it is ready, for who sends requests. */
export function healthPages(whyNotReady: Readiness, baseUrl: BaseUrl): readonly Page[] {
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
