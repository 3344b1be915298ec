import { setTimeout as sleep } from 'node:timers/promises';
import { getContainerRuntimeClient, ImageName } from 'testcontainers';
import { getReaperImage } from 'testcontainers/build/reaper/reaper.js';

/** Maximum time for the engine's response, in milliseconds. An engine that hangs counts as absent. */
const RESPONSE_MS = 3000;

/** A program that prints what the Docker engine of its environment provides for the given image. */
async function offer(image: string): Promise<string> {
  const engine = await getContainerRuntimeClient();
  const has = (name: string) => engine.image.exists(ImageName.fromString(name));
  if (!(await has(image))) return 'nothing';
  return (await has(getReaperImage())) ? 'image and reaper' : 'image';
}

// The absence of an engine, or of access to it, is the usual case.
const response = offer(process.argv[2] ?? '').catch(() => 'nothing');
process.stdout.write(await Promise.race([response, sleep(RESPONSE_MS, 'nothing')]));
process.exit();
