import { contradictionOf } from './contradiction.ts';
import type { KnownPayout } from './payout.ts';
import {
  accepted,
  answered,
  authorized,
  called,
  failed,
  notFound,
  paid,
  processing,
  refused,
  sent,
  type Step,
  tell,
  timedOut,
} from './payout.story.ts';

const after = (...steps: readonly Step[]) => tell([authorized(), ...steps]).payout as KnownPayout;

const confirmed = after(sent(0), called(1, accepted), answered(2, paid));
const failedAtProvider = after(sent(0), called(1, accepted), answered(2, failed));
const refusedAtCall = after(sent(0), called(1, refused));
const neverSent = after(answered(900, notFound, { attempts: 0 }));
const open = after(sent(0), called(8, timedOut));

it.each([
  [confirmed, { answer: failed }, 'failed_after_confirmation'],
  [failedAtProvider, { answer: paid }, 'paid_after_rejection'],
  [neverSent, { answer: paid }, 'paid_after_rejection'],
  [neverSent, { outcome: accepted }, 'accepted_although_never_sent'],
  [refusedAtCall, { outcome: accepted }, 'accepted_although_never_sent'],
] as const)('news that does not fit the end: %#', (payout, news, contradiction) => {
  expect(contradictionOf(payout, news)).toBe(contradiction);
});

it.each([
  [confirmed, { answer: paid }],
  [confirmed, { answer: processing }],
  [confirmed, { outcome: accepted }],
  [failedAtProvider, { answer: failed }],
  [failedAtProvider, { outcome: accepted }],
  [neverSent, { answer: notFound }],
  [open, { answer: paid }],
  [open, { outcome: refused }],
] as const)('news that fits, or that decides: %#', (payout, news) => {
  expect(contradictionOf(payout, news)).toBeUndefined();
});
