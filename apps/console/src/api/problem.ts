import type { ProblemCode } from './types.ts';

/** One invalid value of a request. */
export interface InvalidValue {
  readonly field: string;
  readonly message: string;
}

/** The codes of problems that end by themselves: no response, and no database. */
const PASSING = ['unreachable', 'unavailable'] satisfies readonly (ProblemCode | 'unreachable')[];

/** Returns whether an error is one that ends by itself, as the server or its database is back. */
export function isPassing(error: unknown): boolean {
  return error instanceof Problem && PASSING.some((code) => code === error.code);
}

/** Why a request failed: the problem of the API, or that there was no response. */
export class Problem extends Error {
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly requestId: string | null;
  readonly errors: readonly InvalidValue[];

  constructor(
    members: Partial<Pick<Problem, 'status' | 'code' | 'detail' | 'requestId' | 'errors'>> & { title?: string },
  ) {
    super(members.title ?? members.code ?? 'Problem');
    this.status = members.status ?? 0;
    this.code = members.code ?? 'unreachable';
    this.detail = members.detail ?? '';
    this.requestId = members.requestId ?? null;
    this.errors = members.errors ?? [];
  }
}
