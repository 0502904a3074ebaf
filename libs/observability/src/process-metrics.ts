import { gauge, observedCounter } from './observed-metrics.ts';

/** Shows what the process costs until the returned function is called. */
export function observeProcess(): () => void {
  let seenLoop = performance.eventLoopUtilization();
  const forget = [
    observedCounter('compasso_process_cpu_seconds_total', () => {
      const { user, system } = process.cpuUsage();
      return [
        { value: user / 1e6, labels: { mode: 'user' } },
        { value: system / 1e6, labels: { mode: 'system' } },
      ];
    }),
    gauge('compasso_process_resident_memory_bytes', () => process.memoryUsage.rss()),
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
