// The words in which a fault is described. A fault is data: what the provider does to the calls
// that would create the order, to the call that does, to the order's end, to queries, and to
// webhooks. Durations are in milliseconds at TIME_SCALE 1.

export type Ending =
  { readonly status: 'paid' } | { readonly status: 'failed'; readonly code: string };

/** `stale` is right but for its timestamp, as in a replay. */
export type SignatureKind = 'right' | 'wrong' | 'stale';

/**
 * How a call goes unserved. `silence` keeps the connection open and says nothing until the caller
 * gives up.
 */
export type Unserved = 'silence' | 'reset' | 'error' | 'too-many-requests' | 'unauthorized';

/** What befalls the calls before anything is accepted. */
export type KeepOut =
  | { readonly by: Unserved; readonly calls: number | 'all' }
  /** The final refusal of the call itself: nothing is left behind. */
  | { readonly by: 'refusal'; readonly code: string; readonly calls: 'all' };

/** What befalls the answer to the call that created the order. */
export type AcceptanceAnswer = 'prompt' | 'slow' | 'silence' | 'reset' | 'error' | 'unreadable';

export interface NotificationPlan {
  readonly afterMs: number;
  /** Missing: the truth. */
  readonly claims?: 'processing' | 'failed';
  readonly signature: SignatureKind;
  /** Repeats the event id of the first delivery, as a provider's own retry does. */
  readonly repeatsFirst?: boolean;
}

export interface Behaviour {
  readonly keepOut?: KeepOut;
  readonly answer: AcceptanceAnswer;
  readonly end: 'never' | { readonly afterMs: number; readonly as: Ending };
  /** Shown instead of `processing`: a word that the documentation of the provider does not know. */
  readonly processingWord?: string;
  readonly hiddenForMs: number;
  readonly queries: 'prompt' | 'silence';
  readonly notifications: readonly NotificationPlan[];
}

export const durations = {
  paymentMs: 50,
  slowAnswerMs: 3_000,
  pendingMs: 20_000,
  longPendingMs: 120_000,
  hiddenMs: 20_000,
  lateNotificationMs: 30_000,
  /** Age of the timestamp on a stale signature: outside every sensible tolerance. */
  staleSignatureMs: 3_600_000,
} as const;

const promptly: NotificationPlan = { afterMs: 0, signature: 'right' };

export const happyBehaviour: Behaviour = {
  answer: 'prompt',
  end: { afterMs: durations.paymentMs, as: { status: 'paid' } },
  hiddenForMs: 0,
  queries: 'prompt',
  notifications: [promptly],
};

const twice: readonly NotificationPlan[] = [promptly, { ...promptly, repeatsFirst: true }];

export const notificationPlans = {
  late: [{ ...promptly, afterMs: durations.lateNotificationMs }],
  lost: [],
  doubled: twice,
  /** The worst: a wrong signature, an old one, and a lie that carries a right one. */
  doubledAndForged: [
    ...twice,
    { afterMs: 0, signature: 'wrong' },
    { afterMs: 0, signature: 'wrong', claims: 'failed' },
    { afterMs: 0, signature: 'stale', claims: 'failed' },
    { afterMs: 0, signature: 'right', claims: 'failed' },
  ],
  outOfOrder: [promptly, { afterMs: 100, signature: 'right', claims: 'processing' }],
} as const satisfies Record<string, readonly NotificationPlan[]>;
