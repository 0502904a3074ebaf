// kafkajs wraps the broker's answer in an error of its own for every layer of retries.
const rebalanceTypes = new Set(['REBALANCE_IN_PROGRESS', 'ILLEGAL_GENERATION', 'NOT_COORDINATOR_FOR_GROUP', 'UNKNOWN_MEMBER_ID']);

/**
 * The group is dealing its partitions anew. kafkajs joins again by itself when it meets this, and nothing is wrong: a
 * rolling deployment is full of it.
 */
export function isRebalance(error: unknown): boolean {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    const { type } = at as { readonly type?: unknown };
    if (typeof type === 'string' && rebalanceTypes.has(type)) return true;
  }
  return false;
}
