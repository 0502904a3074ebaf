// Puts one question. Where "not found" would permit sending again, it also asks for an order that is known to exist: a
// provider that has forgotten everything, or knows us under another account, answers "not found" too (attack H4).
import { counter, histogram, spanFrom } from '@compasso/observability';
import type { Rules } from '../domain/given.ts';
import type { PayoutCommand } from '../domain/payout.decide.ts';
import { showsOrder } from '../domain/proof.ts';
import { sendAgainAfterNotFound } from '../domain/send-again.ts';
import type { ClaimedQuestion } from '../postgres/gateway-desk.ts';
import type { Provider, Queried } from '../provider/provider.port.ts';
import { requestDigestOf } from '../provider/request-digest.ts';
import type { ProviderGate } from './provider-gate.ts';

export interface AskParts {
  readonly provider: Provider;
  readonly gate: ProviderGate;
  readonly rules: Rules;
  /** The provider's id of a payout that is known to exist there. */
  readonly knownOrder: (provider: string) => Promise<string | undefined>;
}

const queries = counter('compasso_payout_queries_total');
const seconds = histogram('compasso_provider_call_duration_seconds');

type RecordAnswer = Extract<PayoutCommand, { type: 'RecordAnswer' }>;

/** Never rejects. */
export async function askProvider(question: ClaimedQuestion, parts: AskParts): Promise<RecordAnswer> {
  const { payout, asked } = question;
  const { answer } = await ask(payout.instruction.providerOrderId, question, parts);
  const command: RecordAnswer = { type: 'RecordAnswer', asked, answer };
  if (answer.kind !== 'not_found') return command;
  const permitted = sendAgainAfterNotFound(payout, asked, asked.at, parts.rules);
  if (permitted !== 'if_known_order_is_visible' || parts.gate.room().submits === 0) return command;
  const knownOrderIsVisible = await seesKnownOrder(question, parts);
  return {
    ...command,
    sendAgain: { requestDigest: requestDigestOf(payout.instruction), knownOrderIsVisible },
  };
}

async function seesKnownOrder(question: ClaimedQuestion, parts: AskParts): Promise<boolean> {
  const known = await knownOrderOrNothing(parts);
  if (known === undefined) return false;
  const { answer } = await ask(known, question, parts);
  return showsOrder(answer);
}

async function knownOrderOrNothing({ knownOrder, provider }: AskParts): Promise<string | undefined> {
  try {
    return await knownOrder(provider.name);
  } catch {
    // Without the database's word there is no known order, so nothing is sent again now; the next question tries anew.
    return undefined;
  }
}

async function ask(orderId: string, { payout }: ClaimedQuestion, parts: AskParts): Promise<Queried> {
  const { provider, gate, rules } = parts;
  const span = spanFrom(`query-payout ${provider.name}`, 'client', {
    parent: payout.instruction.traceparent ?? undefined,
    attributes: {
      'compasso.subject': payout.instruction.transferId,
      'compasso.payout.check': payout.checks + 1,
    },
  });
  const startedAt = performance.now();
  const { callTimeoutMs: timeoutMs } = rules.policy;
  const queried = await gate.query(() =>
    provider.query(orderId, { timeoutMs, traceparent: span.traceparent }),
  );
  const { answer } = queried;
  seconds.record((performance.now() - startedAt) / 1_000, { provider: provider.name, operation: 'query' });
  queries.add(1, { provider: provider.name, answer: answer.kind });
  span.set({ 'compasso.payout.answer': answer.kind });
  if (answer.kind === 'unknown') span.fail(answer.cause);
  span.end();
  return queried;
}
