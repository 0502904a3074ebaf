// Waits until a running system has come to rest, collects its facts and judges the nine invariants.
import { type Facts, judgeAll, type Judgement } from '@compasso/testing';
import { collectFacts } from '../verify/collect.ts';
import { untilQuiet } from '../verify/quiet.ts';
import { runningSources } from '../verify/running-sources.ts';

const quietWithinMs = 40_000;

export interface Judged {
  readonly facts: Facts;
  readonly invariants: readonly Judgement[];
  /** What had not come to rest. */
  readonly moving: readonly string[];
}

export async function judgeRunning(directory: string): Promise<Judged> {
  const sources = runningSources(directory);
  const moving = await untilQuiet(sources, quietWithinMs);
  const facts = await collectFacts(sources);
  return { facts, invariants: judgeAll(facts), moving };
}
