// Who a process is: its pid together with the moment it started. A pid alone is reused by the
// system, and a state file of a killed run would then make us stop, or wait for, a stranger. Plain
// JavaScript, because tools/bootstrap.mjs needs it before anything is installed.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

const pollMs = 25;

/**
 * @returns the identity of a running process, or undefined when there is none (a zombie counts as
 * none).
 */
export function identityOf(pid) {
  const startedAt = process.platform === 'linux' ? startOnLinux(pid) : startElsewhere(pid);
  return startedAt === undefined ? undefined : { pid, startedAt };
}

export function isRunning(identity) {
  return identityOf(identity.pid)?.startedAt === identity.startedAt;
}

/** Sends nothing to a process that has the pid but is not the one that is meant. */
export function signalProcess(identity, signal) {
  if (!isRunning(identity)) return false;
  try {
    process.kill(identity.pid, signal);
    return true;
  } catch (error) {
    if (error.code === 'ESRCH') return false;
    throw error;
  }
}

/** Asks the process to stop, and kills it when it has not done so within `graceMs`. */
export async function endProcess(identity, { signal = 'SIGTERM', graceMs = 10_000 } = {}) {
  if (!signalProcess(identity, signal)) return;
  if (await hasEnded(identity, graceMs)) return;
  signalProcess(identity, 'SIGKILL');
  await hasEnded(identity, graceMs);
}

export async function hasEnded(identity, withinMs) {
  const until = performance.now() + withinMs;
  while (isRunning(identity)) {
    if (performance.now() > until) return false;
    await pause(pollMs);
  }
  return true;
}

function startOnLinux(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The command in brackets may hold spaces and brackets itself: the fields start after the last
    // one.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state, startTicks] = [fields[0], fields[19]];
    if (state === 'Z' || state === 'X') return undefined;
    return `${bootId()}/${startTicks}`;
  } catch {
    return undefined;
  }
}

function bootId() {
  return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
}

function startElsewhere(pid) {
  const { status, stdout } = spawnSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], {
    encoding: 'utf8',
  });
  const line = status === 0 ? stdout.trim() : '';
  return line === '' || line.startsWith('Z') ? undefined : line.replace(/^\S+\s+/, '');
}
