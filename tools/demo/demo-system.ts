// The system that the demo plays on: everything real, its waiting shortened by configuration. It ends with the demo, or
// (with --keep) belongs to a supervisor of its own, as after `npm run up`.
import { join } from 'node:path';
import { CodedError } from '@compasso/kernel';
import type { Log } from '../../infra/log.ts';
import { startOtlpReceiver } from '../otlp-receiver.ts';
import { startDetachedSystem } from '../system/detached-system.ts';
import { repository } from '../system/run-directory.ts';
import { stopOnSignals } from '../system/stop-on-signals.ts';
import { startSystem, type System } from '../system/system.ts';
import type { PortableOptions } from '../system/system-options.ts';

/** 90 minutes until a person must look become 54 seconds. */
const timeScale = 0.01;

const allNight = '00:00';

export const demoSettings = {
  fresh: true,
  timeScale,
  // Equal ends: the night covers the whole day, and the story of the night limit ends the same at any hour.
  serviceEnvironment: { ledger: { LEDGER_NIGHT_FROM: allNight, LEDGER_NIGHT_UNTIL: allNight } },
} as const satisfies PortableOptions;

export interface DemoSystem {
  readonly system: System;
  /** Stops it, unless it was started to stay. */
  leave(): Promise<void>;
}

export async function startDemoSystem(keep: boolean, log: Log): Promise<DemoSystem> {
  return keep ? startToStay(log) : startToEnd(join(repository, '.compasso', 'demo'), log);
}

/**
 * In a directory of its own: a system that somebody has running is left alone. Its spans are received here, whoever else
 * wants them too.
 */
export async function startToEnd(directory: string, log: Log): Promise<DemoSystem> {
  const receiver = await startOtlpReceiver({ forwardTo: process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] || undefined });
  const leave = async (system: System | undefined) => {
    await system?.stop();
    await receiver.stop();
  };
  let system: System | undefined;
  try {
    system = await startSystem({ ...demoSettings, otlpEndpoint: receiver.endpoint, directory, log });
    await system.waitReady();
    return { system, leave: () => leave(system) };
  } catch (error) {
    await leave(system);
    throw error;
  }
}

async function startToStay(log: Log): Promise<DemoSystem> {
  const { system, wasRunning } = await startDetachedSystem(demoSettings, log);
  if (wasRunning) {
    throw new CodedError('system_running', 'a system with other settings is running: npm run down, then again');
  }
  // Whoever interrupts the demo does not want what it would have left.
  const watch = stopOnSignals(() => system.stop());
  return { system, leave: async () => watch.end() };
}
