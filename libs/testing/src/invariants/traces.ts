// Invariant 8: one transfer is one connected trace, judged on the spans that were received.
import { serviceNames } from '@compasso/contracts';
import type { Facts, SpanFact } from './facts.ts';
import { groupBy, type Judgement, judgement } from './judgement.ts';

export function judgeTraces({ spans, transfers, payouts, messaging, disturbed }: Facts): Judgement {
  const violations: string[] = [];
  const ids = new Set(spans.map(({ spanId }) => spanId));
  const byTrace = groupBy(spans, ({ traceId }) => traceId);
  const logged = serviceNames.flatMap((service) => messaging[service].eventLog);
  const tracesOf = groupBy(logged, ({ subject }) => subject);
  const withPayout = new Set(payouts.map(({ transferId }) => transferId));
  for (const { transferId } of transfers) {
    const traces = new Set((tracesOf.get(transferId) ?? []).map(({ traceparent }) => traceparent?.slice(3, 35)));
    if (traces.size !== 1 || traces.has(undefined)) {
      violations.push(`transfer ${transferId}: its events belong to ${traces.size} traces`);
      continue;
    }
    const own = byTrace.get([...traces][0]!) ?? [];
    // What a killed process had not exported yet is gone: such a trace is judged by its id alone.
    if (disturbed.has(transferId)) continue;
    const needed = withPayout.has(transferId) ? serviceNames : serviceNames.filter((name) => name !== 'payout-gateway');
    violations.push(...holes(transferId, own, ids, needed));
  }
  return judgement(8, 'one transfer is one connected trace', spans.length === 0 ? 0 : transfers.length, violations);
}

function* holes(
  transferId: string,
  own: readonly SpanFact[],
  ids: ReadonlySet<string>,
  needed: readonly string[],
): Generator<string> {
  const services = new Set(own.map(({ service }) => service));
  for (const service of needed) {
    if (!services.has(service)) yield `transfer ${transferId}: no span of ${service}`;
  }
  const orphans = own.filter(({ parentSpanId }) => parentSpanId !== undefined && !ids.has(parentSpanId));
  for (const { name, service } of orphans) yield `transfer ${transferId}: ${service} "${name}" has no parent`;
  const roots = own.filter(({ parentSpanId }) => parentSpanId === undefined);
  if (roots.length !== 1) yield `transfer ${transferId}: its trace has ${roots.length} roots`;
}
