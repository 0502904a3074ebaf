// Two compilers and two Nodes live in one clone: what runs must be the one that is meant.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { workspacesOf } from './checks/packages.ts';
import { repository, root } from './repository.ts';

interface Project {
  readonly references?: readonly { readonly path: string }[];
}

const projectAt = (path: string): Project => JSON.parse(readFileSync(join(root, path, 'tsconfig.json'), 'utf8')) as Project;
const workspaces = workspacesOf(repository);

describe('the toolchain', () => {
  it('runs on the Node that the repository pins', () => {
    const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      devDependencies: Record<string, string>;
    };
    expect(process.versions.node).toBe(devDependencies['node']);
  });

  it('compiles with TypeScript 7 under the name tsc, and gives its tools the interface of TypeScript 6', () => {
    const printed = execFileSync(process.execPath, [join(root, 'node_modules/.bin/tsc'), '--version']);
    expect(printed.toString()).toMatch(/^Version 7\./);
    expect(ts.version).toMatch(/^6\./);
  });
});

describe('the build', () => {
  const built = workspaces.filter(({ directory }) => directory !== 'libs/testing');

  it('covers every workspace that runs', () => {
    const referenced = (projectAt('.').references ?? []).map(({ path }) => path);
    expect([...referenced].sort()).toEqual(built.map(({ directory }) => directory).sort());
  });

  it.each(built)('of $directory waits for what it depends on', ({ directory, manifest }) => {
    const needed = Object.keys(manifest.dependencies ?? {})
      .filter((name) => name.startsWith('@compasso/'))
      .map((name) => name.replace('@compasso/', '../../libs/'));
    const referenced = (projectAt(directory).references ?? []).map(({ path }) => path);
    expect([...referenced].sort()).toEqual(needed.sort());
  });
});
