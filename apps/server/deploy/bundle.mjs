// Replaces the compiled programs of an image by bundles, which start in half of the CPU time:
//   node apps/server/deploy/bundle.mjs FOLDER
// The packages stay, because static files, migrations and the thread that sends webhooks are found in them.
import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { bundlePrograms } from '../../../tools/bundled-programs/src/index.ts';

const [, , folder] = process.argv;
const [programs, bundled] = [join(folder, 'dist'), join(folder, 'bundled')];
await bundlePrograms(bundled, [join(programs, 'main.js'), join(programs, 'cli.js')]);
rmSync(programs, { recursive: true });
renameSync(bundled, programs);
