import { type FastifyReply, type FastifyRequest, LogController } from 'fastify';
import { isHealthCheck, principalOf, resourceIdOf } from '../request-state.ts';
import { redactError } from './redacted-error.ts';

/**
 * One line for each request, when it is over. Of what the client sent it has nothing but what is known to be harmless:
 * a URL could hold anything, so the route stands for the path, and the query is left out.
 */
export class RequestLog extends LogController {
  constructor() {
    super({ requestIdLogLabel: 'request_id' });
  }

  override incomingRequest(request: FastifyRequest, reply: FastifyReply): void {
    // A client that leaves before its response ends its request without another word of the framework's.
    reply.raw.on('close', () => {
      if (!reply.raw.writableEnded) reply.log.info({ ...lineOf(request, reply), status: null }, 'request broken off');
    });
  }

  override requestCompleted(error: Error | null | undefined, request: FastifyRequest, reply: FastifyReply): void {
    if (error) return;
    // Whoever looks whether the server is well asks for ever.
    const level = isHealthCheck(request) ? 'debug' : 'info';
    reply.log[level](lineOf(request, reply), 'request');
  }

  override defaultErrorLog(error: Error, _request: FastifyRequest, reply: FastifyReply): void {
    reply.log.error({ err: redactError(error) }, 'the request failed');
  }

  override streamError(error: Error, _request: FastifyRequest, reply: FastifyReply): void {
    reply.log.info({ err: redactError(error) }, 'the response broke off');
  }

  override routeNotFound(): void {
    // Its line would have the URL in it.
  }

  override writeHeadError(error: Error, _request: FastifyRequest, reply: FastifyReply): void {
    reply.log.error({ err: redactError(error) }, 'the headers of the response cannot be sent');
  }

  override serializerError(error: Error, _request: FastifyRequest, reply: FastifyReply): void {
    reply.log.error({ err: redactError(error) }, 'the response cannot be serialized');
  }
}

function lineOf(request: FastifyRequest, reply: FastifyReply) {
  return {
    method: request.method,
    route: request.is404 ? null : (request.routeOptions.url ?? null),
    id: resourceIdOf(request)?.toString(),
    status: reply.statusCode,
    owner: principalOf(request)?.owner,
    duration_ms: Math.round(reply.elapsedTime * 10) / 10,
  };
}
