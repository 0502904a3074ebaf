// What must hold of any score, whoever edits it next: no name that nobody knows, no path without an end, no case
// without a close, nothing undone that was never done. Pure, so that a test can break a score and see it found.
import type { Contract } from './contract.ts';
import type { Step } from './score.ts';

export interface ScoreUnderTest {
  readonly steps: readonly Step[];
  readonly causedByTime: readonly { readonly after: string; readonly emits: readonly string[] }[];
  readonly contracts: readonly Contract[];
}

interface Cause {
  readonly event: string;
  readonly service: string;
  readonly emits: readonly string[];
  /** A job says one thing after another; a reaction says what it decided at once. */
  readonly overTime: boolean;
}

const firstEvent = 'transfer.requested';

/** One line per fault, empty when the score holds. */
export function faultsOf(score: ScoreUnderTest): readonly string[] {
  return [
    ...namingFaults(score),
    ...publisherFaults(score),
    ...caseFaults(score),
    ...undoFaults(score),
    ...deadlineFaults(score),
    ...endingFaults(score),
  ];
}

/** Everything that makes an event follow another one: a service that reacts, or a job that goes on. */
export const causesOf = ({ steps, causedByTime }: ScoreUnderTest): readonly Cause[] => [
  ...steps.flatMap(({ event, reactions }) =>
    reactions.map(({ service, emits }) => ({ event, service, emits, overTime: false })),
  ),
  ...causedByTime.flatMap(({ after, emits }) =>
    (steps.find(({ event }) => event === after)?.reactions ?? [])
      .filter(({ service }) => emits.every((emitted) => isPublishedBy(steps, emitted, service)))
      .map(({ service }) => ({ event: after, service, emits, overTime: true })),
  ),
];

const isPublishedBy = (steps: readonly Step[], event: string, service: string): boolean =>
  steps.some(
    (step) =>
      step.event === event && (step.publisher === service || step.publisher === 'any-service'),
  );

function namingFaults({ steps, causedByTime, contracts }: ScoreUnderTest): string[] {
  const known = contracts.map(({ name }) => name);
  const listed = steps.map(({ event }) => event);
  const named = [
    ...listed,
    ...steps.flatMap(({ reactions }) => reactions.flatMap(({ emits }) => emits)),
    ...steps.flatMap(({ undoes, opensCase }) => [
      ...(undoes ? [undoes] : []),
      ...(opensCase?.closedBy ?? []),
    ]),
    ...causedByTime.flatMap(({ after, emits }) => [after, ...emits]),
  ];
  return [
    ...[...new Set(named)]
      .filter((event) => !known.includes(event))
      .map((event) => `${event}: no contract`),
    ...known
      .filter((event) => !listed.includes(event))
      .map((event) => `${event}: not in the score`),
    ...listed
      .filter((event, at) => listed.indexOf(event) !== at)
      .map((event) => `${event}: listed twice`),
  ];
}

function publisherFaults(score: ScoreUnderTest): string[] {
  const { steps, causedByTime, contracts } = score;
  const strangers = contracts.filter(({ name, publisher }) =>
    steps.some((step) => step.event === name && step.publisher !== publisher),
  );
  const spoken = causesOf(score).flatMap(({ event, service, emits }) =>
    emits
      .filter((emitted) => !isPublishedBy(steps, emitted, service))
      .map(
        (emitted) => `${emitted}: emitted by ${service} upon ${event}, which does not publish it`,
      ),
  );
  const causes = causesOf(score);
  const jobless = causedByTime.filter(
    ({ after, emits }) => !causes.some((cause) => cause.event === after && cause.emits === emits),
  );
  return [
    ...strangers.map(({ name }) => `${name}: another publisher than in its contract`),
    ...spoken,
    ...jobless.map(
      ({ after }) => `${after}: nobody who reacts to it publishes all that time brings`,
    ),
  ];
}

function caseFaults({ steps }: ScoreUnderTest): string[] {
  return steps.flatMap(({ event, opensCase, publisher }) => {
    if (opensCase === undefined) return [];
    const closers = steps.filter((step) => opensCase.closedBy.includes(step.event));
    if (closers.length === 0) return [`${event}: opens a case that nothing closes`];
    const strangers = closers.filter((closer) => closer.publisher !== publisher);
    return strangers.map((closer) => `${closer.event}: closes a case of ${publisher}`);
  });
}

/** Each service undoes its own steps, and only what came before. */
function undoFaults(score: ScoreUnderTest): string[] {
  const { steps } = score;
  return steps.flatMap(({ event, undoes, publisher }, at) => {
    if (undoes === undefined) return [];
    const done = steps.findIndex((step) => step.event === undoes);
    if (done === -1 || done >= at)
      return [`${event}: undoes ${undoes}, which does not come earlier`];
    if (steps[done]!.publisher !== publisher) return [`${event}: undoes a step of another service`];
    return followersOf(score, undoes).has(event)
      ? []
      : [`${event}: cannot follow ${undoes}, which it undoes`];
  });
}

function deadlineFaults({ steps, contracts }: ScoreUnderTest): string[] {
  return steps.flatMap(({ event, nextBy }) => {
    const { schema } = contracts.find(({ name }) => name === event) ?? {};
    const shape = (schema as { readonly shape?: object } | undefined)?.shape ?? {};
    return nextBy === undefined || nextBy in shape ? [] : [`${event}: has no field ${nextBy}`];
  });
}

/** The ledger ends a transfer; the tracker's feed is told about it and continues nothing. */
function endingFaults(score: ScoreUnderTest): string[] {
  const { steps } = score;
  const endings = steps
    .filter(({ terminal, publisher }) => terminal && publisher === 'ledger')
    .map(({ event }) => event);
  const reached = [firstEvent, ...followersOf(score, firstEvent)].filter(
    (event) => !isPublishedBy(steps, event, 'transfer-tracker'),
  );
  const endless = reached.filter(
    (event) =>
      !endings.includes(event) &&
      ![...followersOf(score, event)].some((next) => endings.includes(next)),
  );
  const unanswered = steps.filter(
    ({ event, terminal, publisher, reactions }) =>
      terminal &&
      publisher !== 'ledger' &&
      reached.includes(event) &&
      !reactions.some(
        ({ emits }) => emits.length > 0 && emits.every((emitted) => endings.includes(emitted)),
      ),
  );
  return [
    ...endless.map((event) => `${event}: no end of the transfer can follow`),
    ...unanswered.map(
      ({ event }) =>
        `${event}: the last word of its publisher, and the ledger does not end upon it`,
    ),
  ];
}

/**
 * All that may come after an event: what it causes, what was decided along with it (the hold and the permission; a
 * refusal is the other outcome, no companion), and what the same job says later.
 */
function followersOf(score: ScoreUnderTest, from: string): ReadonlySet<string> {
  const causes = causesOf(score);
  const endings = new Set(score.steps.filter(({ terminal }) => terminal).map(({ event }) => event));
  const followers = new Set<string>();
  const queue = [from];
  for (let event = queue.pop(); event !== undefined; event = queue.pop()) {
    const caused = causes.filter((cause) => cause.event === event).flatMap(({ emits }) => emits);
    const together = causes
      .filter(({ emits }) => emits.includes(event) && !endings.has(event))
      .flatMap(({ emits, overTime }) => emits.filter((other) => overTime || !endings.has(other)));
    for (const next of [...caused, ...together]) {
      if (next === from || followers.has(next)) continue;
      followers.add(next);
      queue.push(next);
    }
  }
  return followers;
}
