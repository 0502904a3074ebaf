// Every ordered pair of answers, from every situation in which a question can be under way (field failure F-02). The table
// is the specification: what the first answer made of the payout, and what the second made of that.
import {
  accepted,
  answered,
  authorized,
  called,
  failed,
  noAnswer,
  notFound,
  paid,
  processing,
  sent,
  tell,
  timedOut,
  timePassed,
} from './payout.story.ts';

const answers = { processing, paid, failed, notFound, noAnswer } as const;
type Name = keyof typeof answers;
const names = Object.keys(answers) as Name[];

const situations = {
  submitted: [authorized(), sent(0), called(1, accepted)],
  unknown: [authorized(), sent(0), called(8, timedOut)],
  review: [authorized(), sent(0), called(1, accepted), timePassed(5_400)],
} as const;

/** What one answer makes of each status. Ended is ended. */
const becomes = {
  submitted: {
    processing: 'submitted',
    paid: 'confirmed',
    failed: 'rejected',
    notFound: 'submitted',
    noAnswer: 'submitted',
  },
  unknown: {
    processing: 'submitted',
    paid: 'confirmed',
    failed: 'rejected',
    notFound: 'unknown',
    noAnswer: 'unknown',
  },
  review: {
    processing: 'review',
    paid: 'confirmed',
    failed: 'rejected',
    notFound: 'review',
    noAnswer: 'review',
  },
  confirmed: {
    processing: 'confirmed',
    paid: 'confirmed',
    failed: 'confirmed',
    notFound: 'confirmed',
    noAnswer: 'confirmed',
  },
  rejected: {
    processing: 'rejected',
    paid: 'rejected',
    failed: 'rejected',
    notFound: 'rejected',
    noAnswer: 'rejected',
  },
} as const satisfies Record<string, Record<Name, string>>;

describe.each(Object.keys(situations) as (keyof typeof situations)[])('from %s', (situation) => {
  const pairs = names.flatMap((first) => names.map((second) => [first, second] as const));
  const at = situation === 'review' ? 6_000 : 30;

  it.each(pairs)('%s, then %s', (first, second) => {
    const afterFirst = becomes[situation][first];
    const afterSecond = becomes[afterFirst][second];
    const one = tell([...situations[situation], answered(at, answers[first])]);
    const two = tell([
      ...situations[situation],
      answered(at, answers[first]),
      answered(at + 60, answers[second]),
    ]);
    expect([one.payout.status, two.payout.status]).toEqual([afterFirst, afterSecond]);
    expect(two.events.filter(({ type }) => type === 'Answered')).toHaveLength(2);
    const ends = two.events.filter(({ type }) => type === 'PayoutConfirmed' || type === 'PayoutRejected');
    expect(ends.length).toBe(afterSecond === 'confirmed' || afterSecond === 'rejected' ? 1 : 0);
  });
});
