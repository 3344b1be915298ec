import type { LocalCommand } from './command.ts';
import { print } from './print.ts';

/** Checks the environment of a server without starting one. */
export const checkConfig: LocalCommand = {
  usage: 'config check',
  about: 'checks all environment variables and the files that they name, without connecting to anything',
  examples: ['config check'],
  run: async () => {
    const { readEnvironment } = await import('../config/read-environment.ts');
    const { doubts } = await readEnvironment(process.env);
    for (const doubt of doubts) console.error(doubt);
    await print('The configuration is valid.\n');
  },
};
