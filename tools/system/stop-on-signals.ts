import { constants } from 'node:os';

const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export type SignalWatch = {
  /** True from the first signal on: this process is about to exit. */
  readonly isStopping: () => boolean;
  readonly end: () => void;
};

/**
 * Stops everything on the first signal and then exits. A terminal, npm and the bootstrap may each
 * deliver the same Ctrl-C: the later ones change nothing.
 */
export function stopOnSignals(stop: () => Promise<void>): SignalWatch {
  let isStopping = false;
  const undo = stopSignals.map((signal) => {
    const listener = () => {
      if (isStopping) return;
      isStopping = true;
      void stop().finally(() => process.exit(128 + constants.signals[signal]));
    };
    process.on(signal, listener);
    return () => process.off(signal, listener);
  });
  return { isStopping: () => isStopping, end: () => undo.forEach((off) => off()) };
}

/** For whoever leaves signals to its caller. */
export const noSignalWatch: SignalWatch = { isStopping: () => false, end: () => {} };
