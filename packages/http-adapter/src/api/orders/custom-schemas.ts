import { CUSTOM_BYTES_MAX, CUSTOM_PATCH_BYTES_MAX } from '@orders/domain';
import { Type } from 'typebox';
import { perDefinition } from '../definition-schemas.ts';
import { keptSchema, orNull } from '../schemas.ts';
import { mergePatchSchema } from './merge-patch-schema.ts';
import { rebased } from './rebased-schema.ts';

/** Names of the components with the schema of custom data, and of a merge patch of it. */
const CUSTOM = 'OrderCustom';
const PATCH = 'OrderCustomPatch';

/**
 * Returns the members of orders and requests for the custom data of a definition; `undefined` if it has none. Custom data can
 * always be null, because an order may be older than the definition.
 */
export const customSchemas = perDefinition(({ custom }) => {
  if (custom === null) return undefined;
  const place = `#/components/schemas/${CUSTOM}`;
  const Data = keptSchema(CUSTOM, rebased(custom.schema, place, custom.schema['$id']), CUSTOM_BYTES_MAX);
  const Custom = orNull([Data], { description: 'Custom data; null if it is not set' });
  const patch = mergePatchSchema(custom.schema, place, `#/components/schemas/${PATCH}`);
  const Patch = keptSchema(PATCH, patch, CUSTOM_PATCH_BYTES_MAX);
  const CustomPatch = orNull([Patch], {
    description: 'A JSON Merge Patch (RFC 7396) of the custom data, whose result must be valid. Null removes all of it',
  });
  return {
    response: { custom: Custom },
    placing: { custom: custom.required ? Data : Type.Optional(Custom) },
    change: { custom: Type.Optional(custom.required ? Patch : CustomPatch) },
  };
});

/**
 * Returns custom data for an example: the first of `examples` and `default` of the schema that the parser accepts;
 * `undefined` without one.
 */
export const customExample = perDefinition(({ custom }): unknown => {
  if (custom === null) return undefined;
  const { examples, default: fallback } = custom.schema;
  const listed: readonly unknown[] = Array.isArray(examples) ? examples : [];
  const candidates = [...listed, fallback];
  return candidates.find((each) => each !== undefined && each !== null && custom.parse(each).isOk());
});
