import { constants } from 'node:os';

const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Stops everything on the first signal and then exits. A terminal, npm and the bootstrap may each
 * deliver the same Ctrl-C: the later ones change nothing. @returns how to stop listening.
 */
export function stopOnSignals(stop: () => Promise<void>): () => void {
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
  return () => undo.forEach((off) => off());
}
