// The table of imports is about files that exist, and ARCHITECTURE.md tells the same table.
import { matchesGlob } from 'node:path';
import { confinements, importTable } from './boundaries.ts';
import { isSource, repository } from './repository.ts';
import { importsOf } from './syntax.ts';

const architecture = repository.find(({ path }) => path === 'ARCHITECTURE.md')?.text ?? '';
const sources = repository.filter(isSource);

describe('the table of imports', () => {
  it.each(importTable)('has files to judge: $from', ({ from }) => {
    expect(sources.filter(({ path }) => matchesGlob(path, from))).not.toEqual([]);
  });

  it.each(importTable)('is told in ARCHITECTURE.md: $from', ({ from, own }) => {
    const line = architecture.split('\n').find((candidate) => candidate.startsWith(`| \`${from}\` |`));

    expect(line).toBeDefined();
    if (own.length <= 4) for (const name of own) expect(line).toContain(name);
  });

  it('leaves no application out', () => {
    const apps = sources.filter(({ path }) => path.startsWith('apps/') && path.includes('/src/'));
    expect(apps.filter(({ path }) => !importTable.some(({ from }) => matchesGlob(path, from)))).toEqual([]);
  });
});

describe.each(confinements)('what may import $package', ({ package: name, to }) => {
  it('is told in ARCHITECTURE.md', () => {
    expect(architecture).toContain(`\`${name}\``);
  });

  it.each(to.filter((glob) => !glob.startsWith('{test')))('does: %s', (glob) => {
    const prefix = name.replace('*', '');
    const users = sources.filter(
      (file) => matchesGlob(file.path, glob) && importsOf(file).some(({ specifier }) => specifier.startsWith(prefix)),
    );
    expect(users).not.toEqual([]);
  });
});
