import type { ReadinessReport } from '../ports.ts';
import type { ReadinessRegistry } from './readiness.ts';

export interface HealthAnswer {
  readonly status: 200 | 503;
  readonly body: string;
}

export const healthPaths: readonly string[] = ['/health/live', '/health/ready'];

export const isHealthPath = (url: string): boolean => healthPaths.includes(pathOf(url));

/**
 * The answer to a probe, or nothing when the URL is none. The same on the public and management
 * ports.
 */
export function healthAnswer(url: string, registry: ReadinessRegistry): HealthAnswer | undefined {
  const path = pathOf(url);
  if (path === '/health/live') return answer(registry.liveness());
  if (path === '/health/ready') return answer(registry.readiness());
  return undefined;
}

const answer = ({ ready, checks }: ReadinessReport): HealthAnswer => ({
  status: ready ? 200 : 503,
  body: JSON.stringify({ status: ready ? 'ok' : 'unavailable', checks }),
});

export const pathOf = (url: string): string => url.split('?', 1)[0] ?? '/';
