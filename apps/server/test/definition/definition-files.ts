import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readDefinition } from '../../src/definition/read-definition.ts';
import { aFolder } from '../programs/running-server.ts';

/** The lifecycle of a bakery, whose orders can be cancelled until they are ready. */
export const BAKERY = {
  lifecycle: {
    received: ['baking', 'cancelled'],
    baking: ['ready', 'cancelled'],
    ready: ['collected'],
    collected: [],
    cancelled: [],
  },
  initial: 'received',
  cancel: 'cancelled',
};

/** The schema of the custom data of a bakery. */
export const BAKING = {
  type: 'object',
  required: ['pick_up'],
  additionalProperties: false,
  properties: {
    pick_up: { type: 'string', format: 'date-time' },
    allergens: { type: 'array', uniqueItems: true, items: { $ref: '#/$defs/allergen' } },
  },
  $defs: { allergen: { enum: ['gluten', 'milk', 'nuts'] } },
};

/** Writes a definition file and returns its path; `content` is JSON, or text as it is. */
export async function aDefinitionFile(content: unknown): Promise<string> {
  const path = join(await aFolder(), 'orders.json');
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

/** Writes the definition of the smallest lifecycle with a JSON schema for custom data, and returns its path. */
export async function aFileWithCustom(custom: unknown): Promise<string> {
  return await aDefinitionFile({ lifecycle: { open: [] }, initial: 'open', cancel: 'open', custom });
}

/** Returns the parser of custom data that a JSON schema describes. */
export async function parserOf(schema: unknown) {
  const { custom } = (await readDefinition(await aFileWithCustom(schema)))._unsafeUnwrap();
  if (!custom) throw new Error('the definition has no custom data');
  return custom.parse;
}
