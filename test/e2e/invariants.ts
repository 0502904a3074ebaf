// Expectations that several suites share.
import type { Judgement } from '@compasso/testing';

export const verdictsOf = (invariants: readonly Judgement[]) =>
  invariants.map(({ id, ok, violations }) => ({ id, ok, violations: violations.slice(0, 5) }));

export const allHold = Array.from({ length: 9 }, (_, at) => ({ id: at + 1, ok: true, violations: [] }));
