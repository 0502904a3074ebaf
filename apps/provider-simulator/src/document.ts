// Writes the table of faults into the document.
import { readFileSync, writeFileSync } from 'node:fs';
import { documentFile, withFaultTable } from './fault-table.ts';

writeFileSync(documentFile, withFaultTable(readFileSync(documentFile, 'utf8')));
