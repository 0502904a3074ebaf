// What the provider does with a call, and when an order ends. Answers are data: http/ turns them
// into bytes, into silence or into a broken connection.
import { addMilliseconds, type Cents, type Instant, invariant, type NewId } from '@compasso/kernel';
import { chooseFault, type FaultRule } from './choose-fault.ts';
import { endToEndIdFor } from './end-to-end-id.ts';
import { behaviourOf, type FaultName } from './fault-catalogue.ts';
import {
  type AcceptanceAnswer,
  durations,
  type Ending,
  type KeepOut,
  type Unserved,
} from './fault.ts';
import { maskKey } from './mask-key.ts';
import type { Notification, Order, PayeeKeyType, Payout, PayoutEvent } from './payout.ts';

export interface Given {
  readonly now: Instant;
  readonly newId: NewId;
  /** Multiplies every duration of a fault. */
  readonly timeScale: number;
}

export interface SubmitPayout {
  readonly payoutId: string;
  readonly amountCents: Cents;
  readonly keyType: PayeeKeyType;
  readonly key: string;
  readonly endToEndId?: string;
  /** Equal for equal requests; what a repeat is compared by. */
  readonly requestDigest: string;
  readonly traceparent?: string;
}

export type Answer =
  | {
      readonly kind: 'order';
      readonly status: 200 | 201;
      readonly order: Order;
      readonly afterMs: number;
    }
  | {
      readonly kind: 'refusal';
      readonly status: number;
      readonly code: string;
      readonly retryAfterSeconds?: number;
    }
  | { readonly kind: 'unreadable' }
  | { readonly kind: 'silence' }
  | { readonly kind: 'reset' };

export interface Decision {
  readonly events: readonly PayoutEvent[];
  readonly answer: Answer;
}

export function submit(
  request: SubmitPayout,
  payout: Payout,
  given: Given & { readonly rules: readonly FaultRule[] },
): Decision {
  if (payout.situation === 'ordered') return { events: [], answer: repeat(request, payout.order) };
  const fault = payout.situation === 'kept_out' ? payout.fault : chooseFault(request, given.rules);
  const { keepOut } = behaviourOf(fault);
  const callsKeptOut = payout.situation === 'kept_out' ? payout.callsKeptOut : 0;
  if (keepOut && (keepOut.calls === 'all' || callsKeptOut < keepOut.calls)) {
    return { events: [{ type: 'CallKeptOut', fault }], answer: keptOut(keepOut) };
  }
  return accept(request, fault, given);
}

export function query(payout: Payout, now: Instant): Answer {
  if (payout.situation !== 'ordered') return refusal(404, 'payout_not_found');
  const { order } = payout;
  if (behaviourOf(order.fault).queries === 'silence') return { kind: 'silence' };
  if (now < order.visibleFrom) return refusal(404, 'payout_not_found');
  return { kind: 'order', status: 200, order, afterMs: 0 };
}

/**
 * The order's own end, or the one that an operator of the simulator gives it. Ending twice changes
 * nothing.
 */
export function end(order: Order, ending: Ending, given: Given): readonly PayoutEvent[] {
  if (order.progress.status !== 'processing') return [];
  const at = { orderId: order.orderId, at: given.now };
  const ended: PayoutEvent =
    ending.status === 'paid'
      ? { type: 'OrderPaid', ...at }
      : { type: 'OrderFailed', ...at, code: ending.code };
  const notifications = notificationsOf(order, ending, given);
  return [
    ended,
    ...notifications.map(
      (notification) => ({ type: 'NotificationPlanned', notification }) as const,
    ),
  ];
}

export const unserved = (by: Unserved): Answer => {
  switch (by) {
    case 'silence':
      return { kind: 'silence' };
    case 'reset':
      return { kind: 'reset' };
    case 'error':
      return refusal(500, 'internal_error');
    case 'too-many-requests':
      return { ...refusal(429, 'too_many_requests'), retryAfterSeconds: 1 };
    case 'unauthorized':
      return refusal(401, 'unauthorized');
  }
};

export const refusal = (status: number, code: string) =>
  ({ kind: 'refusal', status, code }) as const;

function repeat(request: SubmitPayout, order: Order): Answer {
  if (request.requestDigest !== order.requestDigest) return refusal(409, 'id_conflict');
  if (behaviourOf(order.fault).queries === 'silence') return { kind: 'silence' };
  return { kind: 'order', status: 200, order, afterMs: 0 };
}

const keptOut = (keepOut: KeepOut): Answer =>
  keepOut.by === 'refusal' ? refusal(422, keepOut.code) : unserved(keepOut.by);

function accept(request: SubmitPayout, fault: FaultName, given: Given): Decision {
  const behaviour = behaviourOf(fault);
  const later = (milliseconds: number) =>
    addMilliseconds(given.now, milliseconds * given.timeScale);
  const order: Order = {
    orderId: given.newId(),
    payoutId: request.payoutId,
    amountCents: request.amountCents,
    keyType: request.keyType,
    keyMasked: maskKey(request.keyType, request.key),
    endToEndId: request.endToEndId ?? endToEndIdFor(given.now, given.newId()),
    requestDigest: request.requestDigest,
    fault,
    createdAt: given.now,
    updatedAt: given.now,
    visibleFrom: later(behaviour.hiddenForMs),
    progress:
      behaviour.end === 'never'
        ? { status: 'processing' }
        : {
            status: 'processing',
            due: { at: later(behaviour.end.afterMs), ending: behaviour.end.as },
          },
    ...(request.traceparent && { traceparent: request.traceparent }),
  };
  return {
    events: [{ type: 'OrderAccepted', order }],
    answer: acceptance(behaviour.answer, order, given),
  };
}

function acceptance(answer: AcceptanceAnswer, order: Order, given: Given): Answer {
  switch (answer) {
    case 'prompt':
      return { kind: 'order', status: 201, order, afterMs: 0 };
    case 'slow':
      return {
        kind: 'order',
        status: 201,
        order,
        afterMs: durations.slowAnswerMs * given.timeScale,
      };
    case 'unreadable':
      return { kind: 'unreadable' };
    case 'silence':
    case 'reset':
    case 'error':
      return unserved(answer);
  }
}

function notificationsOf(order: Order, ending: Ending, given: Given): Notification[] {
  const plans = behaviourOf(order.fault).notifications;
  const firstEventId = given.newId();
  return plans.map((plan, index) => {
    invariant(index > 0 || !plan.repeatsFirst, 'the first notification repeats nothing');
    return {
      eventId: index === 0 || plan.repeatsFirst ? firstEventId : given.newId(),
      payoutId: order.payoutId,
      claims: plan.claims ?? ending.status,
      // An older piece of news is dated before the end that it follows.
      occurredAt: plan.claims === 'processing' ? order.createdAt : given.now,
      dueAt: addMilliseconds(given.now, plan.afterMs * given.timeScale),
      signature: plan.signature,
      ...(order.traceparent && { traceparent: order.traceparent }),
    };
  });
}
