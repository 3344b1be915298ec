// Follows a page of the documentation as its reader does, from top to bottom:
//   - a block whose first line is a comment with a file name becomes that file;
//   - a block of `sh` runs in bash and fails at the first command that fails. Variables and the folder carry over;
//   - a block of `sh` that ends by starting the server starts it, and it runs until the next start, or until the page
//     has <!-- stop the server -->;
//   - a block of `text` or `json` behind a block of `sh` is what it prints. `…` stands for any text.
import { execFileSync } from 'node:child_process';
import { copyFileSync, cpSync, existsSync, globSync, mkdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { environment, root } from './outside.mjs';
import { aReader } from './page-reader.mjs';

const START = /pnpm@[\d.]+ start$/;
const FILE = /^(?:\/\/|#|--) (\S+\.\w+)\n/;

/** The pages that are followed, by their names. */
export const PAGES = Object.fromEntries(
  globSync(['docs/tutorial.md', 'docs/guides/*.md'], { cwd: root }).map((path) => [basename(path, '.md'), path]),
);

/**
 * Follows a page in a copy of the repository, then compiles the TypeScript that the page has. The packages must have been
 * packed.
 *
 * @throws {Error} a command failed, or printed something else than the page says
 */
export async function followPage(name, { work, copy }) {
  const page = PAGES[name];
  console.log(`\n${page}`);
  const env = environment(work);
  if (existsSync(copy)) renewCopy(copy);
  else copyRepository(copy, env);
  const text = readFileSync(join(root, page), 'utf8');
  const reader = await aReader(text, copy, env);
  try {
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
    if (printed === undefined) throw new Error(`${page} has no command`);
  } finally {
    await reader.leave();
  }
  for (const project of new Set(reader.files.filter((file) => file.endsWith('.ts')).map((file) => dirname(file)))) {
    const config = join(project, 'tsconfig.json');
    if (!existsSync(config)) copyFileSync(join(root, 'examples/follower/tsconfig.json'), config);
    const options = { cwd: project, env, stdio: 'inherit' };
    execFileSync('tsc', ['--noEmit', '--skipLibCheck', '--typeRoots', join(root, 'node_modules/@types')], options);
  }
}

/** The blocks of code of a page, and its directives for this program, in their order. */
function partsOf(text) {
  return [...text.matchAll(/^( *)```(\w+)\n(.*?)^ *```$|^<!-- (stop the server) -->$/gms)].map(
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

/** Makes a copy as it was before a page was followed in it. Only what was installed stays: that takes longest. */
function renewCopy(folder) {
  const manifests = git(folder, 'ls-files', '*package.json').trim().split('\n');
  const installed = manifests.map((file) => join('/', dirname(file), 'node_modules'));
  git(
    folder,
    'clean',
    '--quiet',
    '--force',
    '--force',
    '-d',
    '-x',
    ...['/packed', ...installed].map((path) => `--exclude=${path}`),
  );
  git(folder, 'checkout-index', '--all', '--force');
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
