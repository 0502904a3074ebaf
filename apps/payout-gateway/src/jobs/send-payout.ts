// Makes one committed call. The payee is opened right before it and lives in this function's memory alone.
import { type OpenPayee, type SealedPayee } from '@compasso/contracts';
import { counter, histogram, spanFrom } from '@compasso/observability';
import { payeeMismatch, payeeUnreadable } from '../domain/record-outcome.ts';
import type { PayoutOrder, Provider, Submitted } from '../provider/provider.port.ts';
import type { ProviderGate } from './provider-gate.ts';
import { type ClaimedCall, isOver } from './work.ts';

export interface SendParts {
  readonly provider: Provider;
  readonly gate: ProviderGate;
  readonly openPayee: OpenPayee;
  readonly callTimeoutMs: number;
  readonly isStopping: () => boolean;
}

const calls = counter('compasso_payout_calls_total');
const seconds = histogram('compasso_provider_call_duration_seconds');

/** Never rejects: whatever happens is an outcome. */
export async function sendPayout(call: ClaimedCall, parts: SendParts): Promise<Submitted> {
  const { instruction } = call.payout;
  const opened = parts.openPayee(sealedPayee(call));
  if (!opened.ok) return notSent(opened.code === 'payee_mismatch' ? payeeMismatch : payeeUnreadable);
  const { keyType, key } = opened.key;
  const order = { orderId: instruction.providerOrderId, amountCents: instruction.amountCents, keyType, key };
  return parts.gate.submit(() => submit(order, call, parts));
}

async function submit(order: PayoutOrder, call: ClaimedCall, parts: SendParts): Promise<Submitted> {
  const { provider, callTimeoutMs, isStopping } = parts;
  const span = spanFrom(`submit-payout ${provider.name}`, 'client', {
    parent: call.payout.instruction.traceparent ?? undefined,
    attributes: {
      'compasso.subject': call.payout.instruction.transferId,
      'compasso.payout.attempt': call.attempt.attempt,
    },
  });
  const startedAt = performance.now();
  const submitted = await provider.submit(order, {
    timeoutMs: callTimeoutMs,
    traceparent: span.traceparent,
    mayStart: () => {
      if (isStopping()) return 'stopped';
      return isOver(call.window) ? 'send_window_passed' : undefined;
    },
  });
  const { kind } = submitted.outcome;
  seconds.record((performance.now() - startedAt) / 1_000, { provider: provider.name, operation: 'submit' });
  calls.add(1, { provider: provider.name, outcome: kind });
  span.set({ 'compasso.payout.outcome': kind });
  if (kind === 'unknown') span.fail(submitted.outcome.cause);
  span.end();
  return submitted;
}

const sealedPayee = ({ payout }: ClaimedCall): SealedPayee => {
  const { keyType, keyMasked, sealed } = payout.instruction.payee;
  // The type came through the contract's schema, and opening compares it with what was sealed.
  return { kind: 'key', keyType: keyType as SealedPayee['keyType'], keyMasked, sealed };
};

const notSent = (cause: string): Submitted => ({ outcome: { kind: 'not_sent', cause } });
