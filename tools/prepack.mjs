// Before a package is packed, in its folder: drops from dist what no source is behind any more, and lets declarations
// name each other as .js. The compiler rewrites relative imports in JavaScript only; in declarations it leaves `.ts`,
// which names files that are not published.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const relativeImport = /(\bfrom |\bimport\(|\bimport )(['"])(\.{1,2}\/[^'"]+)(?<!\.d)\.ts\2/g;

for (const file of readdirSync('dist', { recursive: true }).filter((name) => /\.(js|ts|map)$/.test(name))) {
  const emitted = join('dist', file);
  if (!existsSync(join('src', file.replace(/(\.d\.ts|\.js)(\.map)?$/, '.ts')))) {
    rmSync(emitted);
  } else if (file.endsWith('.d.ts')) {
    const declarations = readFileSync(emitted, 'utf8');
    const published = declarations.replace(relativeImport, '$1$2$3.js$2');
    if (published !== declarations) writeFileSync(emitted, published);
  }
}

// What is published differs from what the workspace compiles against, which the next build therefore writes again.
rmSync('dist/.src.tsbuildinfo', { force: true });
