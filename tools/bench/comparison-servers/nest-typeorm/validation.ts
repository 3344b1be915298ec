import { ValidationPipe } from '@nestjs/common';
import type { ValidationError } from 'class-validator';
import { type InvalidField, Rejection } from '../shared/problem.ts';

/** The error codes of the API by validator. The first one that matches applies. */
const CODES = [
  ['whitelistValidation', 'unknown_field'],
  ['isString', 'wrong_type'],
  ['isInt', 'wrong_type'],
  ['isArray', 'wrong_type'],
  ['isObject', 'wrong_type'],
  ['minLength', 'too_short'],
  ['arrayMinSize', 'too_short'],
  ['maxLength', 'too_long'],
  ['arrayMaxSize', 'too_long'],
  ['min', 'out_of_range'],
  ['max', 'out_of_range'],
] as const;

/** Returns a pipe that validates every body by its class and reports all invalid fields. */
export function validationPipe(): ValidationPipe {
  return new ValidationPipe({
    whitelist: true,
    forbidNonWhitelisted: true,
    exceptionFactory: (errors) => new Rejection('validation_failed', { errors: fieldsOf(errors, '') }),
  });
}

function fieldsOf(errors: readonly ValidationError[], parent: string): readonly InvalidField[] {
  return errors.flatMap(({ property, constraints, children = [] }) => {
    const name = /^\d+$/.test(property) ? `[${property}]` : `.${property}`;
    const field = `${parent}${name}`.replace(/^\./, '');
    return [...(constraints ? [fieldOf(field, constraints)] : []), ...fieldsOf(children, field)];
  });
}

function fieldOf(field: string, constraints: Readonly<Record<string, string>>): InvalidField {
  const [, code] = CODES.find(([validator]) => validator in constraints) ?? ['', 'invalid_value'];
  return { field, message: Object.values(constraints).join(', '), code };
}
