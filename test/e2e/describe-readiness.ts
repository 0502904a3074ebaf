// Readiness is progress, not connection: without Kafka nobody is ready, and with it everybody is again, by itself.
import { eventually } from '@compasso/testing';
import { databaseOwners } from '../../tools/system/names.ts';
import { isServiceReady } from '../../tools/system/readiness.ts';
import type { Stage } from './stage.ts';

const noticedWithinMs = 30_000;
const backWithinMs = 120_000;

export function describeReadiness(stage: () => Stage): void {
  describe('readiness', () => {
    it('is lost while Kafka is frozen, and comes back with it', async () => {
      const { system } = stage();
      const addresses = databaseOwners.flatMap((owner) => system.managementAddresses[owner]);
      await system.waitReady();
      system.kill('kafka', 1, 'SIGSTOP');
      try {
        for (const address of addresses) {
          await eventually(async () => !(await isServiceReady(address)), {
            because: `${address} is not ready while Kafka is frozen`,
            withinMs: noticedWithinMs,
          });
        }
      } finally {
        system.kill('kafka', 1, 'SIGCONT');
      }
      for (const address of addresses) {
        await eventually(() => isServiceReady(address), {
          because: `${address} is ready again`,
          withinMs: backWithinMs,
        });
      }
    }, noticedWithinMs * 6 + backWithinMs);
  });
}
