// The table of faults as the document shows it. `npm run document` in this folder writes it there;
// the spec beside this file fails while the two differ.
import { faultCatalogue, faultNames } from './domain/fault-catalogue.ts';

export const documentFile = new URL(
  '../../../docs/provider-reference-wire-format.md',
  import.meta.url,
);

const begin = '<!-- faults: generated from fault-catalogue.ts -->';
const end = '<!-- faults: end -->';

export function faultTable(): string {
  const rows = faultNames.map((name) => {
    const { ending, meaning } = faultCatalogue[name];
    return `| …${ending} | \`${name}\` | ${meaning} |`;
  });
  return ['| amount ends in | fault | what happens |', '|---|---|---|', ...rows].join('\n');
}

/** The document with today's table between its marks. */
export function withFaultTable(document: string): string {
  const from = document.indexOf(begin) + begin.length;
  return `${document.slice(0, from)}\n${faultTable()}\n${document.slice(document.indexOf(end))}`;
}
