// One running system for all end-to-end tests, with the clients that demo and bench use.
import { join } from 'node:path';
import { type Clients, clientsOf } from '../../tools/client/clients.ts';
import { startToEnd } from '../../tools/demo/demo-system.ts';
import { type Judged, judgeRunning } from '../../tools/demo/judge.ts';
import type { World } from '../../tools/demo/world.ts';
import { repository } from '../../tools/system/run-directory.ts';
import type { System } from '../../tools/system/system.ts';

export interface Stage {
  readonly system: System;
  readonly clients: Clients;
  readonly world: World;
  /** At rest, everything is collected and judged anew. */
  judge(): Promise<Judged>;
  leave(): Promise<void>;
}

const transfersPerKill = 30;
const say = (sentence: string): void => void process.stderr.write(`e2e: ${sentence}\n`);

export async function openStage(): Promise<Stage> {
  const { system, leave } = await startToEnd(join(repository, '.compasso', 'e2e'), say);
  try {
    const clients = await clientsOf(system);
    return {
      system,
      clients,
      world: { system, clients, transfersPerKill, say },
      judge: () => judgeRunning(system.directory),
      async leave() {
        await clients.close();
        await leave();
      },
    };
  } catch (error) {
    await leave();
    throw error;
  }
}
