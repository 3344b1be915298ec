import { type Checkpoints, consume, type ConsumeOptions, type EventHandler, type Retry } from '@orders/domain/events';
import { type FaultScript, faulty, inMemoryStore } from '@orders/domain/testing';
import { errAsync } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { OWNER } from '../fixtures/a-domain.ts';
import { aFeed, aTimer, type FeedUnderTest } from '../fixtures/a-feed.ts';

/** Checkpoints that record what is saved in `log`, with faults. */
function recordedCheckpoints(log: unknown[] = [], script: FaultScript = {}) {
  const { checkpoints } = inMemoryStore();
  const save: Checkpoints['save'] = (owner, name, position) => {
    log.push(`saved ${position.position}`);
    return checkpoints.save(owner, name, position);
  };
  const { checkpoints: recorded, unreached } = faulty({ checkpoints: { ...checkpoints, save } }, script);
  return Object.assign(recorded, { unreached });
}

/** Consumes with the name `mail` until `handle` aborts. */
async function run(
  { feed }: FeedUnderTest,
  checkpoints: Checkpoints,
  handle: (position: number, stop: () => void) => unknown,
  options: Partial<ConsumeOptions> = {},
): Promise<void> {
  const stop = new AbortController();
  const handler = async ({ position }: { readonly position: number }) =>
    void (await handle(position, () => stop.abort()));
  await consume({ feed, checkpoints, owner: OWNER, name: 'mail', handler, signal: stop.signal, ...options });
}

async function aFeedOf(events: number, onWait?: (count: number) => void): Promise<FeedUnderTest> {
  const subject = aFeed(onWait);
  for (let count = 0; count < events; count += 1) await subject.place();
  return subject;
}

