// The tracker's clock: notes how far the topics were read, then judges what has come due by then.
import type { Executor, Transport, UnitOfWork } from '@compasso/messaging';
import type { Rules } from '../domain/transfer-view.ts';
import { trackedTopics } from '../kafka/reactions.ts';
import { judgeAttention } from './judge-attention.ts';
import { Reading } from './reading.ts';
import { repeat, type Repeating } from './repeat.ts';

export interface AttentionWatchOptions {
  readonly executor: Executor;
  readonly unitOfWork: UnitOfWork;
  readonly transport: Pick<Transport, 'offsets'>;
  readonly requestTeams: readonly string[];
  readonly rules: Rules;
  readonly isLeader: () => boolean;
  readonly onError: (error: unknown) => void;
}

const everyMs = 1_000;

export function watchAttention(options: AttentionWatchOptions): Repeating {
  const { unitOfWork, transport, requestTeams, isLeader, onError } = options;
  const topics = trackedTopics(requestTeams).filter(({ family }) => family !== 'dead-letters');
  const reading = new Reading({ unitOfWork, transport, topics });
  const look = async (): Promise<void> => {
    if (!isLeader()) return;
    await reading.advance();
    await judgeAttention(options);
  };
  return repeat(look, { everyMs, onError });
}
