/**
 * Follows a real `POST /v1/orders/{id}/cancel` through the server, on its embedded PostgreSQL, and writes the table of
 * its path into docs/reference/path-of-a-cancel.md; with `--check` it fails when that table differs. The server runs under
 * the inspector of Node.js: coverage says which functions of the project a cancel calls, and a breakpoint that never pauses
 * records each call with its stack.
 *
 * What is counted:
 *
 * - A row is a file of the project that the request enters, at its first call there, from the socket to the response and
 *   its line in the log. Libraries are passed over, and so are modules of types and constants, which no call enters.
 * - A file is entered from another file that calls it. Without one, a library or the event loop calls it. Functional
 *   methods of neverthrow, and those of `value-or-promise.ts`, count as the file that calls them.
 * - A path goes back and forth where a file calls another one that calls the first one back before it returns.
 * - A file is on the path for form only when each function that the request calls there only forwards, and another file
 *   is entered from it. The body of such a function is one call, with its own parameters in their order as arguments.
 *   Binding a further argument is not form.
 *
 * Fails when the path is longer than FILES_MAX, goes back and forth, or has a file for form only.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseSync, Visitor } from 'rolldown/utils';

/** Maximum number of files on the path. */
const FILES_MAX = 62;
const ROOT = fileURLToPath(new URL('..', import.meta.url));
const DOCUMENT = join(ROOT, 'docs/reference/path-of-a-cancel.md');
const TABLE = /(<!-- path of a cancel, written by `pnpm trace:cancel` -->\n)[^]*?(<!-- end of the path -->)/;

const isCheck = process.argv.includes('--check');
const data = await mkdtemp(join(tmpdir(), 'orders-trace-'));
// Without what happens beside the request and would be counted.
const [WEBHOOKS, STATISTICS] = ['api', 'off'];
const server = spawn(process.execPath, ['--inspect=127.0.0.1:0', '--conditions=source', 'apps/server/src/main.ts'], {
  cwd: ROOT,
  env: { ...process.env, DATA_DIR: data, PORT: '0', LOG_LEVEL: 'info', WEBHOOKS, STATISTICS },
  stdio: ['ignore', 'pipe', 'pipe'],
});
let calls;
let inspector;
try {
  inspector = await connect(await printed(server.stderr, /Debugger listening on (ws:\S+)/));
  const url = await printed(server.stdout, /Orders listens on (\S+)/);
  const key = await readFile(join(data, 'demo-api-key'), 'utf8');
  calls = await trace(inspector, { url, key: key.trim() });
} finally {
  // A server that is inspected waits for the end of that before it exits.
  inspector?.close();
  server.kill('SIGTERM');
  await new Promise((resolve) => server.once('exit', resolve));
  await rm(data, { recursive: true, force: true });
}
await report(calls);

