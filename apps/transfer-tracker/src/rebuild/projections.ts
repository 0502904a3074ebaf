// Which projection is shown and which is built changes while all lanes are held: no batch is between two answers.
import { partitionCount } from '@compasso/contracts';
import { CodedError } from '@compasso/kernel';
import type { Executor, WorkingSet } from '@compasso/messaging';
import { laneTable, projectionTable, transfersProjection } from '../postgres/tables.ts';

const lanes = Array.from({ length: partitionCount }, (_, lane) => lane);

export interface Begun {
  readonly shown: number;
  readonly building: number;
}

/** From here on live events go into both. @param above the new number is higher than this one too */
export const beginBuilding = (executor: Executor, above: number): Promise<Begun> =>
  executor.execute(async (set) => {
    const { current, building } = await lockAll(set);
    const next = Math.max(current, building ?? 0, above) + 1;
    show(set, current, next);
    return { shown: current, building: next };
  });

/** Shows what was built. @throws CodedError `rebuild_superseded` */
export const showBuilt = (executor: Executor, built: number): Promise<void> =>
  executor.execute(async (set) => {
    const { building } = await lockAll(set);
    refuseSuperseded(building, built);
    show(set, built, null);
  });

/** Gives up what was being built: live events go into the shown one alone again. */
export const stopBuilding = (executor: Executor, built: number): Promise<void> =>
  executor.execute(async (set) => {
    const { current, building } = await lockAll(set);
    if (building === built) show(set, current, null);
  });

/** Another rebuild has begun since: its rows are not ours to write. */
export function refuseSuperseded(building: number | null, built: number): void {
  if (building === built) return;
  throw new CodedError('rebuild_superseded', 'Another rebuild has begun; this one gives up.', {
    building,
    built,
  });
}

/** The projection first, as the job that judges attention does; then the lanes. */
async function lockAll(set: WorkingSet) {
  await set.lock(projectionTable, [[transfersProjection]]);
  await set.lock(laneTable, lanes.map((lane) => [lane]));
  return set.get(projectionTable, transfersProjection)!;
}

function show(set: WorkingSet, current: number, building: number | null): void {
  set.put(projectionTable, { name: transfersProjection, current, building });
  for (const lane of lanes) set.put(laneTable, { lane, current, building });
}
