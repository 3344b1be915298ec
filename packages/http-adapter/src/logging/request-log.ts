import { type FastifyReply, type FastifyRequest, LogController } from 'fastify';
import { principalOf, resourceIdOf, routeOf } from '../request-state.ts';
import { redactError } from './redacted-error.ts';

/**
 * Logs one line per request, when it ends. The line contains only safe parts of the request. A URL may contain any data, so
 * the route is logged instead of the path, and the query is omitted.
 */
export class RequestLog extends LogController {
  readonly #networkOf: ((ip: string) => string) | undefined;

  /** `networkOf` returns what a line says of the address of a client. Default: nothing. */
  constructor(networkOf?: (ip: string) => string) {
    super({ requestIdLogLabel: 'request_id' });
    this.#networkOf = networkOf;
  }

  override incomingRequest(request: FastifyRequest, reply: FastifyReply): void {
    // The framework logs nothing when a client disconnects before its response.
    reply.raw.on('close', () => {
      if (!reply.raw.writableEnded)
        reply.log.info({ ...this.#lineOf(request, reply), status: null }, 'request aborted');
    });
  }

  override requestCompleted(error: Error | null | undefined, request: FastifyRequest, reply: FastifyReply): void {
    if (error) return;
    // Health checks are frequent.
    const level = routeOf(request).isHealthCheck === true ? 'debug' : 'info';
    reply.log[level](this.#lineOf(request, reply), 'request');
  }

  override defaultErrorLog(error: Error, _request: FastifyRequest, reply: FastifyReply): void {
    reply.log.error({ err: redactError(error) }, 'the request failed');
  }

  override streamError(error: Error, _request: FastifyRequest, reply: FastifyReply): void {
    reply.log.info({ err: redactError(error) }, 'response aborted');
  }

  override routeNotFound(): void {
    // The line of the framework would contain the URL.
  }

  override writeHeadError(error: Error, _request: FastifyRequest, reply: FastifyReply): void {
    reply.log.error({ err: redactError(error) }, 'cannot send the headers of the response');
  }

  override serializerError(error: Error, _request: FastifyRequest, reply: FastifyReply): void {
    reply.log.error({ err: redactError(error) }, 'cannot serialize the response');
  }

  #lineOf(request: FastifyRequest, reply: FastifyReply) {
    const principal = principalOf(request);
    return {
      method: request.method,
      // Without the patterns of parameters.
      route: request.is404 ? null : (request.routeOptions.url?.replaceAll(/\([^()]*\)/g, '') ?? null),
      id: resourceIdOf(request)?.toString(),
      status: reply.statusCode,
      owner: principal?.owner,
      actor: principal?.actor,
      network: this.#networkOf?.(request.ip),
      duration_ms: Math.round(reply.elapsedTime * 10) / 10,
    };
  }
}
