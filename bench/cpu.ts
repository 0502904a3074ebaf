// CPU time per process, from the kernel: a figure that other work on the machine changes less than it changes seconds.
import { readdirSync, readFileSync } from 'node:fs';
import type { System } from '../tools/system/system.ts';

const ticksPerSecond = 100;

interface Stat {
  readonly parent: number;
  readonly ticks: number;
}

/** Fields 4 and 14 to 17 of /proc/pid/stat, ended children included; the name in field 2 may hold blanks. */
function statOf(pid: number): Stat | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return { parent: Number(fields[1]), ticks: fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0) };
  } catch {
    return undefined;
  }
}

/** A process with its children: Postgres works in one backend per connection. */
function ticksOfFamily(pid: number): number {
  let ticks = statOf(pid)?.ticks ?? 0;
  for (const name of readdirSync('/proc')) {
    const child = /^\d+$/.test(name) ? statOf(Number(name)) : undefined;
    if (child?.parent === pid) ticks += child.ticks;
  }
  return ticks;
}

export type CpuMicroseconds = Readonly<Record<string, number>>;

/** Microseconds used so far, replicas of a service added up; `load` is this process. */
export function cpuNow(system: Pick<System, 'processes'>): CpuMicroseconds {
  const { user, system: kernel } = process.cpuUsage();
  const used: Record<string, number> = { load: user + kernel };
  for (const { name, pid } of system.processes()) {
    used[name] = (used[name] ?? 0) + (ticksOfFamily(pid) * 1_000_000) / ticksPerSecond;
  }
  return used;
}

/** Microseconds per transfer between two readings. */
export function cpuPerTransfer(before: CpuMicroseconds, after: CpuMicroseconds, transfers: number) {
  const perTransfer: Record<string, number> = {};
  let total = 0;
  for (const [name, value] of Object.entries(after)) {
    const used = value - (before[name] ?? 0);
    perTransfer[name] = Math.round(used / transfers);
    total += used;
  }
  return { ...perTransfer, total: Math.round(total / transfers) };
}
