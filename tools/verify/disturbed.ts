// Which traces a killed process has torn: it takes the spans along that it had not exported yet.

/** From the first to the last that is known of a transfer, in milliseconds since the epoch. */
export interface Lifetime {
  readonly transferId: string;
  readonly from: number;
  readonly until: number;
}

/** A span waits for the export before its own, and each may take its time (libs/observability, traces.ts). */
const marginMs = 6_000;

export function disturbedBy(
  deaths: readonly number[],
  lifetimes: readonly Lifetime[],
): ReadonlySet<string> {
  const disturbed = lifetimes.filter(({ from, until }) =>
    deaths.some((at) => at >= from - marginMs && at <= until + marginMs),
  );
  return new Set(disturbed.map(({ transferId }) => transferId));
}
