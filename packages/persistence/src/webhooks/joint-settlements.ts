import { setTimeout as sleep } from 'node:timers/promises';
import type { Owner } from '@orders/domain';
import { ENDPOINT_IN_FLIGHT_MAX } from '@orders/domain/webhooks';

/** What an attempt of a delivery has led to, as the function of the database reads it. */
export interface SettlementRow {
  readonly position: number;
  readonly fence: number;
  readonly attempt: number;
  readonly counts: boolean;
  readonly status: string;
  readonly retry_in_ms: number | null;
  readonly gaps: number | null;
  readonly gap_ms: number | null;
  readonly unless_dead: boolean;
  readonly last_status: number | null;
  readonly last_error: string | null;
  readonly last_duration_ms: number;
}

/** The outcome of a settlement. Nothing is recorded by `lost`, and by `dead`, which is due to `unlessDead`. */
type SettleOutcome = 'lost' | 'dead' | 'recorded' | 'recorded_dead';

/** The outcomes of settlements: one for each, in their order. */
export interface SettleResult {
  readonly outcomes: readonly SettleOutcome[];
  /** Whether the endpoint may have further deliveries to claim now. */
  readonly more: boolean;
}

/** The outcome of one of several settlements. */
export interface JointSettlement {
  readonly outcome: SettleOutcome;
  /** Whether the endpoint may have further deliveries to claim now; false for all but the last of those recorded together. */
  readonly isMoreDue: boolean;
}

interface Waiting {
  readonly row: SettlementRow;
  readonly resolve: (settlement: JointSettlement) => void;
  readonly reject: (cause: unknown) => void;
}

/** Records attempts of an endpoint in the database. */
type Settle = (owner: Owner, endpointId: string, rows: readonly SettlementRow[]) => Promise<SettleResult>;

/**
 * Time for which a settlement waits for others of its endpoint, in milliseconds. The delivery is made; what it delays is the
 * next one of the same resource.
 */
const GATHER_MS = 5;

/**
 * Records attempts of an endpoint that end within a few milliseconds by one statement. They would wait for one another, since
 * each locks the queue of the endpoint, and each would cost almost as much as all of them together. At most one statement per
 * endpoint is under way. The attempts that end meanwhile share the next one: as many as a worker makes for an owner at a
 * time.
 */
export class JointSettlements {
  readonly #settle: Settle;
  /** Those that wait, by the owner and endpoint. */
  readonly #waiting = new Map<string, Waiting[]>();

  constructor(settle: Settle) {
    this.#settle = settle;
  }

  /** Records an attempt. Rejects with the reason why the statement failed. */
  record(owner: Owner, endpointId: string, row: SettlementRow): Promise<JointSettlement> {
    return new Promise((resolve, reject) => {
      const key = JSON.stringify([owner, endpointId]);
      const waiting = this.#waiting.get(key) ?? [];
      waiting.push({ row, resolve, reject });
      if (this.#waiting.has(key)) return;
      this.#waiting.set(key, waiting);
      void this.#recordAll(key, waiting, (rows) => this.#settle(owner, endpointId, rows));
    });
  }

  async #recordAll(
    key: string,
    waiting: Waiting[],
    settle: (rows: readonly SettlementRow[]) => Promise<SettleResult>,
  ): Promise<void> {
    while (waiting.length > 0) {
      if (waiting.length < ENDPOINT_IN_FLIGHT_MAX) await sleep(GATHER_MS);
      const joint = waiting.splice(0);
      await settle(joint.map(({ row }) => row)).then(
        ({ outcomes, more }) => {
          const last = joint.length - 1;
          for (const [index, outcome] of outcomes.entries())
            joint[index]?.resolve({ outcome, isMoreDue: more && index === last });
        },
        (cause: unknown) => {
          for (const { reject } of joint) reject(cause);
        },
      );
    }
    // In the same step as the last check: what is recorded from now on begins again.
    this.#waiting.delete(key);
  }
}
