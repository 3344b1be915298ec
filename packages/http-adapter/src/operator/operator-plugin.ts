import type { OperatorJobs, OrderFinder, OrderTimelines } from '@orders/domain/operators';
import type { FastifyPluginCallback } from 'fastify';
import { admission } from '../admission/admission.ts';
import { unroutedHandler } from '../admission/methods.ts';
import { eventWaiters } from '../api/event-waiters.ts';
import type { OwnerLoads } from '../admission/owner-loads.ts';
import type { Operation } from '../api/operation.ts';
import { type DomainParts, operations } from '../api/operations.ts';
import { pathsOf, serveOperations } from '../api/serve-operations.ts';
import { type OrdersHttpObserver, UNOBSERVED } from '../observer.ts';
import type { BaseUrl } from '../problems/problem.ts';
import { declareRequestState } from '../request-state.ts';
import { actingForOwner, inCurrentTransaction } from './acting-for-owner.ts';
import { type ConsoleFiles, serveConsole } from './console.ts';
import {
  type AuditedWrite,
  includesRole,
  type OperatorAudit,
  type OperatorOperation,
  type OperatorRole,
  type OperatorStore,
  type OrderCommentStore,
  type OwnerDirectory,
  type OwnerSettingsStore,
} from './operator.ts';
import type { WebhooksOfOwners } from './operations/webhooks.ts';
import { operatorDocument } from './operator-document.ts';
import { type AllowedHosts, guardOperators } from './operator-guard.ts';
import { operatorPrincipals } from './operator-principals.ts';
import type { SystemReport } from './operations/system.ts';
import type { ApiKeyAdministration } from './operations/api-keys.ts';
import type { ClientCertificateAdministration } from './operations/client-certificates.ts';
import type { ProxyTokenOptions } from './proxy-tokens.ts';
import { type OperationParts, operatorOperations } from './operations/operator-operations.ts';

/** The requests of an operator in a minute. */
const REQUESTS_PER_MINUTE = 600;

/** Options of {@link operatorHttp}. */
export interface OperatorHttpOptions extends DomainParts {
  readonly operators: OperatorStore;
  readonly audit: OperatorAudit;
  readonly ownerStore: OwnerSettingsStore;
  /** The orders of one owner or all, as `postgresOrderFinder(database)` of `@orders/persistence`. */
  readonly orders: OrderFinder;
  /** What happened to orders, as `postgresTimelines(database)` of `@orders/persistence`. */
  readonly timelines: OrderTimelines;
  readonly comments: OrderCommentStore;
  /** The API keys, and the client certificates, of all owners. */
  readonly apiKeys: ApiKeyAdministration;
  readonly clientCertificates: ClientCertificateAdministration;
  readonly owners: OwnerDirectory;
  /** What owners use of this process. */
  readonly loads: OwnerLoads;
  /** Returns how this server is, without secrets. */
  readonly system: () => Promise<SystemReport>;
  readonly webhooksOfOwners: WebhooksOfOwners;
  readonly jobs: OperatorJobs;
  /** Does and records a write for an owner. */
  readonly write: AuditedWrite;
  /** The URL of the listener, below which links to it are. */
  readonly adminUrl: BaseUrl;
  /** The tokens of a proxy that signs operators in. Default: none is accepted. */
  readonly proxyTokens?: ProxyTokenOptions | undefined;
  /** The hosts, with their ports, at which the listener may be reached. */
  readonly hosts: AllowedHosts;
  /** The maximum number of requests without a valid token of an address in a minute. Default: 60. */
  readonly anonymousRate?: number | undefined;
  /** The files of the console, which is served at `/`. Default: none. */
  readonly console?: ConsoleFiles | undefined;
  readonly isOverloaded?: (() => boolean) | undefined;
  readonly observer?: OrdersHttpObserver | undefined;
  /** Default: 30,000. */
  readonly timeLimitMs?: number | undefined;
  /** Default: the system clock. */
  readonly now?: (() => Date) | undefined;
}

/** What the operations of the listener use. */
export type RouteParts = Omit<OperationParts, 'operationsOf'>;

/** Returns every operation of the listener: the table that its document and its probe are made of. */
export function operatorRoutes(ofOwners: readonly Operation[], parts: RouteParts): readonly OperatorOperation[] {
  const { definition, adminUrl } = parts;
  const operationsOf = (role: OperatorRole) =>
    routes
      .filter((route) => includesRole(role, route.role))
      .flatMap(({ id, kinds = {} }) => {
        const own = Object.entries(kinds).filter(([, least]) => includesRole(role, least));
        return [id, ...own.map(([kind]) => `${id}:${kind}`)];
      });
  const routes: readonly OperatorOperation[] = [
    ...operatorOperations({ ...parts, operationsOf }, () => operatorDocument(routes, { adminUrl, definition })),
    ...actingForOwner(ofOwners, parts),
  ];
  return routes;
}

/**
 * Serves the API for those who operate the server, as a Fastify plugin of a server of its own: `/admin/v1`, and the operations
 * of owners under `/v1`, each for the owner in `Orders-Owner`. No request without a valid token gets past admission.
 */
export const operatorHttp: FastifyPluginCallback<OperatorHttpOptions> = (app, options, done) => {
  const { adminUrl: baseUrl, hosts, anonymousRate, operators, now = () => new Date(), observer } = options;
  const principals = operatorPrincipals(operators, now, options.proxyTokens);
  const admitting = admission(
    { principals, rejectOrigin: () => undefined },
    { ...options, now, rateLimits: { operator: REQUESTS_PER_MINUTE, anonymous: anonymousRate } },
    baseUrl,
    app.log,
  );
  const waiters = eventWaiters(admitting.pause, observer ?? UNOBSERVED);
  const domain = inCurrentTransaction(options.domain);
  const ofOwners = operations(
    { ...options, domain },
    { waiters, scopeChallenge: undefined, baseUrl, loopTime: admitting.loopTime },
  );
  const routes = operatorRoutes(ofOwners, { ...options, domain, now, definition: domain.definition });
  declareRequestState(app);
  app.addHook('preClose', (done) => {
    waiters.close();
    done();
  });
  guardOperators(app, hosts, baseUrl);
  app.addHook('onSend', (request, _reply, _payload, done) => {
    principals.settle(request);
    done();
  });
  admitting.admitAll(
    app,
    unroutedHandler(pathsOf(routes, asItIs), '', () => undefined, baseUrl),
  );
  if (options.console) serveConsole(app, options.console, admitting, baseUrl);
  serveOperations(app, routes, options, admitting, baseUrl, asItIs);
  done();
};

function asItIs(path: string): readonly string[] {
  return [path];
}
