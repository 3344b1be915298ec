import { setTimeout as sleep } from 'node:timers/promises';
import { getContainerRuntimeClient, ImageName } from 'testcontainers';
import { getReaperImage } from 'testcontainers/build/reaper/reaper.js';

/** How long an engine may take to answer; one that hangs offers nothing. */
const ANSWER_MS = 3000;

/** A program that says what the Docker engine of its environment offers for the image it is given. */
async function offer(image: string): Promise<string> {
  const engine = await getContainerRuntimeClient();
  const has = (name: string) => engine.image.exists(ImageName.fromString(name));
  if (!(await has(image))) return 'nothing';
  return (await has(getReaperImage())) ? 'image and reaper' : 'image';
}

// No engine, or none that lets us in, is the everyday case.
const answer = offer(process.argv[2] ?? '').catch(() => 'nothing');
process.stdout.write(await Promise.race([answer, sleep(ANSWER_MS, 'nothing')]));
process.exit();
