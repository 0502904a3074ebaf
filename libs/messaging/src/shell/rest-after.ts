/** A rest between two works of a loop under load, in milliseconds. */
export const restLimits = { msMin: 25, msMax: 150 } as const;

/**
 * As long as the work took: what comes meanwhile is done with the next, and a machine that is short of time, where every work
 * takes longer, gets larger works and fewer of them by itself.
 */
export const restMsAfter = (workMs: number): number =>
  Math.min(restLimits.msMax, Math.max(restLimits.msMin, Math.round(workMs)));
