import { type Attempt, type Outcome } from './history.ts';
import { canonical, type Command, type Fields, fieldsOf, isSame, listOf } from './orders-model.ts';
import { emailOf, fail, type Logged, type Timelines } from './timelines.ts';

/** A use of a key. */
interface Use {
  readonly attempt: Attempt;
  /** The result of a retry; `null` if it is not known whether the attempt recorded the key. */
  readonly outcome: Extract<Outcome, { readonly type: 'done' }> | null;
}

/** Checks the outcome of every attempt of a command: its result, or its reason. */
export class WriteCheck {
  readonly #timelines: Timelines;
  readonly #uses = new Map<string, Use[]>();

  constructor(timelines: Timelines) {
    this.#timelines = timelines;
  }

  check(): void {
    for (const attempt of this.#timelines.history.attempts) this.#checkAttempt(attempt);
  }

  #checkAttempt(attempt: Attempt): void {
    const { command, outcome, begin, end, now } = attempt;
    const uses = this.#usesOf(command);
    const started = uses.filter(
      (use) => use.attempt.begin <= end && expiryOf(use, this.#timelines.history.ttlMs) > now,
    );
    const known = started.filter(({ attempt: use, outcome: result }) => result !== null && use.end < begin);
    const isKnown = (use: Use) => isSameCommand(use.attempt.command, command);
    if (outcome.type === 'unknown') return;
    if (outcome.type === 'rejected') {
      const { type } = outcome.error;
      if (type === 'idempotency_key_reused') {
        if (!started.some((use) => !isKnown(use))) fail('a rejection has its reason', { attempt, uses });
        return;
      }
      const isErased = command.kind === 'customer' && type === 'customer_not_found';
      if (known.length > 0 && !isErased) return fail('a retry returns the first result', { attempt, known });
      const isErasedSince = isErased && started.some((use) => isKnown(use) && this.#isGone(use, end));
      const first = this.#firstWrites(started, uses, now);
      if (!isErasedSince && !this.#hasReason(attempt, outcome.error, first))
        return fail('a rejection has its reason', { attempt, first });
      return;
    }
    if (outcome.replayed) {
      if (!started.some((use) => isKnown(use) && this.#isResultOf(use, outcome)))
        return fail('a retry returns the first result', { attempt, started });
      return;
    }
    if (known.length > 0) return fail('a retry returns the first result', { attempt, known });
    const event = this.#timelines.events.get(String(outcome.event?.['id']));
    if (outcome.event) {
      if (!event || !isSame(outcome.event, event))
        return fail('no write is lost, and none is done twice', { attempt, event });
    } else if (
      !this.#timelines.statesOf(command, attempt).some(({ decision }) => 'type' in decision && decision.type === null)
    )
      return fail('no write is lost, and none is done twice', { attempt });
  }

  /** Returns the attempts with the key of a command. */
  #usesOf({ owner, key }: Command): readonly Use[] {
    if (key === null) return [];
    if (this.#uses.size === 0) {
      for (const attempt of this.#timelines.history.attempts) {
        const { command, outcome } = attempt;
        const name = `${command.owner} ${command.key}`;
        const uses = this.#uses.get(name) ?? [];
        this.#uses.set(name, uses);
        if (outcome.type === 'done' && !outcome.replayed) uses.push({ attempt, outcome });
        if (outcome.type === 'unknown') uses.push({ attempt, outcome: null });
      }
    }
    return this.#uses.get(`${owner} ${key}`) ?? [];
  }

  /** Returns the events of uses of a key whose record certainly exists when the event does. */
  #firstWrites(started: readonly Use[], uses: readonly Use[], now: number): readonly Logged[] {
    const expired = uses.filter((use) => expiryOf(use, this.#timelines.history.ttlMs) <= now);
    const isKept = (actor: string) => expired.every(({ attempt }) => attempt.command.actor !== actor);
    const actors = new Set(started.map(({ attempt }) => attempt.command.actor).filter(isKept));
    return [...actors].flatMap((actor) => {
      const made = this.#timelines.made.get(actor) ?? [];
      return made.length === 1 ? made : [];
    });
  }

  /** Returns whether a replay has the result of an earlier use of its key. */
  #isResultOf({ attempt, outcome }: Use, replay: Fields): boolean {
    if (outcome) return JSON.stringify(outcome.aggregate) === JSON.stringify(replay['aggregate']);
    const { id = null, version } = fieldsOf(replay['aggregate']);
    const { actor, action, id: changed } = attempt.command;
    const made = this.#timelines.made.get(actor) ?? [];
    if (action === 'delete') return id === null && made.length > 0;
    // A command that changed nothing has the version that was current.
    if (made.length === 0) return changed === id;
    return made.some((event) => event.aggregate_id === id && event.version === version);
  }

  /** Returns whether the customer that was written may have been deleted at a time. */
  #isGone({ attempt, outcome }: Use, end: number): boolean {
    const { command } = attempt;
    const made = this.#timelines.made.get(command.actor) ?? [];
    const ids = [command.id, outcome?.aggregate?.['id'], ...made.map(({ aggregate_id: id }) => id)];
    return ids.some((id) => {
      const last = this.#timelines.resourceOf(command.owner, command.kind, String(id)).versions.at(-1);
      return last?.aggregate === null && last.from <= end;
    });
  }

  /** Returns whether the reason of a rejection may have held meanwhile, and before the event of each of `ends`. */
  #hasReason({ command, begin, end }: Attempt, error: Fields, ends: readonly Logged[]): boolean {
    const { owner, input, id } = command;
    const { type } = error;
    const holds = (of: 'order' | 'customer', other: unknown, test: (state: Fields | null) => boolean) =>
      this.#timelines.possible(owner, of, String(other), { begin, end }, ends).some(test);
    switch (type) {
      case 'validation_failed': {
        const [address, isCountry] = String(listOf(error['errors'])[0]?.['field']).split('.');
        return isCountry
          ? holds('order', id, (state) => state?.[address ?? ''] === null)
          : address === 'customer_id' && holds('customer', input['customer_id'], (state) => state === null);
      }
      case 'reference_taken':
        return (
          error['order_id'] !== id &&
          holds('order', error['order_id'], (it) => it?.['reference'] === input['reference'])
        );
      case 'email_taken':
        return (
          error['customer_id'] !== id && holds('customer', error['customer_id'], (it) => emailOf(it) === emailOf(input))
        );
      case 'customer_has_orders': {
        const orders = [...this.#timelines.resources.values()].filter(
          (it) => it.owner === owner && it.kind === 'order',
        );
        return id !== null && orders.some((order) => holds('order', order.id, (it) => it?.['customer_id'] === id));
      }
    }
    return this.#timelines.statesOf(command, { begin, end }, ends).some(({ state, decision }) => {
      const { lifecycle, cancel } = this.#timelines.history.definition;
      const reason = {
        type,
        code: Reflect.get(decision, 'code') as unknown,
        id,
        current_version: state?.['version'],
        current_status: state?.['status'],
        requested_status: input['status'],
        available_transitions: lifecycle[String(state?.['status'])],
        fields:
          command.action === 'change'
            ? ['customer_id', 'reference'].filter((name) => name in input && input[name] !== state?.[name])
            : ['items'],
        [`${cancel}_at`]: state?.[`${cancel}_at`] ?? null,
      };
      const isExact = Object.entries(error).every(
        ([name, value]) => !(name in reason) || isSame(value, Reflect.get(reason, name)),
      );
      return 'error' in decision && decision.error === type && isExact;
    });
  }
}

function isSameCommand(left: Command, right: Command): boolean {
  const text = ({ kind, action, id, input }: Command) => canonical([kind, action, id, input]);
  return text(left) === text(right);
}

/** Returns when the record of a key expires at the latest. */
function expiryOf({ attempt }: Use, ttlMs: number): number {
  return attempt.now + ttlMs;
}
