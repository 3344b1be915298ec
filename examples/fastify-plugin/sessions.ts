import type { Authentication, Principal, Scope } from '@orders/http-adapter';
import { err, ok } from 'neverthrow';

type Role = 'manager' | 'counter';

/** What each role of the bakery may do in the orders API. */
const SCOPES: Readonly<Record<Role, readonly Scope[]>> = {
  manager: ['orders:read', 'orders:write', 'customers:read', 'customers:write'],
  counter: ['orders:read'],
};

/** Who is logged in, by the token in `X-Session`. */
export type Sessions = ReadonlyMap<string, { readonly branch: string; readonly role: Role }>;

/** The bakery's sessions as the orders API sees them: every branch owns its orders. */
export function sessionAuthentication(sessions: Sessions): Authentication {
  const authenticate: Authentication['authenticate'] = ({ headers }) => {
    const token = headers['x-session'];
    const session = typeof token === 'string' ? sessions.get(token) : undefined;
    if (!session) {
      const challenge = { 'www-authenticate': 'Session realm="bakery"' };
      return Promise.resolve(err({ code: 'unauthenticated', detail: 'Log in at /login first.', headers: challenge }));
    }
    const principal: Principal = { owner: session.branch, scopes: SCOPES[session.role] };
    return Promise.resolve(ok(principal));
  };
  return { authenticate, securitySchemes: { Session: { type: 'apiKey', in: 'header', name: 'X-Session' } } };
}
