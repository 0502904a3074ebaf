// Runs a TypeScript entry of this repository on a clone where nothing is installed yet: installs
// when what is there does not match package-lock.json, builds, and hands over to the Node that the
// repository pins. Plain JavaScript on built-in modules, for the Node that the machine has (20 or
// later). Says what it does on standard error only: standard output belongs to the entry.
//
//   node tools/bootstrap.mjs [--no-build] <entry.ts> [arguments…]
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout as pause } from 'node:timers/promises';
import { acquireLock } from '../infra/lock.mjs';
import { installedMatches } from './installed.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const modules = join(root, 'node_modules');
const pinnedNode = join(modules, 'node', 'bin', 'node');
const lockFile = join(root, '.compasso', 'bootstrap.lock');
const stamp = join(modules, '.compasso-installed');
const heartbeatMs = 5_000;
const lockPollMs = 100;
const parentPollMs = 500;
const forwardedSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
const nodeFlags = [
  '--conditions=@compasso/source',
  '--disable-warning=ExperimentalWarning',
  '--disable-warning=TimeoutNegativeWarning',
];

const children = new Set();
let stoppedBy;

forwardSignals();
watchNpm();
await main(process.argv.slice(2));

async function main(given) {
  const build = given[0] !== '--no-build';
  const [entry, ...rest] = build ? given : given.slice(1);
  if (entry === undefined)
    return finish(
      { code: 2 },
      'usage: node tools/bootstrap.mjs [--no-build] <entry.ts> [arguments]',
    );
  const prepared = await prepare(build);
  if (prepared.code !== 0) return finish(prepared);
  return finish(await run(pinnedNode, [...nodeFlags, join(root, entry), ...rest], 'inherit'));
}

// One at a time: a second bootstrap on the same clone waits, and then finds the work done.
async function prepare(build) {
  const release = await lockClone();
  try {
    const installed = isInstalled() ? { code: 0 } : await install();
    if (installed.code !== 0 || !build) return installed;
    return await compile();
  } finally {
    release();
  }
}

async function lockClone() {
  for (let waited = 0; ; waited += lockPollMs) {
    const { release, owner } = acquireLock(lockFile);
    if (release !== undefined) return release;
    if (waited % heartbeatMs === 0)
      say(`waiting for process ${owner.pid}, which is installing or building`);
    await pause(lockPollMs);
    if (stoppedBy !== undefined) finish({ signal: stoppedBy });
  }
}

function isInstalled() {
  if (!existsSync(pinnedNode)) return false;
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wantedStamp()) return true;
  if (!installedMatches(root)) return false;
  writeFileSync(stamp, wantedStamp());
  return true;
}

function wantedStamp() {
  return createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
}

async function install() {
  say('installing dependencies with npm ci (once; a minute or two)');
  rmSync(stamp, { force: true });
  // The repository silences npm (.npmrc) for the sake of clean output of `npm run`; here its errors
  // matter.
  const quiet = ['--loglevel=error', '--no-audit', '--no-fund', '--no-progress'];
  const installed = await withHeartbeat('still installing', () =>
    run('npm', ['ci', ...quiet], 'to standard error'),
  );
  if (installed.code !== 0) return complain(installed, 'npm ci failed: see its messages above');
  if (!existsSync(pinnedNode)) {
    return complain(
      { code: 1 },
      'npm ci brought no Node: are install scripts forbidden? the package "node" needs its own',
    );
  }
  writeFileSync(stamp, wantedStamp());
  say('dependencies are installed');
  return installed;
}

async function compile() {
  const compiler = join(modules, '@typescript', 'native', 'bin', 'tsc');
  const built = await withHeartbeat('still building', () =>
    run(pinnedNode, [compiler, '-b'], 'to standard error'),
  );
  return built.code === 0 ? built : complain(built, 'the build failed: see the messages above');
}

async function withHeartbeat(sentence, work) {
  const since = performance.now();
  const timer = setInterval(
    () => say(`${sentence} (${Math.round((performance.now() - since) / 1_000)} s)`),
    heartbeatMs,
  );
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}

async function run(command, commandArguments, output) {
  if (stoppedBy !== undefined) return { code: null, signal: stoppedBy };
  const stdio = output === 'inherit' ? 'inherit' : ['ignore', 2, 2];
  return new Promise((resolve) => {
    const child = spawn(command, commandArguments, { cwd: root, stdio });
    children.add(child);
    child.once('error', (error) =>
      resolve(complain({ code: 1 }, `cannot start ${command}: ${error.message}`)),
    );
    child.once('exit', (code, signal) => {
      children.delete(child);
      resolve({ code, signal });
    });
  });
}

// A terminal sends Ctrl-C to the child too, and npm passes it on once more: whoever gets it must
// bear it twice.
function forwardSignals() {
  for (const signal of forwardedSignals) {
    process.on(signal, () => stop(signal));
  }
}

// An npm that is killed outright tells nobody. Without npm the parent may well end first: nohup, a
// closed shell.
function watchNpm() {
  if (process.env.npm_lifecycle_event === undefined) return;
  const npm = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === npm) return;
    clearInterval(timer);
    stop('SIGTERM');
  }, parentPollMs);
  timer.unref();
}

function stop(signal) {
  stoppedBy = signal;
  for (const child of children) child.kill(signal);
}

function complain(outcome, sentence) {
  if (stoppedBy === undefined) say(sentence);
  return outcome;
}

function finish({ code, signal }, sentence) {
  if (sentence !== undefined) say(sentence);
  process.exit(code ?? 128 + (constants.signals[signal] ?? 0));
}

function say(sentence) {
  process.stderr.write(`${sentence}\n`);
}
