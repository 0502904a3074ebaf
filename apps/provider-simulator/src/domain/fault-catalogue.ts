// The one table of faults. docs/provider-reference-wire-format.md shows it, and fault-table.spec.ts
// holds the two together. Amounts choose a fault by their last three digits of centavos; endings
// that people really pay (round ones, .90, .95, .99) are left alone.
import { type Behaviour, durations, happyBehaviour, notificationPlans } from './fault.ts';

export interface Fault {
  /** The last three digits of the amount in centavos. */
  readonly ending: number;
  readonly meaning: string;
  readonly behaviour: Behaviour;
}

const fault = (ending: number, meaning: string, differs: Partial<Behaviour>): Fault => ({
  ending,
  meaning,
  behaviour: { ...happyBehaviour, ...differs },
});

const { lost } = notificationPlans;

const failedWith = (code: string, afterMs: number = durations.paymentMs) =>
  ({ end: { afterMs, as: { status: 'failed', code } } }) as const;

const refusedWith = (code: string) => ({ keepOut: { by: 'refusal', code, calls: 'all' } }) as const;

const keptOut = {
  'error-before-accept': fault(
    611,
    'The first `PUT` gets a 500, unaccepted; a repeat is accepted.',
    {
      keepOut: { by: 'error', calls: 1 },
    },
  ),
  'reset-before-accept': fault(612, 'The first `PUT` is reset, unaccepted; a repeat is accepted.', {
    keepOut: { by: 'reset', calls: 1 },
  }),
  'never-seen-resubmitted': fault(
    613,
    'The first `PUT` is never answered nor accepted, queries say not found; a repeat is accepted.',
    { keepOut: { by: 'silence', calls: 1 } },
  ),
  'never-seen-thrice': fault(614, 'As above, for the first three `PUT`s.', {
    keepOut: { by: 'silence', calls: 3 },
  }),
  'never-accepted': fault(615, 'No `PUT` is ever answered or accepted; queries say not found.', {
    keepOut: { by: 'silence', calls: 'all' },
  }),
  'too-many-requests': fault(616, 'The first two `PUT`s get a 429 with `Retry-After: 1`.', {
    keepOut: { by: 'too-many-requests', calls: 2 },
  }),
  'unauthorized-once': fault(617, 'The first `PUT` gets a 401 although its key is right.', {
    keepOut: { by: 'unauthorized', calls: 1 },
  }),
} as const;

const refused = {
  'refused-ac03': fault(621, 'Each `PUT` is refused for good: 422 `AC03`.', refusedWith('AC03')),
  'refused-am02': fault(622, 'Each `PUT` is refused for good: 422 `AM02`.', refusedWith('AM02')),
  'refused-frad': fault(623, 'Each `PUT` is refused for good: 422 `FRAD`.', refusedWith('FRAD')),
} as const;

const answerLost = {
  'slow-answer': fault(
    631,
    'Accepted; the answer takes 3 s, so the payment and its webhook come first.',
    { answer: 'slow' },
  ),
  'accepted-then-timeout': fault(
    632,
    'Accepted and paid; the call is never answered and no webhook comes.',
    { answer: 'silence', notifications: lost },
  ),
  'reset-after-accept': fault(633, 'Accepted and paid; the connection is reset before an answer.', {
    answer: 'reset',
  }),
  'error-after-accept': fault(634, 'Accepted and paid; the call gets a 500.', { answer: 'error' }),
  'unreadable-answer': fault(635, 'Accepted and paid; the call gets a 200 with a page of HTML.', {
    answer: 'unreadable',
  }),
} as const;

const rejected = {
  'rejected-ac03': fault(641, 'Accepted, then failed: `AC03`.', failedWith('AC03')),
  'rejected-ac07': fault(642, 'Accepted, then failed: `AC07`.', failedWith('AC07')),
  'rejected-am04': fault(643, 'Accepted, then failed: `AM04`.', failedWith('AM04')),
  'rejected-be01': fault(644, 'Accepted, then failed: `BE01`.', failedWith('BE01')),
  'rejected-ds04': fault(645, 'Accepted, then failed: `DS04`.', failedWith('DS04')),
  'rejected-frad': fault(646, 'Accepted, then failed: `FRAD`.', failedWith('FRAD')),
  'rejected-ab03-late': fault(647, 'Accepted, then failed after 20 s without a webhook: `AB03`.', {
    ...failedWith('AB03', durations.pendingMs),
    notifications: lost,
  }),
  'rejected-after-timeout': fault(
    648,
    'The call is never answered; the order was accepted, then failed without a webhook: `AC03`.',
    { ...failedWith('AC03'), answer: 'silence', notifications: lost },
  ),
} as const;

const undecided = {
  'pending-then-confirmed': fault(651, 'Accepted, `processing` for 20 s, then paid.', {
    end: { afterMs: durations.pendingMs, as: { status: 'paid' } },
  }),
  'pending-long': fault(652, 'Accepted, `processing` for 120 s, then paid without a webhook.', {
    end: { afterMs: durations.longPendingMs, as: { status: 'paid' } },
    notifications: lost,
  }),
  'deadline-review': fault(653, 'Accepted, and `processing` for ever.', { end: 'never' }),
  'silent-for-ever': fault(
    654,
    'Accepted, and nothing about this payout is ever answered: not the call, not a query.',
    { end: 'never', answer: 'silence', queries: 'silence' },
  ),
  'not-found-for-a-while': fault(
    655,
    'Accepted and paid; queries and lists do not find it for 20 s. No webhook.',
    { hiddenForMs: durations.hiddenMs, notifications: lost },
  ),
  'not-found-after-timeout': fault(656, 'As above, and the call is never answered.', {
    answer: 'silence',
    hiddenForMs: durations.hiddenMs,
    notifications: lost,
  }),
  'unknown-status': fault(
    657,
    'Shows `in_analysis`, a status not listed above, for 20 s; then paid.',
    {
      end: { afterMs: durations.pendingMs, as: { status: 'paid' } },
      processingWord: 'in_analysis',
    },
  ),
} as const;

const notified = {
  'webhook-late': fault(661, 'Paid; the webhook comes 30 s later.', {
    notifications: notificationPlans.late,
  }),
  'webhook-lost': fault(662, 'Paid; no webhook comes.', { notifications: lost }),
  'webhook-doubled': fault(663, 'Paid; the webhook comes twice with the same event id.', {
    notifications: notificationPlans.doubled,
  }),
  'webhook-doubled-forged': fault(
    664,
    'Paid; the webhook comes twice, with four forgeries: one with a wrong signature, and three that ' +
      'claim `failed`, with a wrong, an hour-old and a right signature.',
    { notifications: notificationPlans.doubledAndForged },
  ),
  'webhook-out-of-order': fault(665, 'Paid; then comes an older webhook that says `processing`.', {
    notifications: notificationPlans.outOfOrder,
  }),
} as const;

export const faultCatalogue = {
  ...keptOut,
  ...refused,
  ...answerLost,
  ...rejected,
  ...undecided,
  ...notified,
} as const satisfies Readonly<Record<string, Fault>>;

/** `none` is the happy path: accepted at once, paid after 50 ms, one webhook. */
export type FaultName = keyof typeof faultCatalogue | 'none';

export const faultNames = Object.keys(faultCatalogue) as readonly Exclude<FaultName, 'none'>[];

export const isFaultName = (text: string): text is FaultName =>
  text === 'none' || Object.hasOwn(faultCatalogue, text);

export const behaviourOf = (name: FaultName): Behaviour =>
  name === 'none' ? happyBehaviour : faultCatalogue[name].behaviour;
