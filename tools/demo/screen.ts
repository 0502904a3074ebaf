// What a spectator sees while the demo runs: a line for each move, with the seconds since the demo began.
import type { Status, StatusChange } from '../client/status-feed.ts';
import type { TimelineStep } from '../client/tracker-client.ts';
import { inWords } from './axes.ts';
import type { Outcome } from './story.ts';

export type Write = (line: string) => void;

export interface Screen {
  say(sentence: string): void;
  move(change: StatusChange): void;
  outcome(outcome: Outcome): void;
  timeline(outcome: Outcome, steps: readonly TimelineStep[]): void;
  seconds(): number;
}

const terminalStates = ['completed', 'compensated', 'refused'];
const nameWidth = 24;

export function screenOn(write: Write, since = performance.now()): Screen {
  const seconds = () => (performance.now() - since) / 1_000;
  const line = (text: string) => write(`${seconds().toFixed(1).padStart(6)} s  ${text}`);
  return {
    seconds,
    say: line,
    move({ transferId, status }) {
      const name = status.clientReference ?? 'transfer';
      // Of a crowd only the ends are told: what lies between is the same for each.
      if (isOfACrowd(name) && !terminalStates.includes(status.state)) return;
      line(`${name.padEnd(nameWidth)} ${transferId}  ${moveInWords(status)}`);
    },
    outcome(outcome) {
      const { story, ok, complaints, remarks, transferIds } = outcome;
      const count = transferIds.length > 1 ? ` (${transferIds.length} transfers)` : '';
      line(`${ok ? 'ok  ' : 'FAIL'} ${story}${count}: ${inWords(outcome)}`);
      [...remarks, ...complaints.slice(0, 10)].forEach((text) => line(`     ${text}`));
    },
    timeline({ story, transferId, traceId }, steps) {
      write('');
      line(`${story}, step by step: transfer ${transferId}, trace ${traceId ?? 'unknown'}`);
      timelineInWords(steps).forEach((text) => write(`            ${text}`));
      write('');
    },
  };
}

const isOfACrowd = (name: string): boolean => name.includes('/');

const moveInWords = ({ state, money, certainty, attention, reason }: Status): string =>
  [state.padEnd(15), money.padEnd(8), certainty.padEnd(11), attention === 'none' ? '' : attention, reason ?? ''].join(' ').trimEnd();

export function timelineInWords(steps: readonly TimelineStep[]): readonly string[] {
  const start = steps[0] === undefined ? 0 : Date.parse(steps[0].publishedAt);
  return steps.map((step) => {
    const at = `+${((Date.parse(step.publishedAt) - start) / 1_000).toFixed(3)} s`;
    const facts = ['attempt', 'reason', 'cause', 'answer', 'code', 'kind', 'evidence']
      .map((name) => (name === 'attempt' ? step.attempt : step.answers[name]))
      .filter((fact) => fact !== undefined)
      .join(' ');
    const undoes = step.undoes === undefined ? '' : `undoes ${step.undoes.event}`;
    return [at.padStart(10), step.service.padEnd(16), step.event.padEnd(26), facts, undoes].filter(Boolean).join('  ').trimEnd();
  });
}
