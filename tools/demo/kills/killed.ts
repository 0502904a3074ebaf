// SIGKILL in the middle of everything: at least twenty transfers in flight and committed events that no broker has seen.
// Nobody cleans up by hand; all of them end as if nothing had happened.
import { CodedError } from '@compasso/kernel';
import { endings } from '../axes.ts';
import { Checks } from '../checks.ts';
import { type DatabaseOwner, type ProcessName, serviceNames } from '../../system/names.ts';
import type { Played, Story } from '../story.ts';
import type { World } from '../world.ts';
import { type Crowd, gatherCrowd } from './crowd.ts';
import { duplicatesAbsorbed, growth, leadingReplica } from './metrics.ts';
import { type Moment, type Watch, watchMoments } from './watch.ts';

export interface Victim {
  readonly name: string;
  readonly process: ProcessName;
  /** Whose outbox must not be empty: the victim's own, where it has one. */
  readonly outboxOf: DatabaseOwner;
}

const inFlightMin = 20;
const momentWithinMs = 30_000;
const endWithinMs = 90_000;
const slowShare = 0.7;
const happyPerLook = 2;

export function killedStory(victim: Victim): Story {
  return {
    name: victim.name,
    ends: endings.completed,
    kills: serviceNames.some((service) => service === victim.process) ? 'service' : 'infrastructure',
    async play(world) {
      const crowd = await gatherCrowd(world, victim.name, world.transfersPerKill);
      const watch = watchMoments(world.system, victim.outboxOf, crowd.accountIds);
      try {
        return await killAmong(crowd, watch, { victim, world });
      } finally {
        await watch.close();
      }
    },
  };
}

interface Scene {
  readonly victim: Victim;
  readonly world: World;
}

async function killAmong(crowd: Crowd, watch: Watch, scene: Scene): Promise<Played> {
  const { victim, world } = scene;
  const replica = await replicaToKill(scene);
  const before = await duplicatesAbsorbed(world.system);
  const moment = await momentToKill(crowd, watch, victim);
  const pid = world.system.kill(victim.process, replica, 'SIGKILL');
  world.say(`${victim.name}: SIGKILL for ${victim.process} ${replica} (pid ${pid}); ${momentInWords(moment, victim)}`);
  const back = world.system.waitRestarted(victim.process, replica, pid);
  // Callers do not know, and go on.
  crowd.post(Math.max(0, crowd.remaining()));
  const [successor] = await Promise.all([back, crowd.untilAnswered()]);
  world.say(`${victim.name}: ${victim.process} ${replica} is back (pid ${successor})`);
  await crowd.untilEnded(endWithinMs);
  const checks = new Checks();
  await checks.attempt(() => crowd.check(checks));
  const absorbed = growth(before, await duplicatesAbsorbed(world.system));
  const repeated = await repeatedCalls(crowd, world);
  return {
    transferIds: crowd.transferIds,
    complaints: checks.complaints,
    remarks: [
      `killed pid ${pid} (${victim.process} ${replica}), succeeded by ${successor}`,
      momentInWords(moment, victim),
      `absorbed: ${absorbed} duplicate messages, ${repeated} repeated provider calls`,
    ],
  };
}

/** The one whose relay publishes: its outbox is the one that hangs. */
async function replicaToKill({ victim, world }: Scene): Promise<number> {
  return victim.process === victim.outboxOf ? leadingReplica(world.system, victim.outboxOf) : 1;
}

async function momentToKill(crowd: Crowd, watch: Watch, { name, outboxOf }: Victim): Promise<Moment> {
  const deadline = performance.now() + momentWithinMs;
  crowd.sendSlow(Math.max(inFlightMin + 4, Math.round(crowd.remaining() * slowShare)));
  for (;;) {
    const moment = await watch.look();
    if (moment.waiting > 0 && moment.inFlight >= inFlightMin) return moment;
    if (performance.now() > deadline) {
      const seen = `${moment.inFlight} transfers in flight, ${moment.waiting} events in the outbox of ${outboxOf}`;
      throw new CodedError('no_moment_to_kill', `${name}: no moment to kill within ${momentWithinMs} ms (last: ${seen})`);
    }
    // What was asked for over the topic may still be on its way to the ledger.
    if (crowd.isAsking() || moment.known < crowd.transferIds.length) continue;
    if (moment.inFlight < inFlightMin) crowd.sendSlow(inFlightMin);
    else crowd.post(happyPerLook);
  }
}

const momentInWords = ({ waiting, inFlight }: Moment, { outboxOf }: Victim): string =>
  `${inFlight} transfers in flight, ${waiting} events in the outbox of ${outboxOf}`;

async function repeatedCalls(crowd: Crowd, { clients }: World): Promise<number> {
  let repeated = 0;
  for (const transferId of crowd.transferIds) {
    const calls = await clients.simulator.callsOf(transferId);
    repeated += Math.max(0, calls.filter(({ method }) => method === 'PUT').length - 1);
  }
  return repeated;
}
