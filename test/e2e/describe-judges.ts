// After everything that was done to the system: the nine invariants hold, `npm run verify` says the same, and each judge
// sees what is wrong in its own field and nothing else.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Facts, judgeAll, type Judgement } from '@compasso/testing';
import { repository } from '../../tools/system/run-directory.ts';
import { corruptions } from './corruptions.ts';
import { allHold, verdictsOf } from './invariants.ts';
import type { Stage } from './stage.ts';

const withinMs = 180_000;

export function describeJudges(stage: () => Stage): void {
  describe('the nine invariants', () => {
    let facts: Facts;
    let invariants: readonly Judgement[];
    beforeAll(async () => {
      const judged = await stage().judge();
      expect(judged.moving).toEqual([]);
      ({ facts, invariants } = judged);
    }, withinMs);

    it('hold', () => {
      expect(verdictsOf(invariants)).toEqual(allHold);
    });

    it('have looked at something, also at traces that no kill has torn', () => {
      expect(invariants.filter(({ checked }) => checked === 0)).toEqual([]);
      expect(facts.transfers.length - facts.disturbed.size).toBeGreaterThan(10);
    });

    it('npm run verify says the same', async () => {
      const tool = join(repository, 'tools', 'verify', 'main.ts');
      const given = ['--conditions=@compasso/source', tool, '--json', '--directory', stage().system.directory];
      // It rejects unless the exit code is 0.
      const { stdout } = await promisify(execFile)(process.execPath, given);
      expect(JSON.parse(stdout)).toMatchObject({ ok: true, invariants });
    }, withinMs);

    it.each(corruptions.map((one) => [one.invariant, one.what, one] as const))('%i fails alone upon %s', (id, _, { corrupt }) => {
      const failing = judgeAll(corrupt(facts)).filter(({ ok }) => !ok);
      expect(failing.map((judgement) => judgement.id)).toEqual([id]);
    });
  });
}
