/**
 * Waits for works that go on side by side. Writes of a transaction that were issued without waiting are answered in their
 * order, in one round trip. All have ended when this returns; of those that failed the first one is thrown, and in a
 * transaction the rest only followed from it.
 */
export async function together<Result>(works: readonly Promise<Result>[]): Promise<readonly Result[]> {
  const settled = await Promise.allSettled(works);
  return settled.map((outcome) => {
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  });
}
