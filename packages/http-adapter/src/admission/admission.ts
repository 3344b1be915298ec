import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import { closeAfterLongBody } from '../connection/response-headers.ts';
import { UNREAD_BYTES_MAX_DEFAULT, unreadResponses } from '../connection/unread-responses.ts';
import { type OrdersHttpObserver, type OwnerPolicy, UNOBSERVED } from '../observer.ts';
import { sendError } from '../problems/from-host.ts';
import { type BaseUrl, sendProblem } from '../problems/problem.ts';
import type { RejectForeignOrigin } from './authentication/foreign-origins.ts';
import { type Principals, requirePrincipal } from './authentication/require-principal.ts';
import { commonHeaders, requestId } from './common-headers.ts';
import { announceDeprecation, type Deprecations } from './deprecation.ts';
import { CONCURRENCY_MAX_DEFAULT, type Load, loadShedding } from './load-shedding.ts';
import { payerOf } from '../request-state.ts';
import type { RateLimitOptions } from './rate-limits/rate-limit-options.ts';
import { addressKey, keyOfAddress } from './rate-limits/address-key.ts';
import { limitPublic, type OperatorRate, rateLimits } from './rate-limits/rate-limits.ts';
import { rejections } from './rate-limits/rejections.ts';
import { arrivingBodies } from './under-way.ts';
import type { OwnerLoadRecorder } from './owner-loads.ts';
import type { SettingsOfOwners } from './owner-settings.ts';
import { checkRequestLine, URL_LIMIT_BYTES_DEFAULT } from './request-line.ts';

/** The options of the plugin for the admission of requests. */
interface AdmissionOptions extends Load {
  readonly corsOrigins?: readonly string[] | undefined;
  readonly deprecations?: Deprecations | undefined;
  readonly now?: (() => Date) | undefined;
  readonly ownerLoads?: OwnerLoadRecorder | undefined;
  readonly ownerSettings?: SettingsOfOwners | undefined;
  readonly rateLimits?: (RateLimitOptions & OperatorRate) | undefined;
  readonly unreadBytesMax?: number | undefined;
  readonly urlLimitBytes?: number | undefined;
  readonly observer?: OrdersHttpObserver | undefined;
}

/** Whom a listener admits. */
interface Admitting<P, O> {
  readonly principals: Principals<P, O>;
  /** Checks the origin of a write. */
  readonly rejectOrigin: RejectForeignOrigin;
}

/** Decides about the requests to one registration of a plugin before they are read, and counts what they cost. */
export function admission<P, O extends Admitted>(
  { principals, rejectOrigin }: Admitting<P, O>,
  options: AdmissionOptions,
  baseUrl: BaseUrl,
  log: FastifyBaseLogger,
) {
  const { corsOrigins, deprecations, now = () => new Date(), observer = UNOBSERVED, ownerLoads } = options;
  const {
    concurrencyMax = CONCURRENCY_MAX_DEFAULT,
    unreadBytesMax = UNREAD_BYTES_MAX_DEFAULT,
    urlLimitBytes = URL_LIMIT_BYTES_DEFAULT,
  } = options;
  const unread = unreadResponses(unreadBytesMax, observer);
  const { admit, admitKey, loopTime, underWay } = loadShedding({ ...options, concurrencyMax });
  const limits = rateLimits(options, now, log, observer, underWay);
  const reject = rejections(now, underWay, concurrencyMax, baseUrl);
  const admitPublic = limitPublic(limits, admitKey, reject);
  const setHeaders = commonHeaders(corsOrigins);
  return {
    /**
     * Adds the headers and checks of every request to `app`, and the handlers of its errors. `handleUnrouted` responds to
     * requests without a route.
     */
    admitAll: (app: FastifyInstance, handleUnrouted: Handle): void => {
      app.setGenReqId(requestId);
      app.addHook('onRequest', (request, reply, done) => {
        setHeaders(request, reply);
        const problem = admit(request) ?? checkRequestLine(request, urlLimitBytes);
        if (problem) void sendProblem(reply, problem, baseUrl);
        // Before the body is read, because no route would use it.
        else if (request.is404) {
          admitPublic(request, reply, (error) => {
            if (error) done(error);
            else void handleUnrouted(request, reply);
          });
        } else done();
      });
      // Also for the replies of hooks of the host application.
      app.addHook('onSend', (request, reply, _payload, done) => {
        closeAfterLongBody(request, reply);
        ownerLoads?.responded(payerOf(request), reply.statusCode);
        done();
      });
      app.setErrorHandler((error, request, reply) => {
        // A hook of the host application may have thrown before the first hook above.
        setHeaders(request, reply);
        return sendError(error, request, reply, baseUrl);
      });
      app.setNotFoundHandler(handleUnrouted);
    },
    /** Returns the checks of the requests for an operation, in the documented order. */
    admitTo: (operation: O): readonly onRequestHookHandler[] => {
      const { id, method, cost } = operation;
      const deprecation = deprecations?.[id];
      const bounds = { policy: cost.policy, limits, unread, admitKey, reject };
      return [
        ...(deprecation ? [announceDeprecation(deprecation, now, baseUrl)] : []),
        requirePrincipal(principals, operation, {
          ...bounds,
          rejectOrigin: method === 'GET' ? undefined : rejectOrigin,
        }),
      ];
    },
    /** Checks a request that needs no credentials. */
    admitPublic,
    /** Charges the time since `began` to the address of a request. */
    chargePublic: ({ ip }: FastifyRequest, began: number): void => loopTime.charge(keyOfAddress(addressKey(ip)), began),
    /** Counts the units of a request, and returns the problem if fewer are left. */
    charge: limits.countUnits,
    /** Returns the hooks of the bodies of a route. */
    bodies: (bodyLimit: number) => arrivingBodies(underWay, bodyLimit, () => observer.loadShed(), baseUrl),
    loopTime,
    pause: underWay.pause,
    unread,
  };
}

type Handle = (request: FastifyRequest, reply: FastifyReply) => FastifyReply;

/** The parts of an operation that its admission depends on. */
interface Admitted {
  readonly id: string;
  readonly method: string;
  readonly cost: { readonly policy: OwnerPolicy };
}
