import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
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

/** The code of the custom data of a bakery. */
export const BAKING =
  "customFrom(z.strictObject({ pick_up: z.iso.datetime(), allergens: z.array(z.enum(['gluten', 'milk', 'nuts'])).optional() }))";

/** Writes the module of a definition, with the code of its custom data, and returns its path. */
export async function aDefinitionFile(definition: object, custom?: string): Promise<string> {
  const members = `...${JSON.stringify(definition)}${custom === undefined ? '' : `, custom: ${custom}`}`;
  return await aModule(`export default ({ defineOrders, customFrom, z }) =>\n  defineOrders({ ${members} });\n`);
}

/** Writes a module, and returns its path. */
export async function aModule(text: string, name = 'orders.definition.ts'): Promise<string> {
  const path = join(await aFolder(), name);
  await writeFile(path, text);
  return path;
}
