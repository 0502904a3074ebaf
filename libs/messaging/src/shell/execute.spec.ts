import { deadLettersOf, sourceOfService } from '@compasso/contracts';
import { CodedError, instantOf } from '@compasso/kernel';
import { uuidv7 } from 'uuidv7';
import { MemoryUnitOfWork } from '../memory/memory-unit-of-work.ts';
import { rowConflict } from '../ports/database-errors.ts';
import { makeExecutor } from './execute.ts';

const conflict = () => rowConflict('transfer', 'transfer_pkey');

/** Work that fails as often as it is told to, then says how often it was tried. */
function setup(failures: number, failure: () => Error = conflict) {
  let tries = 0;
  const pauses: number[] = [];
  const executor = makeExecutor({
    unitOfWork: new MemoryUnitOfWork(() => instantOf(0)),
    staging: { source: sourceOfService('ledger'), newId: uuidv7, topicOf: () => deadLettersOf('ledger') },
    pauseBeforeRetry: async (attempt) => void pauses.push(attempt),
    wake: () => undefined,
  });
  const work = async () => {
    tries += 1;
    if (tries <= failures) throw failure();
    return tries;
  };
  return { execute: () => executor.execute(work), pauses };
}

describe('work that fails for a reason that passes', () => {
  it('is tried again until it succeeds', async () => {
    const { execute, pauses } = setup(3);
    expect(await execute()).toBe(4);
    expect(pauses).toEqual([0, 1, 2]);
  });

  it('is given up after so many tries, and whoever asked may come again', async () => {
    await expect(setup(100).execute()).rejects.toMatchObject({ code: 'temporarily_unavailable' });
  });

  it('is not tried again when the reason does not pass', async () => {
    const { execute, pauses } = setup(1, () => new CodedError('no_such_thing', 'A bug.', {}));
    await expect(execute()).rejects.toMatchObject({ code: 'no_such_thing' });
    expect(pauses).toEqual([]);
  });
});
