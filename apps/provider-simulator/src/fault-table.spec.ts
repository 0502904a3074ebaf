import { readFileSync } from 'node:fs';
import { documentFile, faultTable, withFaultTable } from './fault-table.ts';

describe('the documented faults', () => {
  const document = readFileSync(documentFile, 'utf8');

  it('are those of the catalogue', () => {
    expect(withFaultTable(document)).toBe(document);
    expect(document).toContain(faultTable());
  });
});
