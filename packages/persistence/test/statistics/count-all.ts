import type { Owner } from '@orders/domain';
import type { countStatistics } from '@orders/persistence';

/** Counts until nothing is left, and returns how many times the owner was counted again from its orders. */
export async function countAll(count: ReturnType<typeof countStatistics>, owner: Owner): Promise<number> {
  for (let recounts = 0; ;) {
    const { isMoreLeft, isRecounted } = await count(owner);
    recounts += Number(isRecounted);
    if (!isMoreLeft) return recounts;
  }
}
