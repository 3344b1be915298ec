import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { engineOffer } from './docker-engine.ts';

// No real engine has this image.
const IMAGE = 'orders-test-postgres:none';

const undo: (() => unknown)[] = [];

afterEach(async () => {
  for (const step of undo.splice(0).toReversed()) await step();
});

/** Starts a fake Docker engine on a socket; a real one is not available everywhere. */
async function anEngine(listener: RequestListener): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'orders-docker-'));
  undo.push(() => rm(folder, { recursive: true }));
  const socket = join(folder, 'docker.sock');
  const server = createServer(listener).listen(socket);
  await once(server, 'listening');
  undo.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `unix://${socket}`;
}

function anEngineWith(images: readonly string[]): Promise<string> {
  return anEngine((request, response) => {
    const [, image] = /\/images\/(.+)\/json/.exec(decodeURIComponent(request.url ?? '')) ?? [];
    const known = image === undefined || images.some((name) => image.startsWith(name));
    response.writeHead(known ? 200 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify(known ? {} : { message: `No such image: ${image}` }));
  });
}

const offer = (DOCKER_HOST: string) => engineOffer(IMAGE, { ...process.env, DOCKER_HOST });

describe('a Docker engine', () => {
  it('is used when it has the image, with its reaper', async () => {
    expect(await offer(await anEngineWith([IMAGE, 'testcontainers/ryuk:']))).toBe('image and reaper');
  });

  it('is used when it has the image, also without a reaper', async () => {
    expect(await offer(await anEngineWith([IMAGE]))).toBe('image');
  });

  it('is not used when it would have to pull the image', async () => {
    expect(await offer(await anEngineWith(['testcontainers/ryuk:']))).toBe('nothing');
  });

  it('counts as absent when it does not respond in time', async () => {
    let requested = false;
    const silent = await anEngine(() => {
      requested = true;
    });
    expect(await offer(silent)).toBe('nothing');
    expect(requested).toBe(true);
  });

  it('counts as absent when nothing listens on its socket', async () => {
    expect(await offer('unix:///nowhere/docker.sock')).toBe('nothing');
  });
});
