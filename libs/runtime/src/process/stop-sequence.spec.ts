import type { ServiceLogger } from '../ports.ts';
import { runStopSequence, type StopStep } from './stop-sequence.ts';

function setup() {
  const errors: { step: unknown; message: string }[] = [];
  const nothing = (): void => undefined;
  const logger: ServiceLogger = {
    debug: nothing,
    info: nothing,
    warn: nothing,
    fatal: nothing,
    error: (fields, message) =>
      void errors.push({ step: (fields as { step?: unknown }).step, message }),
  };
  const ran: string[] = [];
  const step = (name: string, stop?: () => void | Promise<void>): StopStep => ({
    name,
    deadlineMs: 50,
    async stop() {
      ran.push(name);
      await stop?.();
    },
  });
  return { errors, logger, ran, step };
}

it('runs one step after the other', async () => {
  const { ran, step, logger } = setup();
  const slow = step('consumers', async () => {
    await Promise.resolve();
    ran.push('consumers ended');
  });
  expect(await runStopSequence([slow, step('database')], logger)).toBe(true);
  expect(ran).toEqual(['consumers', 'consumers ended', 'database']);
});

it('goes past a step that does not end, and remembers it', async () => {
  const { ran, step, logger, errors } = setup();
  const stuck = step('consumers', () => new Promise(() => undefined));
  expect(await runStopSequence([stuck, step('database')], logger)).toBe(false);
  expect(ran).toEqual(['consumers', 'database']);
  expect(errors).toEqual([{ step: 'consumers', message: 'a part did not stop in time' }]);
});

it('goes past a step that throws, at once or later', async () => {
  const { step, logger, errors } = setup();
  const throwing: StopStep = {
    name: 'relay',
    deadlineMs: 50,
    stop() {
      throw new RangeError('no');
    },
  };
  const rejecting = step('consumers', () => Promise.reject(new RangeError('no')));
  expect(await runStopSequence([throwing, rejecting], logger)).toBe(false);
  expect(errors.map(({ step: name }) => name)).toEqual(['relay', 'consumers']);
});
