import { Type } from 'typebox';
import { TEXT } from '../../api/schemas.ts';
import { NAME_LENGTH_MAX, OPERATOR_ROLES } from '../operator.ts';

/** What an operator may do. */
export const Role = Type.String({
  title: 'OperatorRole',
  enum: [...OPERATOR_ROLES],
  description: 'Each may do what those before it may',
});
/** What others call an operator. */
export const Name = Type.String({
  ...TEXT,
  minLength: 1,
  maxLength: NAME_LENGTH_MAX,
  description: 'What others call the operator',
});
/** An owner. */
export const OwnerName = Type.String({ pattern: '^[ -~]+$', minLength: 1, maxLength: 255 });
