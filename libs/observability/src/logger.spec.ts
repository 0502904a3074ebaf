import { createLogger } from './logger.ts';
import { spanFrom } from './spans.ts';
import { startTelemetry, type Telemetry } from './telemetry.ts';

const parent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

let telemetry: Telemetry;
beforeAll(() => {
  telemetry = startTelemetry({ service: 'ledger', replica: '2' });
});
afterAll(() => telemetry.shutdown());

function setup(level = 'info') {
  const lines: Record<string, unknown>[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
  return { lines, logger: createLogger({ service: 'ledger', replica: '2', level, destination }) };
}

it('writes who, when, how bad and what, as one JSON line', () => {
  const { lines, logger } = setup();
  logger.warn({ transferId: 't' }, 'late');
  expect(lines).toEqual([
    {
      level: 'warn',
      time: expect.stringMatching(/^\d{4}-.*Z$/),
      service: 'ledger',
      replica: '2',
      transferId: 't',
      message: 'late',
    },
  ]);
});

it('names the trace it belongs to', () => {
  const { lines, logger } = setup();
  spanFrom('process x', 'consumer', { parent }).run(() => logger.info('inside'));
  logger.info('outside');
  expect(lines[0]).toMatchObject({ trace_id: parent.slice(3, 35), span_id: parent.slice(36, 52) });
  expect(lines[1]).not.toHaveProperty('trace_id');
});

it('holds no personal data, whether given as field, child or error', () => {
  const { lines, logger } = setup();
  logger.info({ payee: { key: 'a@b.c' } }, 'one');
  logger.child({ cpf: '123' }).child({ token: '123' }).info('two');
  logger.error(Object.assign(new Error('failed'), { parameters: ['a@b.c'] }), 'three');
  logger.error({ err: Object.assign(new Error('failed'), { detail: 'a@b.c' }) }, 'four');
  expect(lines).toHaveLength(4);
  expect(JSON.stringify(lines)).not.toMatch(/a@b\.c|123"/);
});

it('keeps quiet below its level', () => {
  const { lines, logger } = setup('error');
  logger.info('nothing');
  expect(lines).toEqual([]);
});
