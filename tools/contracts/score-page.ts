// docs/score.md: the whole flow as a table and a picture, drawn from score.ts so that neither can be out of date.
import { causedByTime, contracts, score, type Step } from '@compasso/contracts';

const nodeOf = (event: string): string => event.replace(/[^a-z]/g, '_');
const meaningOf = (event: string): string =>
  contracts.find(({ name }) => name === event)?.meaning ?? '';

const code = (text: string): string => `\`${text}\``;
const codes = (texts: readonly string[]): string => texts.map(code).join(', ');

export function scorePage(): string {
  return [
    '# The score',
    '',
    '<!-- Generated from libs/contracts/src/score.ts by tools/contracts/generate.ts: change it there. -->',
    '',
    'Who says what, who reacts, and what may follow. Nothing executes this page or its source: the handlers that a',
    'service registers are compared with it, and so is every cause and effect that tests see.',
    '',
    '## The flow of a transfer',
    '',
    'Solid: a service reacts to the event. Dashed: the same service goes on with time (a call, a query, a deadline).',
    'Dotted with a cross: the compensation and what it undoes. Double borders end the transfer. The tracker listens to',
    'everything and answers with `transfer.status-changed` alone, so its arrows are left out.',
    '',
    '```mermaid',
    ...diagram(),
    '```',
    '',
    '## Every event',
    '',
    '| Event | Publisher | What is true now | Who reacts, and with what | Next step due by |',
    '| --- | --- | --- | --- | --- |',
    ...score.map(row),
    '',
    '## What a job continues without another message',
    '',
    '| After | May follow |',
    '| --- | --- |',
    ...causedByTime.map(({ after, emits }) => `| ${code(after)} | ${codes(emits)} |`),
    '',
    '## Cases',
    '',
    '| Opened by | Closed by | Decision applied by |',
    '| --- | --- | --- |',
    ...score.flatMap(({ event, opensCase }) =>
      opensCase
        ? [`| ${code(event)} | ${codes(opensCase.closedBy)} | ${opensCase.decidedBy} |`]
        : [],
    ),
    '',
  ].join('\n');
}

function row(step: Step): string {
  const { event, publisher, reactions, nextBy, undoes, terminal } = step;
  const meaning = `${meaningOf(event)}${undoes ? ` Undoes ${code(undoes)}.` : ''}`;
  const reacting = reactions.map(({ service, emits }) => {
    if (emits.length > 0) return `${service}: ${codes(emits)}`;
    const goesOn =
      service !== 'transfer-tracker' && causedByTime.some(({ after }) => after === event);
    return `${service}: ${goesOn ? 'goes on with time, see below' : 'recorded'}`;
  });
  const next = nextBy ? code(nextBy) : terminal ? 'nothing follows from its publisher' : '';
  return `| ${code(event)} | ${publisher} | ${meaning} | ${reacting.join('<br>')} | ${next} |`;
}

function diagram(): string[] {
  const steps = score.filter(isDrawn);
  const publishers = [...new Set(steps.map(({ publisher }) => publisher))];
  return [
    'flowchart LR',
    ...publishers.flatMap((publisher) => [
      `  subgraph ${nodeOf(publisher)}["${publisher}"]`,
      ...steps.filter((step) => step.publisher === publisher).map((step) => `    ${box(step)}`),
      '  end',
    ]),
    ...steps.flatMap(({ event, reactions }) =>
      reactions
        .filter(({ service }) => service !== 'transfer-tracker')
        .flatMap(({ service, emits }) => emits.map((next) => edge(event, next, service))),
    ),
    ...causedByTime.flatMap(({ after, emits }) =>
      emits.map((next) => `  ${nodeOf(after)} -. "time" .-> ${nodeOf(next)}`),
    ),
    ...steps.flatMap(({ event, undoes }) =>
      undoes ? [`  ${nodeOf(event)} x-. "undoes" .-x ${nodeOf(undoes)}`] : [],
    ),
  ];
}

const edge = (from: string, to: string, service: string): string =>
  `  ${nodeOf(from)} -- "${service}" --> ${nodeOf(to)}`;

const endsTransfer = ({ terminal, publisher }: Step): boolean =>
  terminal === true && publisher === 'ledger';

const box = (step: Step): string =>
  endsTransfer(step)
    ? `${nodeOf(step.event)}[["${step.event}"]]`
    : `${nodeOf(step.event)}["${step.event}"]`;

/** Events that belong to a transfer: caused by another one, or the cause of one. */
function isDrawn({ event, publisher, reactions }: Step): boolean {
  if (publisher === 'transfer-tracker') return false;
  const causes = reactions.some(
    ({ service, emits }) => service !== 'transfer-tracker' && emits.length > 0,
  );
  const caused = [...score.flatMap((step) => step.reactions), ...causedByTime].some(({ emits }) =>
    emits.includes(event),
  );
  return causes || caused;
}
