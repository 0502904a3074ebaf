// Invariant 9: dead letters hold exactly what could not be handled, nothing overtook them, and each has a case.
import type { DeadLetterFact, Facts, InboxFact, RecordFact } from './facts.ts';
import { groupBy, type Judgement, judgement } from './judgement.ts';

const placeOf = ({ topic, partition, offset }: Pick<DeadLetterFact, 'topic' | 'partition' | 'offset'>): string =>
  `${topic}/${partition}/${offset}`;

export function judgeDeadLetters(facts: Facts): Judgement {
  const violations: string[] = [];
  let checked = 0;
  const cases = new Map(facts.cases.map((one) => [one.caseId, one.state]));
  for (const { service, group, topic } of facts.groups) {
    const { inbox, deadLetters, blocked, parked } = facts.messaging[service];
    const letters = deadLetters.filter((letter) => letter.groupName === group);
    const records = facts.records.filter((record) => record.topic === topic);
    const verdicts = new Map(
      inbox.filter((row) => row.groupName === group).map((row) => [`${row.source} ${row.eventId}`, row]),
    );
    checked += records.length;
    violations.push(...unaccounted(group, records, verdicts, letters));
    violations.push(...overtakers(group, records, verdicts, letters));
    violations.push(...mismatched(group, blocked, parked));
    for (const { caseId, state } of letters.filter((letter) => letter.state === 'open' || letter.state === 'replayed')) {
      const found = cases.get(caseId);
      const isFollower = found === undefined && state === 'replayed' && !isHead(caseId, letters);
      if (found === undefined && !isFollower) violations.push(`${group}: dead letter ${caseId} has no case`);
      if (state === 'open' && found === 'closed') violations.push(`${group}: the case of dead letter ${caseId} is closed`);
    }
  }
  return judgement(9, 'dead letters hold what could not be handled', checked, violations);
}

const isHead = (caseId: string, letters: readonly DeadLetterFact[]): boolean =>
  letters.filter((letter) => letter.caseId === caseId).length === 1;

/** Every record has a verdict, or (without a readable id) a dead letter; dead and parked ones have their bytes kept. */
function* unaccounted(
  group: string,
  records: readonly RecordFact[],
  verdicts: ReadonlyMap<string, InboxFact>,
  letters: readonly DeadLetterFact[],
): Generator<string> {
  const places = new Set(letters.map(placeOf));
  const firstPlaces = new Set<string>();
  for (const record of records) {
    const name = `${record.source} ${record.id}`;
    const row = record.id === undefined ? undefined : verdicts.get(name);
    if (row === undefined && !places.has(placeOf(record))) {
      yield `${group}: ${placeOf(record)} was passed over without a trace`;
    }
    if (row === undefined || firstPlaces.has(name)) continue;
    firstPlaces.add(name);
    const isAside = row.verdict === 'dead' || row.verdict === 'parked';
    if (isAside && !places.has(placeOf(record))) yield `${group}: ${placeOf(record)} is ${row.verdict} and its bytes are gone`;
    const waits = letters.some(
      (letter) => placeOf(letter) === placeOf(record) && (letter.state === 'open' || letter.state === 'parked'),
    );
    if (waits && !isAside) yield `${group}: ${placeOf(record)} waits as a dead letter and is ${row.verdict}`;
  }
}

function* overtakers(
  group: string,
  records: readonly RecordFact[],
  verdicts: ReadonlyMap<string, InboxFact>,
  letters: readonly DeadLetterFact[],
): Generator<string> {
  const waiting = new Map(letters.filter(({ state }) => state === 'open').map((letter) => [placeOf(letter), letter]));
  if (waiting.size === 0 || /transfer-requests|transfer-tracker\./.test(group)) return;
  for (const own of groupBy(records, ({ subject }) => subject).values()) {
    const head = own.find((record) => waiting.has(placeOf(record)));
    if (head === undefined) continue;
    for (const later of own.filter(({ offset, partition }) => partition === head.partition && offset > head.offset)) {
      const verdict = verdicts.get(`${later.source} ${later.id}`)?.verdict;
      if (verdict === 'applied') yield `${group}: ${placeOf(later)} overtook the dead ${placeOf(head)}`;
    }
  }
}

function* mismatched(
  group: string,
  blocked: Facts['messaging']['ledger']['blocked'],
  parked: Facts['messaging']['ledger']['parked'],
): Generator<string> {
  const own = (row: { readonly groupName: string }): boolean => row.groupName === group;
  const subjects = new Set(blocked.filter(own).map(({ subject }) => subject));
  const held = new Set(parked.filter(own).map(({ subject }) => subject));
  for (const subject of subjects) if (!held.has(subject)) yield `${group}: ${subject} is blocked and nothing is parked`;
  for (const subject of held) if (!subjects.has(subject)) yield `${group}: ${subject} is parked and not blocked`;
}
