import { counter, gauge } from './metrics.ts';

const cpu = counter('compasso_process_cpu_seconds_total');

/** Shows what the process costs until the returned function is called. */
export function observeProcess(): () => void {
  let seenCpu = { user: 0, system: 0 };
  let seenLoop = performance.eventLoopUtilization();
  const forget = [
    gauge('compasso_process_resident_memory_bytes', () => {
      // CPU is a counter, and counters are pushed: the scrape of this gauge is the moment to bring
      // it up to date.
      const used = process.cpuUsage(seenCpu);
      seenCpu = process.cpuUsage();
      cpu.add(used.user / 1e6, { mode: 'user' });
      cpu.add(used.system / 1e6, { mode: 'system' });
      return process.memoryUsage.rss();
    }),
    gauge('compasso_process_heap_used_bytes', () => process.memoryUsage().heapUsed),
    gauge('compasso_process_uptime_seconds', () => process.uptime()),
    gauge('compasso_event_loop_utilization_ratio', () => {
      const now = performance.eventLoopUtilization();
      const { utilization } = performance.eventLoopUtilization(now, seenLoop);
      seenLoop = now;
      return utilization;
    }),
  ];
  return () => {
    for (const one of forget) one();
  };
}
