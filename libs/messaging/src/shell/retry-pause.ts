import { setTimeout as pause } from 'node:timers/promises';

const retryDelayMsMax = 1_000;

/** 20, 40, 80 … ms, and up to the same again so that replicas do not meet twice. */
export const pauseBeforeRetry = (attempt: number): Promise<void> => {
  const base = Math.min(retryDelayMsMax, 10 * 2 ** attempt);
  return pause(base + Math.random() * base);
};
