/**
 * Follows a real `POST /v1/orders/{id}/cancel` through the server, on its embedded PostgreSQL, and writes the table of
 * its path into docs/architecture.md. The server runs under the inspector of Node.js: coverage says which functions of
 * the project a cancel calls, and a breakpoint that never pauses records each call with its stack.
 *
 * The table has a row for each file that the request enters, at its first call there. Later calls of the same file are
 * not listed, and libraries are passed over.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const DOCUMENT = join(ROOT, 'docs/architecture.md');
const TABLE = /(<!-- path of a cancel, written by `pnpm trace:cancel` -->\n)[^]*?(<!-- end of the path -->)/;

const data = await mkdtemp(join(tmpdir(), 'orders-trace-'));
const server = spawn(process.execPath, ['--inspect=127.0.0.1:0', '--conditions=source', 'apps/server/src/main.ts'], {
  cwd: ROOT,
  env: { ...process.env, DATA_DIR: data, PORT: '0', LOG_LEVEL: 'info' },
  stdio: ['ignore', 'pipe', 'pipe'],
});
try {
  const [inspector, url] = await Promise.all([
    printed(server.stderr, /Debugger listening on (ws:\S+)/).then(connect),
    printed(server.stdout, /Orders listens on (\S+)/),
  ]);
  const key = await readFile(join(data, 'demo-api-key'), 'utf8');
  await writeTable(await trace(inspector, { url, key: key.trim() }));
  inspector.close();
} finally {
  server.kill('SIGTERM');
  await new Promise((resolve) => server.once('exit', resolve));
  await rm(data, { recursive: true, force: true });
}

/** Returns the calls of one cancel, in order. */
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

  await inspector.send('Runtime.evaluate', { expression: 'globalThis.calls = []' });
  for (const { scriptId, functions } of coverage) {
    const file = scripts.get(scriptId);
    if (file === undefined) continue;
    const { scriptSource } = await inspector.send('Debugger.getScriptSource', { scriptId });
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
      const entry = JSON.stringify([relative(ROOT, file), functionName]);
      await inspector.send('Debugger.setBreakpoint', {
        location: { ...location, type: undefined },
        condition: `globalThis.calls.push(${entry}) < 0`,
      });
    }
  }
  const traced = await place(api);
  // The log line of a request is written after its response.
  await setTimeout(100);
  await inspector.send('Runtime.evaluate', { expression: 'globalThis.calls.length = 0' });
  await cancel(api, traced);
  await setTimeout(100);
  const { result } = await inspector.send('Runtime.evaluate', { expression: 'JSON.stringify(globalThis.calls)' });
  return JSON.parse(result.value);
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

async function writeTable(calls) {
  const entries = new Map();
  for (const [file, name] of calls) if (!entries.has(file)) entries.set(file, name);
  const rows = [...entries].map(([file, name], index) => {
    const [package_, path] = file.split('/src/');
    return `| ${index + 1} | ${package_.replace(/^.*\//, '')} | [${path}](../${file}) | ${name === '' ? '' : `\`${name}\``} |`;
  });
  const table = ['| | package | file | function |', '| --- | --- | --- | --- |', ...rows].join('\n');
  const text = await readFile(DOCUMENT, 'utf8');
  assert.match(text, TABLE);
  await writeFile(
    DOCUMENT,
    text.replace(TABLE, (_, start, end) => `${start}\n${table}\n\n${end}`),
  );
  console.log(`${rows.length} files`);
}