/** Returns the calls of one cancel, in order, each as its file, its function, whether that only forwards, and its stack. */
async function trace(inspector, api) {
  const scripts = new Map();
  inspector.on('Debugger.scriptParsed', ({ scriptId, url }) => {
    if (url.startsWith('file:') && !url.includes('/node_modules/')) scripts.set(scriptId, fileURLToPath(url));
  });
  await inspector.send('Debugger.enable');
  await inspector.send('Profiler.enable');
  // Connections, prepared statements and the key are there, as for most requests.
  for (let warm = 0; warm < 3; warm += 1) await cancel(api, await place(api));
  const id = await place(api);
  await inspector.send('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  await inspector.send('Profiler.takePreciseCoverage');
  await cancel(api, id);
  const { result: coverage } = await inspector.send('Profiler.takePreciseCoverage');
  await inspector.send('Profiler.stopPreciseCoverage');

  await inspector.send('Runtime.evaluate', { expression: 'globalThis.calls = []; Error.stackTraceLimit = 200' });
  for (const { scriptId, functions } of coverage) {
    const file = scripts.get(scriptId);
    if (file === undefined) continue;
    const { scriptSource } = await inspector.send('Debugger.getScriptSource', { scriptId });
    const forwards = forwardersIn(scriptSource);
    for (const { functionName, ranges } of functions) {
      const [{ startOffset, endOffset, count }] = ranges;
      if (count === 0 || startOffset === 0) continue;
      const { locations } = await inspector.send('Debugger.getPossibleBreakpoints', {
        start: { scriptId, ...positionOf(scriptSource, startOffset) },
        end: { scriptId, ...positionOf(scriptSource, endOffset) },
        restrictToFunction: true,
      });
      const [location] = locations;
      if (!location) continue;
      const values = [relative(ROOT, file), functionName, forwards(startOffset, endOffset)].map((value) =>
        JSON.stringify(value),
      );
      const entry = `${values.join(', ')}, new Error().stack`;
      await inspector.send('Debugger.setBreakpoint', {
        location: { ...location, type: undefined },
        condition: `globalThis.calls.push([${entry}]) < 0`,
      });
    }
  }
  // What the server does every few seconds may come between: the shortest of three has none of it.
  const traces = [];
  for (let turn = 0; turn < 3; turn += 1) {
    const traced = await place(api);
    // The log line of a request is written after its response.
    await setTimeout(100);
    await inspector.send('Runtime.evaluate', { expression: 'globalThis.calls.length = 0' });
    await cancel(api, traced);
    await setTimeout(100);
    const { result } = await inspector.send('Runtime.evaluate', { expression: 'JSON.stringify(globalThis.calls)' });
    traces.push(JSON.parse(result.value));
  }
  return traces.toSorted((one, other) => one.length - other.length)[0];
}

/** Returns a function that checks whether the function of a program at some offsets only forwards. */
function forwardersIn(source) {
  const found = new Set();
  const visit = (node) => {
    if (onlyForwards(node)) found.add(node.end);
  };
  const visitor = new Visitor({
    FunctionDeclaration: visit,
    FunctionExpression: visit,
    // An arrow function that returns another one ends where that one ends.
    ArrowFunctionExpression: (node) => onlyForwards(node) && found.add(`${node.start} ${node.end}`),
  });
  visitor.visit(parseSync('module.js', source).program);
  return (start, end) => found.has(end) || found.has(`${start} ${end}`);
}

function onlyForwards({ params, body }) {
  const [statement, ...more] =
    body.type === 'BlockStatement' ? body.body : [{ type: 'ReturnStatement', argument: body }];
  const isOne = more.length === 0 && ['ReturnStatement', 'ExpressionStatement'].includes(statement?.type);
  const value = isOne ? (statement.argument ?? statement.expression) : null;
  const call = value?.type === 'AwaitExpression' ? value.argument : value;
  if (call?.type !== 'CallExpression' || !isPath(call.callee)) return false;
  const names = params.map((param) => (param.type === 'RestElement' ? param.argument : param).name);
  const passed = call.arguments.map(
    (argument) => (argument.type === 'SpreadElement' ? argument.argument : argument).name,
  );
  return passed.length === names.length && passed.every((name, index) => name !== undefined && name === names[index]);
}

/** Checks whether an expression is a name, or members of one, such as `this.store.find`. */
function isPath(node) {
  if (node.type === 'MemberExpression') return !node.computed && isPath(node.object);
  return node.type === 'Identifier' || node.type === 'ThisExpression';
}

function positionOf(source, offset) {
  const lines = source.slice(0, offset).split('\n');
  return { lineNumber: lines.length - 1, columnNumber: lines.at(-1).length };
}

async function place(api) {
  const items = [{ sku: 'MUG-330', name: 'Mug', quantity: 2, unit_price: { amount: 1299, currency: 'EUR' } }];
  const { id } = await post(api, '/v1/orders', { items });
  return id;
}

async function cancel(api, id) {
  const order = await post(api, `/v1/orders/${id}/cancel`, { reason: 'The customer changed their mind' });
  assert.equal(order.status, 'cancelled');
}

async function post({ url, key }, path, body) {
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json', 'idempotency-key': crypto.randomUUID() },
    body: JSON.stringify(body),
  });
  assert.ok(response.ok, `${path}: ${response.status}`);
  return response.json();
}

/** Waits until a stream has had what `pattern` matches, and returns its group. */
function printed(stream, pattern) {
  let text = '';
  return new Promise((resolve, reject) => {
    stream.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
      const match = pattern.exec(text);
      if (match) resolve(match[1]);
    });
    stream.once('end', () => reject(new Error(`the server ended: ${text}`)));
  });
}

