// Whether this process does its work, told by the parts that do it. Probes read this state in
// memory: a probe that opened a connection would join the load it is meant to measure (field
// failure B-10).
import { invariant } from '@compasso/kernel';
import type { CheckResult, ReadinessReport } from '../ports.ts';

export type Check = () => CheckResult;

export class ReadinessRegistry {
  readonly #readiness = new Map<string, Check>();
  readonly #liveness = new Map<string, Check>();
  #stopping = false;

  /** A part that must make progress before work is sent here. Returns the way to take it back. */
  register(name: string, check: Check): () => void {
    return add(this.#readiness, name, check);
  }

  /**
   * A part whose failure only a restart can heal. A lost database or broker is never one of these.
   */
  registerLiveness(name: string, check: Check): () => void {
    return add(this.#liveness, name, check);
  }

  /** From now on not ready, whatever the checks say. */
  stopping(): void {
    this.#stopping = true;
  }

  get isStopping(): boolean {
    return this.#stopping;
  }

  readiness(): ReadinessReport {
    const report = run(this.#readiness);
    if (!this.#stopping) return report;
    return {
      ready: false,
      checks: { ...report.checks, stopping: { ok: false, detail: 'the process stops' } },
    };
  }

  /** Answering at all shows that the event loop turns. */
  liveness(): ReadinessReport {
    return run(this.#liveness);
  }
}

function add(checks: Map<string, Check>, name: string, check: Check): () => void {
  invariant(!checks.has(name), 'each check has a name of its own', { name });
  checks.set(name, check);
  return () => void checks.delete(name);
}

function run(checks: ReadonlyMap<string, Check>): ReadinessReport {
  const results: Record<string, CheckResult> = {};
  for (const [name, check] of checks) results[name] = ask(check);
  return { ready: Object.values(results).every(({ ok }) => ok), checks: results };
}

function ask(check: Check): CheckResult {
  try {
    const { ok, detail } = check();
    return detail === undefined ? { ok } : { ok, detail };
  } catch {
    // A check that cannot tell is a check that fails; what it threw may hold what probes must not
    // show.
    return { ok: false, detail: 'the check itself failed' };
  }
}
