// Follows pages of the documentation one after the other in one clone, as their reader does, each from top to bottom:
//   - a block whose first line is a comment with a file name becomes that file;
//   - a block of `sh` runs in bash and fails at the first command that fails. Variables, functions and the folder stay;
//   - a block of `sh` that ends by starting the server starts it, and it runs until the next start, or until the page
//     has <!-- stop the server -->;
//   - a block of `text` or `json` behind a block of `sh` is what it prints. `…` stands for any text;
//   - <!-- not run: REASON --> leaves out the rest of its section, or before the first section the page.
// A page keeps what it makes in folders of its own.
import { execFileSync } from 'node:child_process';
import { copyFileSync, cpSync, existsSync, globSync, mkdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { environment, root } from './outside.mjs';
import { aReader } from './page-reader.mjs';

const START = /pnpm@[\d.]+ (?:-C \.\. )?start$/;
const FILE = /^(?:\/\/|#|--) (\S+\.\w+)\n/;

const GUIDES = [...readFileSync(join(root, 'docs/README.md'), 'utf8').matchAll(/\((guides\/\S+\.md)\)/g)];
/** The pages that are followed, by their names, in the order in which the documentation lists them. */
export const PAGES = Object.fromEntries(
  ['README.md', 'docs/tutorial.md', ...GUIDES.map(([, path]) => `docs/${path}`)].map((path) => [
    basename(path, '.md'),
    path,
  ]),
);

/**
 * Follows pages in a copy of the repository, and compiles the TypeScript that each has. The packages must have been packed.
 *
 * @throws {Error} a page lacks in the list, a command failed, printed something else than the page says, or left a file
 */
export async function followPages(names, { work }) {
  const unlisted = globSync('docs/guides/*.md', { cwd: root }).filter((path) => !Object.values(PAGES).includes(path));
  if (unlisted.length > 0) throw new Error(`docs/README.md lacks ${unlisted.join(', ')}`);
  const clone = join(work, 'orders');
  const env = environment(work);
  copyRepository(clone, env);
  const reader = aReader(clone, env);
  const failed = [];
  for (const name of names) {
    const began = performance.now();
    await followPage(PAGES[name], reader, env).catch((error) => failed.push(`${PAGES[name]}: ${error.message}`));
    await reader.closeTerminal();
    const files = git(clone, 'ls-files', '--others', '--exclude-standard', '--directory').split('\n');
    const stray = files.filter((file) => file !== '' && !file.endsWith('/'));
    if (stray.length > 0) failed.push(`${PAGES[name]} leaves ${stray.join(', ')} in the clone`);
    git(clone, 'clean', '--quiet', '--force', '--', ...stray);
    console.log(`${PAGES[name]}: ${Math.round((performance.now() - began) / 1000)} s`);
  }
  await reader.leave();
  if (failed.length > 0) throw new Error(failed.join('\n'));
}

async function followPage(page, reader, env) {
  const text = readFileSync(join(root, page), 'utf8');
  console.log(`\n${page}`);
  await reader.openTerminal(text);
  let printed;
  for (const { language, directive, code } of partsOf(text)) {
    const [, file] = FILE.exec(code) ?? [];
    if (directive) await reader.stopServer();
    else if (file) reader.write(file, code);
    else if (language === 'sh' && START.test(code.trim())) await reader.startServer(code);
    else if (language === 'sh') printed = reader.run(code);
    else if (language === 'text' || language === 'json') assertPrinted(printed, code);
    else if (language !== 'mermaid') throw new Error(`a block of ${language} that is in no file:\n${code}`);
  }
  for (const project of new Set(reader.files().map((file) => dirname(file)))) {
    const config = join(project, 'tsconfig.json');
    if (!existsSync(config)) copyFileSync(join(root, 'examples/follower/tsconfig.json'), config);
    const options = { cwd: project, env, stdio: 'inherit' };
    execFileSync('tsc', ['--noEmit', '--skipLibCheck', '--typeRoots', join(root, 'node_modules/@types')], options);
  }
}

/** The blocks of code of a page that are run, and its directives for this program, in their order. */
function partsOf(text) {
  const sections = text.split(/^(?=## )/m).map((section) => section.split(/^<!-- not run: .* -->$/m));
  const run = sections[0].length > 1 ? '' : sections.map(([start]) => start).join('');
  return [...run.matchAll(/^( *)```(\w+)\n(.*?)^ *```$|^<!-- (stop the server) -->$/gms)].map(
    ([, indent = '', language, code = '', directive]) => ({
      language,
      directive,
      code: code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    }),
  );
}

/** Copies the repository as it is now, without what Git ignores but with the tarballs, and installs it. */
function copyRepository(folder, env) {
  mkdirSync(folder);
  const files = execFileSync('git', ['ls-files', '-zco', '--exclude-standard'], { cwd: root, encoding: 'utf8' });
  const present = files.split('\0').filter((file) => file !== '' && existsSync(join(root, file)));
  for (const file of present) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    copyFileSync(join(root, file), join(folder, file));
  }
  git(folder, 'init', '--quiet');
  git(folder, 'add', '--all');
  cpSync(join(root, 'packed'), join(folder, 'packed'), { recursive: true });
  const install = ['--yes', 'pnpm@12.21.0', '--silent', 'install', '--frozen-lockfile', '--prefer-offline'];
  execFileSync('npx', install, { cwd: folder, env, stdio: 'inherit' });
}

function git(folder, ...args) {
  return execFileSync('git', args, { cwd: folder, encoding: 'utf8' });
}

/** Fails unless the expected text is in the output, whatever the white space. */
function assertPrinted(printed, expected) {
  if (printed === undefined) throw new Error(`an output before any command:\n${expected}`);
  const flat = (text) => text.replaceAll(/\s/g, '');
  const pattern = flat(expected)
    .split('…')
    .map((part) => RegExp.escape(part))
    .join('.*?');
  if (!new RegExp(pattern).test(flat(printed)))
    throw new Error(`the page says\n${expected}\nbut this was printed\n${printed}`);
}