/** Speaks the protocol of Node.js's inspector. */
async function connect(address) {
  const socket = new WebSocket(address);
  await new Promise((resolve, reject) => Object.assign(socket, { onopen: resolve, onerror: reject }));
  const pending = new Map();
  const listeners = new Map();
  let last = 0;
  socket.onmessage = ({ data: text }) => {
    const { id, method, params, result, error } = JSON.parse(text);
    if (id === undefined) listeners.get(method)?.(params);
    else if (error) pending.get(id)?.reject(new Error(error.message));
    else pending.get(id)?.resolve(result);
  };
  return {
    on: (method, listener) => listeners.set(method, listener),
    send: (method, params) =>
      new Promise((resolve, reject) => {
        last += 1;
        pending.set(last, { resolve, reject });
        socket.send(JSON.stringify({ id: last, method, params }));
      }),
    close: () => socket.close(),
  };
}

/** Compares the path with the document, or writes it there. */
async function report(calls) {
  const entries = new Map();
  const bounces = new Set();
  const forForm = new Set(calls.map(([file]) => file));
  for (const [file, name, forwards, stack] of calls) {
    if (!forwards) forForm.delete(file);
    const chain = callChain(stack);
    const caller = chain.find((each) => each !== file);
    if (!entries.has(file)) entries.set(file, { name, caller });
    const back = chain.indexOf(file, chain.indexOf(caller));
    if (caller !== undefined && back !== -1) bounces.add(`${caller} calls ${file} back`);
  }
  assert.deepEqual([...bounces], [], 'the path goes back and forth');
  const callers = new Set([...entries.values()].map(({ caller }) => caller));
  const idle = [...forForm].filter((file) => callers.has(file));
  assert.deepEqual(idle, [], 'files only forward');
  assert.ok(entries.size <= FILES_MAX, `the path has ${entries.size} files, more than ${FILES_MAX}`);
  const rows = [...entries].map(([file, { name, caller = '' }], index) => {
    const [folder, path] = file.split('/src/');
    const from = caller.replace(/^.*\/src\//, '');
    const cells = [index + 1, folder.replace(/^.*\//, ''), `[${path}](../../${file})`, code(name), from];
    return `| ${cells.join(' | ')} |`;
  });
  const heading = ['| | package | file | function | entered from |', '| --- | --- | --- | --- | --- |'];
  const table = [...heading, ...rows].join('\n');
  const text = await readFile(DOCUMENT, 'utf8');
  const [before] = TABLE.exec(text) ?? [];
  assert.ok(before, `${DOCUMENT} has no place for the table`);
  if (isCheck) {
    assert.deepEqual(cellsOf(before), cellsOf(table), 'the table is old: run `pnpm trace:cancel`');
  } else {
    await writeFile(
      DOCUMENT,
      text.replace(TABLE, (_, start, end) => `${start}\n${table}\n\n${end}`),
    );
  }
  console.log(`${rows.length} files, none back and forth, none for form only`);
}

function code(name) {
  return name === '' ? '' : `\`${name}\``;
}

/** Returns the files of the project on a stack, the called one first, up to a library other than neverthrow. */
function callChain(stack) {
  const chain = [];
  // The message, and the frame of the breakpoint.
  for (const frame of stack.split('\n').slice(2)) {
    const path = /\(?(?:file:\/\/)?(\/[^()]+|node:[^()]+):\d+:\d+\)?$/.exec(frame)?.[1];
    // A frame without a place is native code, such as the constructor of a promise.
    if (!path || path.includes('/neverthrow') || path.endsWith('/value-or-promise.ts')) continue;
    if (!path.startsWith(ROOT) || path.includes('/node_modules/')) return chain;
    chain.push(relative(ROOT, path));
  }
  return chain;
}

/** Returns the rows of a table without the spaces that align it. */
function cellsOf(table) {
  const rows = table.split('\n').filter((line) => /^\| *\d/.test(line));
  return rows.map((line) => line.split('|').map((cell) => cell.trim()));
}
