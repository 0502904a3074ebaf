/**
 * Waits for writes that were issued one after the other without waiting: the database answers them in that order, in one
 * round trip. All have ended when this returns; what failed first is what is thrown, the rest only followed from it.
 */
export async function together(writes: readonly Promise<unknown>[]): Promise<void> {
  const failed = (await Promise.allSettled(writes)).find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
}
