import { artefacts, filesNow, staleAmong } from './artefacts.ts';

describe('generated files', () => {
  it('are what the contracts say: after a change run npm run -w @compasso/contracts generate', () => {
    expect(staleAmong(filesNow())).toEqual([]);
  });

  it('come out the same twice', () => {
    expect([...artefacts()]).toEqual([...artefacts()]);
  });

  it.each([
    'libs/contracts/schemas/payout.rejected.v1.json',
    'libs/contracts/asyncapi.json',
    'docs/score.md',
  ])('are found when one is edited by hand or missing: %s', (path) => {
    const files = new Map(filesNow());

    expect(staleAmong(new Map(files).set(path, `${files.get(path)} `))).toEqual([path]);
    expect(staleAmong(new Map([...files].filter(([other]) => other !== path)))).toEqual([path]);
  });

  it('are found when no contract stands behind one any more', () => {
    const orphan = 'libs/contracts/schemas/ledger.forgotten.v1.json';

    expect(staleAmong(new Map(filesNow()).set(orphan, '{}'))).toEqual([orphan]);
  });
});
