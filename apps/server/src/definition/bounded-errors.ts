import { INVALID_FIELDS_MAX } from '@orders/domain';
import { _, type Ajv2020, type CodeKeywordDefinition, type ErrorObject, type KeywordCxt, Name } from 'ajv/dist/2020.js';
import { KEYWORDS } from './json-schema-keywords.ts';

/** The variable of a validation that has its errors, an array or `null`. */
const vErrors = new Name('vErrors');
/** The variable of a validation that has the number of its errors. */
const errors = new Name('errors');

/** The keywords whose errors have a reason: the errors of their parts. */
const REASONED = ['anyOf', 'oneOf', 'propertyNames'];

/**
 * Makes `ajv` stop at {@link INVALID_FIELDS_MAX} errors: further parts of the value are not validated. Ajv has no option
 * for it. An alternative has its own errors, up to as many, which {@link branchesOf} returns: those of a valid value do
 * not count.
 */
export function boundErrors(ajv: Ajv2020): void {
  // Some keywords share a definition.
  for (const definition of new Set([...KEYWORDS].map((keyword) => ajv.getKeyword(keyword))))
    if (typeof definition === 'object' && 'code' in definition) boundKeyword(definition);
}

type Branches = readonly (readonly ErrorObject[])[];

/** Returns the errors of each schema that an error is about, such as an alternative of `anyOf` that does not apply. */
export function branchesOf({ params }: ErrorObject<string, { readonly branches?: Branches }>): Branches {
  return params.branches ?? [];
}

/** Bounds what the code of a keyword has generated for it: each part, and each error of its own. */
function boundKeyword(definition: CodeKeywordDefinition): void {
  const { code } = definition;
  definition.code = (cxt, ruleType) => {
    // Inside `not` and `if` Ajv stops at the first error, and makes none.
    if (!cxt.allErrors) return code(cxt, ruleType);
    const { gen, it, keyword } = cxt;
    const error = cxt.error.bind(cxt);
    const addPart = cxt.subschema.bind(cxt);
    const branches = REASONED.includes(keyword) ? gen.let('branches', _`[]`) : undefined;
    const ifFew = (body: () => void) => {
      if (it.schemaEnv.meta) body();
      else gen.if(_`${errors} < ${INVALID_FIELDS_MAX}`, body);
    };
    const apart: KeywordCxt['subschema'] = (part, valid) => {
      const others = gen.const('others', vErrors);
      const count = gen.const('count', errors);
      gen.assign(vErrors, null).assign(errors, 0);
      const context = addPart(branches ? part : { ...part, allErrors: false, createErrors: false }, valid);
      if (branches && keyword === 'propertyNames') gen.assign(branches, _`[]`);
      if (branches) gen.if(_`!${valid}`, _`${branches}.push(${vErrors})`);
      gen.assign(vErrors, others).assign(errors, count);
      return context;
    };
    const unlessMany: KeywordCxt['subschema'] = (part, valid) => {
      let context: ReturnType<KeywordCxt['subschema']> = it;
      gen.var(valid, true);
      ifFew(() => {
        context = addPart(part, valid);
      });
      return context;
    };
    cxt.subschema = (part, valid) => {
      if (part.allErrors === false) return addPart(part, valid);
      return part.compositeRule ? apart(part, valid) : unlessMany(part, valid);
    };
    cxt.error = (...about) => {
      // The branch that applies has errors of its own.
      if (keyword === 'if' && !it.compositeRule) return;
      ifFew(() => {
        error(...about);
        if (branches) gen.assign(_`${vErrors}[${errors} - 1].params.branches`, branches);
      });
    };
    ifFew(() => code(cxt, ruleType));
  };
}
