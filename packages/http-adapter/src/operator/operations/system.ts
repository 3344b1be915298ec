import { ResultAsync } from 'neverthrow';
import { Type } from 'typebox';
import { GET } from '../../api/operation.ts';
import { nullable, TEXT, Timestamp } from '../../api/schemas.ts';
import { readAction } from '../../request/request-parameters.ts';
import { uncached } from '../../response/responses.ts';
import type { OperatorOperation } from '../operator.ts';
import { OF_NO_OWNER } from './operation-kinds.ts';

/** What a server says of itself. */
export interface SystemReport {
  readonly version: string;
  readonly node: string;
  readonly host: string;
  readonly started_at: string;
  /** Why it is not ready; `null` if it is. */
  readonly not_ready: string | null;
  readonly schema: string;
  readonly pool: Readonly<Record<'max' | 'active' | 'idle' | 'waiting', number>>;
  readonly feed: { readonly at: string; readonly unnumbered: number; readonly oldest_age_ms: number } | null;
  readonly purge: { readonly at: string; readonly rows: number } | null;
  readonly settings: readonly {
    readonly name: string;
    readonly source: 'environment' | 'default';
    readonly is_secret: boolean;
    readonly value: string | null;
  }[];
  readonly findings: {
    readonly at: string;
    readonly data: readonly {
      readonly state: 'ok' | 'warn' | 'fail';
      readonly subject: string;
      readonly text: string;
      readonly advice?: string | undefined;
    }[];
  };
}

const Line = Type.String({ ...TEXT, maxLength: 10_000 });
const Count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

const System = Type.Object(
  {
    version: Type.String({ ...TEXT, maxLength: 64 }),
    node: Type.String({ ...TEXT, maxLength: 64, description: 'The release of Node.js' }),
    host: Type.String({ ...TEXT, maxLength: 255, description: 'The machine, of several servers' }),
    started_at: Timestamp,
    not_ready: nullable(Line, { description: 'Why load balancers should send nothing; null if they should' }),
    schema: Type.String({ ...TEXT, maxLength: 63, description: 'The schema of the tables' }),
    pool: Type.Object(
      { max: Count, active: Count, idle: Count, waiting: Count },
      { description: 'Connections to the database, and statements that wait for one' },
    ),
    feed: nullable(Type.Object({ at: Timestamp, unnumbered: Count, oldest_age_ms: Count }), {
      description: 'Events without a position at the last numbering in the background; null before the first',
    }),
    purge: nullable(Type.Object({ at: Timestamp, rows: Count }), {
      description: 'The last purge of this server; null before the first',
    }),
    settings: Type.Array(
      Type.Object({
        name: Type.String({ pattern: '^[A-Z_]+$', maxLength: 64 }),
        source: Type.String({ enum: ['environment', 'default'] }),
        is_secret: Type.Boolean(),
        value: nullable(Line, { description: 'Null without one, and for a secret' }),
      }),
      { maxItems: 1000 },
    ),
    findings: Type.Object(
      {
        at: Timestamp,
        data: Type.Array(
          Type.Object({
            state: Type.String({ enum: ['ok', 'warn', 'fail'] }),
            subject: Type.String({ ...TEXT, maxLength: 64 }),
            text: Line,
            advice: Type.Optional(Line),
          }),
          { maxItems: 1000 },
        ),
      },
      { description: 'What `orders doctor` finds, at most ten seconds ago' },
    ),
  },
  { title: 'System' },
);

/** What the operation on the server uses. */
export interface SystemParts {
  readonly system: () => Promise<SystemReport>;
}

/** Returns the operation that reads how this server is. */
export function systemOperations({ system }: SystemParts): readonly OperatorOperation[] {
  return [
    {
      id: 'get_system',
      summary: 'Read how this server is',
      description:
        'Its release, readiness, connections, background work and settings without secrets, and what an examination of the database finds. Each server has its own.',
      ...GET,
      ...OF_NO_OWNER,
      path: '/admin/v1/system',
      role: 'viewer',
      response: { schema: System },
      handle: (request) =>
        readAction(request).asyncAndThen(() =>
          ResultAsync.fromSafePromise(system()).andThen((report) => uncached(report)),
        ),
    },
  ];
}
