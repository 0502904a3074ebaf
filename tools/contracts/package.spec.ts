// What another team gets when it installs the contracts, and whether the page it reads first tells the truth.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { contracts, maskPixKey, type PixKey, readPixKey } from '@compasso/contracts';
import { contractsFolder } from './golden-examples.ts';

interface Manifest {
  readonly exports: Record<string, string | Record<string, string>>;
  readonly dependencies: Record<string, string>;
}

const textOf = (path: string): string => readFileSync(`${contractsFolder}${path}`, 'utf8');
const manifest = JSON.parse(textOf('package.json')) as Manifest;
const readme = textOf('README.md');

/** Scripts are left out: `prepack` builds, and what a build brings is judged by name alone. */
function packedFiles(): readonly string[] {
  const answer = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: contractsFolder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [{ files } = { files: [] }] = JSON.parse(answer) as { files: { path: string }[] }[];
  return files.map(({ path }) => path);
}

describe('the package', () => {
  const files = packedFiles();
  const built = files.filter((path) => path.startsWith('dist/'));

  it('holds the published files of every contract, the document and the page, and no more beside its build', () => {
    const names = contracts.map(({ name, version }) => `${name}.v${version}.json`);

    expect(files.filter((path) => !built.includes(path)).sort()).toEqual(
      [
        'README.md',
        'package.json',
        'asyncapi.json',
        ...names.map((name) => `schemas/${name}`),
        ...names.map((name) => `examples/${name}`),
      ].sort(),
    );
  });

  it('holds no test, no build record and no source of its build', () => {
    for (const path of built) {
      expect(path).toMatch(/\.(js|d\.ts)$/);
      expect(path).not.toMatch(/\.(spec|fixture|features)\./);
    }
  });

  it('opens only doors that lead to something in it', () => {
    const targets = Object.values(manifest.exports).flatMap((target) =>
      typeof target === 'string' ? [target] : [target['types']!, target['default']!],
    );
    for (const target of targets.filter((path) => !path.startsWith('./dist/'))) {
      const pattern = new RegExp(`^${target.slice(2).replaceAll('.', '\\.').replace('*', '.+')}$`);
      expect(files.some((path) => pattern.test(path))).toBe(true);
    }
    expect(targets.filter((path) => path.startsWith('./dist/'))).toEqual([
      './dist/index.d.ts',
      './dist/index.js',
    ]);
  });

  it('needs no Kafka client and no framework', () => {
    expect(Object.keys(manifest.dependencies).sort()).toEqual([
      '@compasso/kernel',
      'cpf-cnpj-validator',
      'jose',
      'zod',
    ]);
  });
});

describe('the page that other teams read', () => {
  it('shows code that a test runs', () => {
    const blocks = [...readme.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code]) => code!);
    const run = textOf('src/how-to.spec.ts');

    expect(blocks).toHaveLength(2);
    for (const block of blocks) expect(run).toContain(block);
  });

  it('shows masks as they are computed', () => {
    const rows = [...readme.matchAll(/^\| `(\w+)`[^|]*\| `([^`|]+)` \| `([^`|]+)` \|$/gm)];

    expect(rows).toHaveLength(7);
    for (const [, keyType, key, mask] of rows) {
      expect(readPixKey(keyType as PixKey['keyType'], key!).ok).toBe(true);
      expect(maskPixKey({ keyType: keyType as PixKey['keyType'], key: key! })).toBe(mask);
    }
  });

  it('names only events that exist', () => {
    const named = [...readme.matchAll(/`((?:ledger|payout|transfer|dead-letter)\.[a-z-]+)`/g)].map(
      ([, name]) => name,
    );

    expect(named.length).toBeGreaterThan(3);
    for (const name of named) expect(contracts.map((contract) => contract.name)).toContain(name);
  });
});