describe('a consumer', () => {
  it('handles an event again after its handler throws, with growing pauses, before the next event', async () => {
    const log: unknown[] = [];
    const [timer, retries]: [ReturnType<typeof aTimer>, Retry[]] = [aTimer(), []];
    const subject = await aFeedOf(3);
    const failing = [new Error('one'), new Error('two'), new Error('three')];
    const options = { timer, onRetry: (retry: Retry) => void retries.push(retry) };
    const handle = (position: number, stop: () => void): void => {
      log.push(position);
      const failure = position === 2 ? failing.shift() : undefined;
      if (failure) throw failure;
      if (position === 3) stop();
    };
    await run(subject, recordedCheckpoints(log), handle, options);
    expect(log).toEqual([1, 'saved 1', 2, 2, 2, 2, 'saved 2', 3, 'saved 3']);
    expect(timer.pauses).toEqual([50, 100, 200]);
    expect(retries.map(({ cause, failures }) => [String(cause), failures])).toEqual([
      ['Error: one', 1],
      ['Error: two', 2],
      ['Error: three', 3],
    ]);
  });

  it('saves its position behind events of other types', async () => {
    const stop = new AbortController();
    const log: unknown[] = [];
    const subject = await aFeedOf(2, (count) => {
      if (count === 2) return stop.abort();
      return void subject.place();
    });
    const options = { types: ['order.paid'], signal: stop.signal } as const;
    await run(subject, recordedCheckpoints(log), () => expect.fail('no event has this type'), options);
    expect(log).toEqual(['saved 2', 'saved 3']);
  });

  it.each([0, 2])('saves the place at which it starts, after %d events, before the first event', async (events) => {
    const stop = new AbortController();
    const log: unknown[] = [];
    const subject = await aFeedOf(events, () => stop.abort());
    const checkpoints = recordedCheckpoints(log);
    await run(subject, checkpoints, () => undefined, { start: 'latest', signal: stop.signal });
    expect(log).toEqual([`saved ${events}`]);
    await subject.place();
    const handle = (position: number, end: () => void) => {
      log.push(position);
      end();
    };
    await run(subject, checkpoints, handle, { start: 'latest' });
    expect(log.slice(1)).toEqual([events + 1, `saved ${events + 1}`]);
  });

  it('retries to load and to save its checkpoint, and does not handle the event again', async () => {
    const timer = aTimer();
    const log: unknown[] = [];
    const failing = (cause: string) => ({ error: { type: 'unavailable', cause } }) as const;
    const [load, save] = [failing('load'), failing('save')];
    const faults = { 'checkpoints.load': [load, load], 'checkpoints.save': [save, save, save] };
    const stop = new AbortController();
    const subject = await aFeedOf(1, () => stop.abort());
    const retries: Retry[] = [];
    const options = { timer, onRetry: (retry: Retry) => void retries.push(retry) };
    const handle = (position: number) => log.push(position);
    await run(subject, recordedCheckpoints(log, faults), handle, { ...options, signal: stop.signal });
    expect(log).toEqual([1, 'saved 1']);
    expect(retries.map(({ cause }) => cause)).toEqual(['load', 'load', 'save', 'save', 'save']);
    expect(timer.pauses).toEqual([50, 100, 50, 100, 200]);
  });

  it('ends after the running handler when its signal is aborted, and saves its checkpoint', async () => {
    const log: unknown[] = [];
    const subject = await aFeedOf(2);
    await run(subject, recordedCheckpoints(log), async (position, stop) => {
      stop();
      await Promise.resolve();
      log.push(position);
    });
    expect(log).toEqual([1, 'saved 1']);
  });

  it('does not save an event whose handler throws when its signal is aborted', async () => {
    const log: unknown[] = [];
    const subject = await aFeedOf(2);
    await run(subject, recordedCheckpoints(log), (position, stop) => {
      stop();
      log.push(position);
      throw new Error('no');
    });
    expect(log).toEqual([1]);
  });

  it('ends while its checkpoint is unavailable when its signal is aborted', async () => {
    for (const faults of [['unavailable'], ['unavailable', 'unavailable']] as const) {
      const checkpoints = recordedCheckpoints([], { 'checkpoints.load': faults });
      const subject = await aFeedOf(1);
      const signal = AbortSignal.abort();
      await run(subject, checkpoints, () => expect.fail('handled without a checkpoint'), { signal });
      expect(checkpoints.unreached()).toHaveLength(faults.length - 1);
      expect(subject.reads).toEqual([]);
    }
  });

  it('tries once to save its checkpoint after its signal is aborted', async () => {
    const log: unknown[] = [];
    const checkpoints = recordedCheckpoints(log, { 'checkpoints.save': ['unavailable'] });
    await run(await aFeedOf(2), checkpoints, (position, stop) => {
      log.push(position);
      stop();
    });
    // A second call would have saved it.
    expect(log).toEqual([1]);
    expect(checkpoints.unreached()).toEqual([]);
  });

  it('rejects an invalid owner, name or option with a TypeError, before it loads a checkpoint', async () => {
    const { feed } = aFeed();
    const load = (): never => expect.fail('a checkpoint was loaded');
    const checkpoints = { load, save: load };
    const valid = { feed, checkpoints, owner: OWNER, name: 'mail', handler: () => undefined };
    await expect(consume({ ...valid, owner: '' })).rejects.toThrow('the owner must be');
    for (const name of ['', 'é', 'x'.repeat(256)])
      await expect(consume({ ...valid, name })).rejects.toThrow('the name of a consumer must be');
    await expect(consume({ ...valid, waitMs: 1 })).rejects.toThrow(TypeError);
    const positioned = { ...valid, after: { position: 7, event: '80010000000000ff' } };
    await expect(consume(positioned)).rejects.toThrow('unknown option "after"');
  });

  it('accepts no handler whose errors it would not see', () => {
    // @ts-expect-error the error of a ResultAsync would count as success
    const handler: EventHandler = () => errAsync('no');
    expect(handler).toBeTypeOf('function');
  });
});
