// A story: one kind of transfer, played against the running system, and how it must end. Demo and end-to-end tests play
// the same ones.
import type { Axes } from '../client/tracker-client.ts';
import { axesOf, inWords, isSameEnd } from './axes.ts';
import type { World } from './world.ts';

export interface Story {
  readonly name: string;
  readonly ends: Axes;
  /** Worth a look at every step. */
  readonly telling?: boolean;
  /** Such a story has the system for itself: others must not be in the way of a SIGKILL. */
  readonly kills?: 'infrastructure' | 'service';
  play(world: World): Promise<Played>;
}

export interface Played {
  readonly transferIds: readonly string[];
  /** What is not as the story tells it, in words. Empty = all is. */
  readonly complaints: readonly string[];
  /** What a spectator wants to know beside the end. */
  readonly remarks?: readonly string[];
}

export interface Outcome extends Axes {
  readonly story: string;
  readonly transferId: string;
  readonly transferIds: readonly string[];
  readonly complaints: readonly string[];
  readonly remarks: readonly string[];
  readonly traceId?: string;
  readonly ok: boolean;
}

/** Plays a story and looks at its end; what goes wrong in between is a complaint, not an exception. */
export async function playStory(story: Story, world: World): Promise<Outcome> {
  const played = await story.play(world).catch((error: unknown): Played => {
    const why = error instanceof Error ? error.message : String(error);
    return { transferIds: [], complaints: [`could not be played: ${why}`] };
  });
  const seen = await Promise.all(played.transferIds.map((id) => lookAt(id, story.ends, world)));
  const complaints = [...played.complaints, ...seen.flatMap(({ complaint }) => complaint ?? [])];
  if (seen.length === 0) complaints.push('no transfer came of it');
  const shown = seen.find(({ complaint }) => complaint !== undefined) ?? seen[0] ?? unseen('');
  return {
    story: story.name,
    transferId: shown.transferId,
    ...axesOf(shown),
    transferIds: played.transferIds,
    complaints,
    remarks: played.remarks ?? [],
    ...(shown.traceId === undefined ? {} : { traceId: shown.traceId }),
    ok: complaints.length === 0,
  };
}

interface Seen extends Axes {
  readonly transferId: string;
  readonly traceId?: string;
  readonly complaint?: string;
}

async function lookAt(transferId: string, ends: Axes, { clients }: World): Promise<Seen> {
  const transfer = await clients.tracker.transfer(transferId).catch(() => undefined);
  if (transfer === undefined) return { ...unseen(transferId), complaint: `${transferId} is unknown to the tracker` };
  if (isSameEnd(transfer, ends)) return transfer;
  return { ...transfer, complaint: `${transferId} is ${inWords(transfer)}, not ${inWords(ends)}` };
}

const unseen = (transferId: string): Seen => ({ transferId, state: 'unseen', money: '', certainty: '', attention: '' });
