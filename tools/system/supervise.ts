// The process behind `npm run up`: it outlives the terminal, keeps the system running, and stops it
// when told to. It also receives the spans, so that `npm run verify` can judge traces, and hands
// them on to the collector of whoever names one.
//
//   supervise.ts <options as JSON>
import { startOtlpReceiver } from '../otlp-receiver.ts';
import { startSystem } from './system.ts';
import type { PortableOptions } from './system-options.ts';

const options = JSON.parse(process.argv[2] ?? '{}') as PortableOptions;
const log = (sentence: string) => console.log(`${new Date().toISOString()} ${sentence}`);

try {
  const forwardTo = options.otlpEndpoint ?? (process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] || undefined);
  const { endpoint } = await startOtlpReceiver({ forwardTo });
  const system = await startSystem({ ...options, otlpEndpoint: endpoint, log });
  await system.waitReady().catch(async (error: unknown) => {
    await system.stop();
    throw error;
  });
  log('ready');
} catch (error) {
  log(error instanceof Error ? error.message : String(error));
  process.exit(1);
}
