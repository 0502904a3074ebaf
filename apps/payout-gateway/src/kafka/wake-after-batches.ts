// A payout that was just authorised need not wait for the worker's next look: after each committed batch it is woken. The
// handler itself could not do that, because it runs before the commit.
import type { Server } from '@nestjs/microservices';

export function wakeAfterBatches(strategy: Pick<Server, 'getHandlers'>, wake: () => void): void {
  const handlers = strategy.getHandlers();
  for (const [topic, handle] of [...handlers]) {
    const wrapped: typeof handle = async (batch: unknown, signal: unknown) => {
      await handle(batch, signal);
      wake();
    };
    handlers.set(topic, Object.assign(wrapped, handle));
  }
}
