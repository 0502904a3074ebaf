import type { ReadinessReport } from '../ports.ts';
import type { ReadinessRegistry } from './readiness.ts';

export interface HealthAnswer {
  readonly status: 200 | 503;
  readonly body: string;
}

/**
 * The answer to a probe's path, or nothing when the path is none. The same on the public and
 * management ports.
 */
export function healthAnswer(path: string, registry: ReadinessRegistry): HealthAnswer | undefined {
  if (path === '/health/live') return answer(registry.liveness());
  if (path === '/health/ready') return answer(registry.readiness());
  return undefined;
}

export const healthPaths = ['/health/live', '/health/ready'] as const;

const answer = ({ ready, checks }: ReadinessReport): HealthAnswer => ({
  status: ready ? 200 : 503,
  body: JSON.stringify({ status: ready ? 'ok' : 'unavailable', checks }),
});
