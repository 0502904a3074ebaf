import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { jest } from '@jest/globals';

type Line = Readonly<Record<string, unknown>>;

interface Fixture {
  readonly child: ChildProcess;
  readonly lines: readonly Line[];
  readonly exit: Promise<number | null>;
  errors(): string;
  /** The first line, past or to come, that the fields fit. */
  line(fields: Line): Promise<Line>;
}

// Each test starts processes, and the machine may be busy with others.
jest.setTimeout(30_000);

const children: ChildProcess[] = [];
afterEach(async () => {
  for (const child of children.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
});

function run(environment: Record<string, string> = {}): Fixture {
  const main = fileURLToPath(new URL('service.fixture.ts', import.meta.url));
  const child = spawn(process.execPath, ['--conditions=@compasso/source', main], {
    env: { HTTP_PORT: '0', MANAGEMENT_PORT: '0', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const lines: Line[] = [];
  const reader = createInterface({ input: child.stdout });
  reader.on('line', (text) => lines.push(JSON.parse(text) as Line));
  const exit = once(child, 'exit').then(([code]) => code as number | null);
  return { child, lines, exit, errors: () => errors, line };

  async function line(fields: Line): Promise<Line> {
    const fits = (one: Line) =>
      Object.entries(fields).every(([name, value]) => one[name] === value);
    for (;;) {
      const found = lines.find(fits);
      if (found) return found;
      const ended = await Promise.race([once(reader, 'line'), exit.then(() => 'ended' as const)]);
      if (ended === 'ended' && !lines.some(fits)) {
        expect({ waitedFor: fields, lines, errors }).toBe('seen before the process ended');
      }
    }
  }
}

const events = ({ lines }: Fixture) => lines.flatMap(({ event }) => (event ? [event] : []));

async function listening(
  fixture: Fixture,
): Promise<{ readonly url: string; readonly management: string }> {
  const { url, management } = await fixture.line({ event: 'listening' });
  return { url: String(url), management: String(management) };
}

it('answers probes on both ports, and metrics on its own port only', async () => {
  const { url, management } = await listening(run());
  for (const base of [url, management]) {
    const ready = await fetch(`${base}/health/ready`);
    expect(await ready.json()).toEqual({ status: 'ok', checks: { database: { ok: true } } });
    expect((await fetch(`${base}/health/live`)).status).toBe(200);
  }
  expect(await (await fetch(`${management}/metrics`)).text()).toBe('metric 1\n');
  expect((await fetch(`${url}/metrics`)).status).toBe(404);
  expect((await fetch(`${management}/health/live`, { method: 'POST' })).status).toBe(405);
});

it.each(['SIGTERM', 'SIGINT'] as const)('%s stops in order and exits with 0', async (signal) => {
  const fixture = run();
  await listening(fixture);
  fixture.child.kill(signal);
  expect(await fixture.exit).toBe(0);
  expect(events(fixture)).toEqual(['listening', 'consumers', 'database', 'telemetry']);
  expect(await fixture.line({ event: 'consumers' })).toMatchObject({ readyWas: false });
});

it('answers what is under way, and refuses what comes after', async () => {
  const fixture = run();
  const { url } = await listening(fixture);
  const slow = fetch(`${url}/slow`);
  await fixture.line({ event: 'slow begun' });
  fixture.child.kill('SIGTERM');
  expect(await (await slow).json()).toEqual({ answered: true });
  expect(await fixture.exit).toBe(0);
  await expect(fetch(`${url}/health/live`)).rejects.toThrow();
});

it('does not wait for idle connections', async () => {
  const fixture = run();
  const { url } = await listening(fixture);
  const idle = connect(Number(new URL(url).port), '127.0.0.1');
  await once(idle, 'connect');
  const startedAt = performance.now();
  fixture.child.kill('SIGTERM');
  expect(await fixture.exit).toBe(0);
  expect(performance.now() - startedAt).toBeLessThan(4_000);
  idle.destroy();
});

it('goes on past a part that fails to stop, and says so with its exit code', async () => {
  const fixture = run({ MODE: 'failing' });
  await listening(fixture);
  fixture.child.kill('SIGTERM');
  expect(await fixture.exit).toBe(1);
  expect(events(fixture)).toEqual(['listening', 'consumers', 'database', 'telemetry']);
});

it('leaves at once when told a second time', async () => {
  const fixture = run({ MODE: 'stuck' });
  await listening(fixture);
  fixture.child.kill('SIGTERM');
  await fixture.line({ event: 'consumers' });
  fixture.child.kill('SIGTERM');
  expect(await fixture.exit).toBe(2);
});

it.each([
  ['/reject', 'nobody waits'],
  ['/throw', 'nobody catches'],
])('an error that nobody caught is logged once and ends the process: %s', async (path) => {
  const fixture = run();
  const { url } = await listening(fixture);
  await fetch(`${url}${path}`).catch(() => undefined);
  expect(await fixture.exit).toBe(1);
  expect(fixture.lines.filter(({ level }) => level === 'fatal')).toHaveLength(1);
  expect(events(fixture)).toEqual(['listening', 'telemetry']);
});

it('does not start on a busy port', async () => {
  const { url } = await listening(run());
  const second = run({ HTTP_PORT: new URL(url).port });
  expect(await second.exit).toBe(1);
  expect(await second.line({ level: 'fatal' })).toBeDefined();
});

it('does not start on a wrong configuration, and says each mistake in one line', async () => {
  const fixture = run({ HTTP_PORT: 'eighty', MODE: 'wild', OTEL_EXPORTER_OTLP_ENDPOINT: 'here' });
  expect(await fixture.exit).toBe(1);
  expect(fixture.errors().trimEnd().split('\n')).toEqual([
    'configuration: HTTP_PORT must be a whole number between 0 and 65535',
    'configuration: OTEL_EXPORTER_OTLP_ENDPOINT must be a URL that begins with http:// or https://',
    'configuration: MODE must be one of well, stuck, failing',
  ]);
  expect(fixture.lines).toEqual([]);
});
