import { healthAnswer } from './health-answer.ts';
import { ReadinessRegistry } from './readiness.ts';

const good = () => ({ ok: true });
const bad = () => ({ ok: false, detail: 'the relay has published nothing for 40 s' });

it('is ready when every check passes', () => {
  const registry = new ReadinessRegistry();
  registry.register('relay', good);
  expect(healthAnswer('/health/ready', registry)).toEqual({
    status: 200,
    body: '{"status":"ok","checks":{"relay":{"ok":true}}}',
  });
});

it('names the check that fails, and why', () => {
  const registry = new ReadinessRegistry();
  registry.register('relay', bad);
  registry.register('database', good);
  expect(registry.readiness()).toEqual({
    ready: false,
    checks: { relay: bad(), database: { ok: true } },
  });
  expect(healthAnswer('/health/ready', registry)?.status).toBe(503);
});

it('stays alive while not ready: a restart heals no broker', () => {
  const registry = new ReadinessRegistry();
  registry.register('relay', bad);
  expect(healthAnswer('/health/live', registry)?.status).toBe(200);
});

it('is not alive when a liveness check fails', () => {
  const registry = new ReadinessRegistry();
  registry.registerLiveness('consumer', bad);
  expect(healthAnswer('/health/live', registry)?.status).toBe(503);
  expect(healthAnswer('/health/ready', registry)?.status).toBe(200);
});

it('is not ready once it stops, whatever the checks say', () => {
  const registry = new ReadinessRegistry();
  registry.register('relay', good);
  registry.stopping();
  expect(registry.readiness()).toMatchObject({ ready: false, checks: { stopping: { ok: false } } });
  expect(registry.liveness().ready).toBe(true);
});

it('takes a check that throws as one that fails, without telling what it threw', () => {
  const registry = new ReadinessRegistry();
  registry.register('relay', () => {
    throw new RangeError('postgres://user:password@host');
  });
  expect(registry.readiness()).toEqual({
    ready: false,
    checks: { relay: { ok: false, detail: 'the check itself failed' } },
  });
});

it('gives each check a name of its own, and gives names back', () => {
  const registry = new ReadinessRegistry();
  const forget = registry.register('relay', bad);
  expect(() => registry.register('relay', good)).toThrow('a name of its own');
  forget();
  registry.register('relay', good);
  expect(registry.readiness().ready).toBe(true);
});

it('answers nothing for other paths', () => {
  expect(healthAnswer('/metrics', new ReadinessRegistry())).toBeUndefined();
});
