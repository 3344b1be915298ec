import { Type } from 'typebox';
import type { OwnerRateLimits } from '../../admission/owner-settings.ts';
import { GET } from '../../api/operation.ts';
import { nullable, Timestamp } from '../../api/schemas.ts';
import { toProblem } from '../../problems/from-domain.ts';
import { isRecord, readAction } from '../../request/request-parameters.ts';
import { uncached } from '../../response/responses.ts';
import type { OperatorOperation, OwnerSettingsStore } from '../operator.ts';
import { byOperator } from '../operator-principals.ts';
import { ADMINISTRATION, JSON_BODY, OF_NO_OWNER } from './operation-kinds.ts';
import { optional, readBody, readBoolean, type ReadMember, readOwner } from './read-body.ts';
import { OwnerName } from './schemas.ts';

/** As the variables of the server allow. */
const RATE_MAX = 1_000_000_000;

const RateLimit = nullable(Type.Integer({ format: 'int32', minimum: 0, maximum: RATE_MAX }), {
  description: 'Per minute; 0 for no limit, null for that of the server',
});
const LIMITS = { read: RateLimit, write: RateLimit, batch: RateLimit };

/** What is set for an owner. */
const SETTINGS = {
  suspended_at: nullable(Timestamp, { description: 'Since when its requests are refused' }),
  rate_limits: nullable(Type.Object(LIMITS), { description: 'Null if all are those of the server' }),
};
const OwnerSettings = Type.Object({ owner: OwnerName, ...SETTINGS }, { title: 'OwnerSettings' });
const OwnerChange = Type.Object(
  {
    owner: OwnerName,
    suspended: Type.Optional(Type.Boolean()),
    rate_limits: Type.Optional(
      nullable(Type.Partial(Type.Object(LIMITS), { additionalProperties: false }), {
        description: 'In place of all earlier ones. An absent limit, as null, is that of the server',
      }),
    ),
  },
  { title: 'OwnerChange', additionalProperties: false },
);

/** The settings that are listed. */
const LISTED_MAX = 10_000;

/** What operations on owners use. */
export interface OwnerParts {
  readonly ownerStore: OwnerSettingsStore;
  readonly now: () => Date;
}

/** Returns the operations on owners. */
export function ownerOperations({ ownerStore, now }: OwnerParts): readonly OperatorOperation[] {
  return [
    {
      id: 'list_owner_settings',
      summary: 'List what is set for owners',
      description: 'The suspended owners and those with rate limits of their own; the first 10,000, by owner.',
      ...GET,
      ...OF_NO_OWNER,
      path: '/admin/v1/owner_settings',
      role: 'viewer',
      response: {
        schema: Type.Object({ data: Type.Array(OwnerSettings, { maxItems: LISTED_MAX }) }, { title: 'ListedSettings' }),
      },
      handle: (request) =>
        readAction(request).asyncAndThen(() =>
          ownerStore
            .list(null, LISTED_MAX)
            .mapErr(toProblem)
            .andThen((data) => uncached({ data })),
        ),
    },
    {
      id: 'change_owner',
      summary: 'Suspend or limit an owner, or end it',
      description:
        'Requests of a suspended owner get 403 `owner_suspended`. Its events and webhooks go on, and operators still act for it. Both take effect within ten seconds on all servers. What is absent stays as it is.',
      method: 'POST',
      ...ADMINISTRATION,
      path: '/admin/v1/owner_changes',
      body: {
        ...JSON_BODY,
        schema: OwnerChange,
        examples: {
          suspend: { owner: 'shop', suspended: true },
          limit: { owner: 'shop', rate_limits: { read: 1200, write: null } },
        },
      },
      response: { schema: OwnerSettings },
      handle: (request) =>
        readAction(request)
          .andThen(() =>
            readBody(request, {
              owner: readOwner,
              suspended: optional(readBoolean),
              rate_limits: optional(readRateLimits),
            }),
          )
          .asyncAndThen(({ owner, ...change }) =>
            ownerStore
              .change(owner, change, now().toISOString(), byOperator(request))
              .mapErr(toProblem)
              .andThen(({ settings }) => uncached(settings)),
          ),
    },
  ];
}

const readRateLimits: ReadMember<OwnerRateLimits | null> = (input, name, invalid) => {
  if (input === null) return null;
  if (!isRecord(input) || Array.isArray(input)) return invalid.add(name, 'wrong_type', 'must be an object or null');
  invalid.rejectUnknownFields(input, Object.keys(LIMITS), name);
  const read = (policy: keyof typeof LIMITS) => {
    const limit = input[policy] ?? null;
    return limit === null ? null : (invalid.readInteger(limit, `${name}.${policy}`, 0, RATE_MAX) ?? null);
  };
  return { read: read('read'), write: read('write'), batch: read('batch') };
};
