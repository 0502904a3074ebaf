// The bootstrap on a repository of its own, with an npm on the path that "installs" the Node of
// this test.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { eventually } from '@compasso/testing';

const repository = resolve(import.meta.dirname, '..');
const parts = [
  'tools/bootstrap.mjs',
  'tools/installed.mjs',
  'infra/lock.mjs',
  'infra/process-identity.mjs',
];

const entry = `
  const [what] = process.argv.slice(2);
  if (what === 'wait') {
    process.on('SIGTERM', () => process.exit(7));
    setInterval(() => {}, 1_000);
    console.log('waiting');
  } else {
    console.log(JSON.stringify(process.argv.slice(2)));
    process.exitCode = what === 'fail' ? 3 : 0;
  }`;

function setup() {
  const root = mkdtempSync(join(tmpdir(), 'compasso-bootstrap-'));
  for (const part of parts) cpSync(join(repository, part), join(root, part));
  writeFileSync(join(root, 'package-lock.json'), JSON.stringify({ packages: { '': {} } }));
  writeFileSync(join(root, 'entry.mjs'), entry);
  const bin = join(root, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'npm'), fakeNpm(root));
  chmodSync(join(bin, 'npm'), 0o755);
  const installs = () =>
    existsSync(join(root, 'installs'))
      ? readFileSync(join(root, 'installs'), 'utf8').trim().split('\n')
      : [];
  return { root, bin, installs, remove: () => rmSync(root, { recursive: true, force: true }) };
}

function fakeNpm(root: string): string {
  const node = join(root, 'node_modules', 'node', 'bin');
  return [
    '#!/bin/sh',
    `echo "$*" >> ${join(root, 'installs')}`,
    `[ -e ${join(root, 'broken')} ] && { echo "npm error 404" >&2; exit 1; }`,
    'echo "added 900 packages"',
    `mkdir -p ${node} && ln -sf ${process.execPath} ${join(node, 'node')}`,
  ].join('\n');
}

function start({ root, bin }: { root: string; bin: string }, ...given: string[]) {
  const path = `${bin}${delimiter}${process.env['PATH']}`;
  const child = spawn(
    process.execPath,
    ['tools/bootstrap.mjs', '--no-build', 'entry.mjs', ...given],
    {
      cwd: root,
      env: { ...process.env, PATH: path, NODE_OPTIONS: '', npm_lifecycle_event: undefined },
    },
  );
  const said = { out: '', err: '' };
  child.stdout.on('data', (chunk) => (said.out += String(chunk)));
  child.stderr.on('data', (chunk) => (said.err += String(chunk)));
  const ended = once(child, 'close').then(([code]) => ({ code: code as number, ...said }));
  return { child, said, ended };
}

describe('the bootstrap', () => {
  it('installs where nothing is there, and leaves standard output to the entry', async () => {
    const clone = setup();
    const first = await start(clone, '--json', 'two words').ended;
    expect(first).toMatchObject({ code: 0, out: '["--json","two words"]\n' });
    expect(first.err).toContain('installing dependencies');
    const second = await start(clone).ended;
    expect(second).toMatchObject({ code: 0, out: '[]\n', err: '' });
    expect(clone.installs()).toHaveLength(1);
    clone.remove();
  });

  it('installs again when the lock file has changed', async () => {
    const clone = setup();
    await start(clone).ended;
    writeFileSync(
      join(clone.root, 'package-lock.json'),
      JSON.stringify({ packages: { 'node_modules/zod': { version: '5' } } }),
    );
    await start(clone).ended;
    expect(clone.installs()).toHaveLength(2);
    clone.remove();
  });

  it('of two at once lets one install, and both run', async () => {
    const clone = setup();
    const both = await Promise.all([start(clone, 'one').ended, start(clone, 'two').ended]);
    expect(both.map(({ code, out }) => ({ code, out }))).toEqual([
      { code: 0, out: '["one"]\n' },
      { code: 0, out: '["two"]\n' },
    ]);
    expect(clone.installs()).toHaveLength(1);
    clone.remove();
  });

  it('takes over the lock of a killed one', async () => {
    const clone = setup();
    mkdirSync(join(clone.root, '.compasso'));
    writeFileSync(
      join(clone.root, '.compasso', 'bootstrap.lock'),
      JSON.stringify({ pid: process.pid, startedAt: 'long ago' }),
    );
    expect(await start(clone).ended).toMatchObject({ code: 0 });
    clone.remove();
  });

  it('says so when npm fails, and exits like it', async () => {
    const clone = setup();
    writeFileSync(join(clone.root, 'broken'), '');
    const { code, out, err } = await start(clone).ended;
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toMatch(/npm error 404\nnpm ci failed/);
    clone.remove();
  });

  it('passes on the exit code of the entry', async () => {
    const clone = setup();
    expect(await start(clone, 'fail').ended).toMatchObject({ code: 3 });
    clone.remove();
  });

  it('passes on a signal, and waits for the entry to end', async () => {
    const clone = setup();
    const running = start(clone, 'wait');
    await eventually(() => running.said.out.includes('waiting'), { because: 'the entry runs' });
    running.child.kill('SIGTERM');
    expect(await running.ended).toMatchObject({ code: 7 });
    clone.remove();
  });
});
