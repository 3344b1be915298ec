import type { Authentication, Scope } from '@orders/http-adapter';
import type { FastifyRequest } from 'fastify';

type Role = 'manager' | 'counter';

/** What each role of the bakery may do in the orders API. */
const SCOPES: Readonly<Record<Role, readonly Scope[]>> = {
  manager: ['orders:read', 'orders:write', 'customers:read', 'customers:write'],
  counter: ['orders:read'],
};

/** Somebody who is logged in. */
export interface Session {
  readonly branch: string;
  readonly role: Role;
}

/** Who is logged in, by the token in `X-Session`. */
export type Sessions = ReadonlyMap<string, Session>;

declare module 'fastify' {
  interface FastifyRequest {
    /** The bakery's own: the orders API adds nothing to the types of Fastify. */
    principal: Session | null;
  }
}

/** The session of a request, for every route of the bakery. */
export function findSession({ headers }: FastifyRequest, sessions: Sessions): Session | null {
  const token = headers['x-session'];
  return typeof token === 'string' ? (sessions.get(token) ?? null) : null;
}

/** The bakery's sessions as the orders API sees them: every branch owns its orders. */
export const sessionAuthentication: Authentication = {
  authenticate: ({ principal }) => principal && { owner: principal.branch, scopes: SCOPES[principal.role] },
  challenge: () => 'Session realm="bakery"',
  securitySchemes: { Session: { type: 'apiKey', in: 'header', name: 'X-Session' } },
};
